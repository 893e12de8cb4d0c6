"""Answering inbox tasks and giving them to others: who may, what counts as an answer, and that only the first one does.

reference/flow-format.md, section 9.
"""

from typing import Any, NoReturn
from uuid import UUID

from django.conf import settings
from django.db import transaction
from jsonschema import Draft202012Validator

from engine import groups
from engine.errors import Conflict, Forbidden, InvalidInput, NotFound
from engine.history import add_event
from engine.machine import position as positions
from engine.machine.gates import is_rejection
from engine.machine.tasks import AGENTS
from engine.models import InboxTask, Instance
from engine.people import USERS
from engine.ports import Ports
from engine.states import TERMINAL, TaskStatus, WaitKind
from engine.transitions import close_tasks, complete_task, hand_over_task, lock_run, post
from flows.models import FlowVersion
from flows.values import NotKept, recorded


def complete(task_id: UUID, *, by: str, response: Any, is_admin: bool = False, ports: Ports) -> InboxTask:
    """Answer a task as the person ``by`` (a path); the run goes on when a worker reads of it.

    Raises ``NotFound``, ``Forbidden`` (not the assignee, or not of the group any more), ``InvalidInput`` (what is asked for was
    not given) and ``Conflict`` (answered, expired or cancelled before). A refused answer changes nothing; one that came too late
    is recorded.
    """
    task = InboxTask.objects.filter(pk=task_id).first()
    if task is None:
        raise NotFound("There is no such task.")
    _check_may(task, by, is_admin, ports)
    if task.status != TaskStatus.PENDING:
        _ignore(task, by, ports)
    answer = checked_answer(task, response)
    _check_note(task, answer)
    with transaction.atomic():
        run = lock_run(task.instance_id).exclude(status__in=TERMINAL).first()
        if run is not None and _is_being_decided(task, run):
            raise Conflict("The agent is deciding this task right now. Try again in a moment.", node=task.node_id)
        if run is not None and complete_task(task_id, response=answer, by=by, at=ports.clock.now()):
            output = {**answer, "completed_by": by, "task_path": task.path}
            decided = groups.decide(task, output) if task.assignment_group else output
            if decided is not None:
                close_tasks(task.instance_id, task.visit_seq, reason="group_completed")
                post(task.instance_id, "answered", {"seq": task.visit_seq, "output": decided}, ports)
            task.refresh_from_db()
            return task
    task.refresh_from_db()
    _ignore(task, by, ports)


def hand_over(task_id: UUID, *, to: str, by: str, reason: str = "", is_admin: bool = False, ports: Ports) -> InboxTask:
    """Give an open task to somebody else (paths of people); the run waits on, and its deadline stays.

    Raises ``NotFound``, ``Forbidden`` (as :func:`complete`), ``InvalidInput`` (``to`` is nobody, or is asked already) and
    ``Conflict`` (answered, ended or given away before). Only one of two at once succeeds.
    """
    task = InboxTask.objects.filter(pk=task_id).first()
    if task is None:
        raise NotFound("There is no such task.")
    _check_may(task, by, is_admin, ports)
    if not to.startswith(USERS) or not ports.people.exists(to):
        raise InvalidInput("A task is given to a person who can sign in.", field="to")
    with transaction.atomic():
        run = lock_run(task.instance_id).exclude(status__in=TERMINAL).first()
        asked = InboxTask.objects.filter(instance=task.instance_id, visit_seq=task.visit_seq, assignee=to)
        if asked.exists():
            raise InvalidInput("This person is asked already.", field="to")
        now = ports.clock.now()
        if run is None or not hand_over_task(task_id, giver=task.assignee, to=to, reason=reason, at=now):
            task.refresh_from_db()
            raise Conflict(f"This task is not open any more ({task.get_status_display()}).", node=task.node_id)
        add_event(
            task.instance_id,
            "task_handed_over",
            node_id=task.node_id,
            visit_seq=task.visit_seq,
            at=now,
            data={"by": by, "to": to, "note": reason, "task_id": str(task.id)},
        )
    task.refresh_from_db()
    return task


def _check_may(task: InboxTask, by: str, is_admin: bool, ports: Ports) -> None:
    """Whether ``by`` may answer it or give it away: the assignee, as long as they belong to the group that is asked."""
    if is_admin:
        return
    if task.assignee != by:
        raise Forbidden("This task is assigned to somebody else.", node=task.node_id)
    if task.assignment_group and not task.escalated_from and by not in ports.people.members(task.assignment_group):
        raise Forbidden(
            "You do not belong to the group that is asked any more. An administrator can answer, or give it to somebody.",
            node=task.node_id,
        )


def _is_being_decided(task: InboxTask, run: Instance) -> bool:
    """Whether the agent the task is given to is being asked: the run does not wait for anybody else then."""
    leaf = positions.from_json(run.position).leaf
    asked = leaf is not None and leaf.seq == task.visit_seq and leaf.rests != WaitKind.HUMAN_TASK
    return asked and task.assignee.startswith(AGENTS)


def checked_answer(task: InboxTask, response: Any) -> dict[str, Any]:
    """The answer as the step's output holds it. Raises ``InvalidInput``."""
    try:
        recorded(response, most=settings.SULTANA_OUTPUT_LIMIT)
    except NotKept as problem:
        raise InvalidInput(f"The answer {problem}", field="response") from problem
    if task.task_type == "input":
        return _input_answer(task, response)
    if not isinstance(response, dict):
        raise InvalidInput("The answer must be an object.", field="response")
    if task.task_type == "approval":
        values = [option.get("value") for option in task.options or [] if isinstance(option, dict)]
        if response.get("action") not in values:
            raise InvalidInput(f"The answer is one of {', '.join(map(str, values))}.", field="action")
    return response


def _check_note(task: InboxTask, answer: dict[str, Any]) -> None:
    """Whoever declines a gate says why (contract seed, ``gate.reason``). Raises ``InvalidInput``."""
    version = FlowVersion.objects.filter(instances=task.instance_id).values_list("graph", flat=True)
    nodes = (version.get() if "action" in answer else {}).get("nodes", [])
    settings: dict[str, Any] = next((node["settings"] for node in nodes if node["id"] == task.node_id), {})
    note = answer.get("comment")
    if is_rejection(settings, answer) and not (isinstance(note, str) and note.strip()):
        raise InvalidInput("Say in comment why you decline: whoever reads of it needs to know.", field="comment")


def _input_answer(task: InboxTask, response: Any) -> dict[str, Any]:
    if task.input_schema is not None:
        errors = list(Draft202012Validator(task.input_schema).iter_errors(response))
        problems = [
            {"field": "/".join(map(str, each.absolute_path)) or "response", "message": each.message} for each in errors
        ]
        if problems:
            raise InvalidInput(f"The answer does not fit: {problems[0]['message']}.", problems=problems)
    return response if isinstance(response, dict) else {"value": response}


def _ignore(task: InboxTask, by: str, ports: Ports) -> NoReturn:
    """Record that an answer came too late, and refuse it. Always raises ``Conflict``."""
    add_event(
        task.instance_id,
        "answer_ignored",
        node_id=task.node_id,
        visit_seq=task.visit_seq,
        at=ports.clock.now(),
        data={"by": by, "task_id": str(task.id), "status": task.status},
    )
    raise Conflict(f"This task is not open any more ({task.get_status_display()}).", node=task.node_id)
