"""Human tasks: put a task into somebody's inbox and rest until it is answered (reference/flow-format.md, section 9)."""

from datetime import datetime, timedelta
from typing import Any

from engine.machine import expressions, steps
from engine.machine.faults import Fault, deadline_passed, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.states import TaskStatus, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node

GROUPS = "/groups/"
DEFAULT_OPTIONS = [
    {"value": "approve", "label": "Approve", "style": "success"},
    {"value": "reject", "label": "Reject", "style": "danger"},
]


class HumanTaskStep(Kind):
    """A step that a person carries out."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._ask(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._ask(turn, node)

    def answered(self, turn: Turn, node: Node, output: dict[str, Any]) -> None:
        assert turn.leaf is not None
        turn.change(human=turn.leaf.seq)
        steps.succeed(turn, node, output)

    def woke(self, turn: Turn, node: Node) -> None:
        steps.fail(turn, node, deadline_passed("Nobody answered in time."))

    def _ask(self, turn: Turn, node: Node) -> None:
        try:
            task = _task(turn, node)
            _fix_policy(turn, node, task["assignee"])
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "task"))
            return
        except _Unusable as problem:
            steps.fail(turn, node, problem.fault)
            return
        seconds = task["due_in_seconds"]
        due = None if seconds is None else turn.now + timedelta(seconds=seconds)
        group = task["assignee"] if task["assignee"].startswith(GROUPS) else ""
        assignees = turn.world.people.members(group) if group else [task["assignee"]]
        ids = [self._put(turn, node, {**task, "assignee": each, "assignment_group": group}, due) for each in assignees]
        turn.rest(WaitKind.HUMAN_TASK, "human_task", due=due, wake="deadline", data={"task_ids": ids})

    def _put(self, turn: Turn, node: Node, task: dict[str, Any], due: datetime | None) -> str:
        """Put the task into one person's inbox; answers its id."""
        leaf = turn.leaf
        assert leaf is not None
        task_id = turn.new_id()
        turn.writes.insert(
            "inboxtask",
            {"id": task_id},
            visit_seq=leaf.seq,
            node_id=node.id,
            path=f"{task['assignee']}/inbox/task-{node.id}-{turn.run.facts.id}-it{leaf.number}",
            status=TaskStatus.PENDING.value,
            due_at=due,
            created_at=turn.now,
            is_test=turn.run.facts.is_test,
            workspace_id=turn.run.facts.workspace_id,
            **task,
        )
        return str(task_id)


class _Unusable(Exception):
    """The task cannot be given out as it is described."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        kind = "evaluation" if final else "step_error"
        self.fault = Fault(message, kind, final=final, code=None if final else "unknown_assignee")


def _fix_policy(turn: Turn, node: Node, assignee: str) -> None:
    """Fix how many members of a group must answer, and which answers count, for whoever takes the answers."""
    if not assignee.startswith(GROUPS):
        return
    size = len(turn.world.people.members(assignee))
    completion = str(node.settings.get("group_completion") or "any")
    quorum = _number(expressions.resolve(turn, node.settings.get("group_quorum")))
    required = {"any": 1, "all": size}.get(completion, round(1 if quorum is None else quorum))
    if required > size:
        raise _Unusable(f"group_quorum: {required} answers are asked for, {assignee} has {size} members.")
    assert turn.leaf is not None
    condition = node.settings.get("response_condition")
    policy = {"path": assignee, "completion": completion, "required": required, "condition": condition}
    turn.enter_with(turn.leaf.seq, policy)


def _task(turn: Turn, node: Node) -> dict[str, Any]:
    settings = node.settings
    options = expressions.resolve(turn, settings.get("options"))
    task_type = str(settings.get("task_type"))
    if task_type == "approval" and not options:
        options = DEFAULT_OPTIONS
    return {
        "task_type": task_type,
        "title": expressions.text(turn, settings.get("action"))[:500],
        "description": expressions.text(turn, settings.get("task_description")),
        "assignee": _assignee(turn, settings.get("assignee")),
        "priority": _priority(expressions.resolve(turn, settings.get("priority"))),
        "options": options,
        "input_schema": settings.get("input_schema"),
        "data": expressions.resolve(turn, settings.get("data")),
        "due_in_seconds": _seconds(expressions.resolve(turn, settings.get("due_in_seconds"))),
    }


def _assignee(turn: Turn, field: Any) -> str:
    assignee = expressions.resolve(turn, field)
    if not isinstance(assignee, str) or not assignee.startswith(("/users/", "/groups/", "/agents/")):
        raise _Unusable("assignee: this names nobody. It is a path such as /users/lena or /groups/finance.", final=True)
    if not turn.world.people.exists(assignee):
        raise _Unusable(f"assignee: there is no {assignee}.")
    return assignee


def _priority(value: Any) -> int:
    number = _number(value)
    return 3 if number is None else min(5, max(1, round(number)))


def _seconds(value: Any) -> float | None:
    if value is None or value == "":
        return None
    number = _number(value)
    if number is None or number < 0:
        raise _Unusable("due_in_seconds: this is no number of seconds.", final=True)
    return number


def _number(value: Any) -> float | None:
    """A number, or a text that is one: numeric fields may be templates with text around them."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


KINDS[kinds.HUMAN_TASK] = HumanTaskStep()
