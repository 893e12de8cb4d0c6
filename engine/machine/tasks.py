"""Inbox tasks as the engine gives them out: what is asked, of whom, and by when (reference/flow-format.md, section 9).

Pure.
"""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from engine.machine import expressions
from engine.machine.faults import Fault
from engine.machine.turn import Turn
from engine.states import TaskStatus, WaitKind
from flows.graph import Node

LONGEST = 100 * 366 * 86_400
"""Seconds that a task may be given at most: a hundred years."""
AGENTS = "/agents/"
GROUPS = "/groups/"
DEFAULT_OPTIONS = [
    {"value": "approve", "label": "Approve", "style": "success"},
    {"value": "reject", "label": "Reject", "style": "danger"},
]


class Unusable(Exception):
    """The task cannot be given out as it is described."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        kind = "evaluation" if final else "step_error"
        self.fault = Fault(message, kind, final=final, code=None if final else "unknown_assignee")


def give_out(turn: Turn, node: Node, task: dict[str, Any], due: datetime | None) -> list[str]:
    """Put the task into the inbox of its assignee, of every member where that is a group; answers the tasks' ids."""
    group = task["assignee"] if task["assignee"].startswith(GROUPS) else ""
    assignees = turn.world.people.members(group) if group else [task["assignee"]]
    return [put(turn, node, {**task, "assignee": each, "assignment_group": group}, due) for each in assignees]


def put(turn: Turn, node: Node, task: dict[str, Any], due: datetime | None) -> str:
    """Put the task into one person's inbox; answers its id."""
    leaf = turn.leaf
    assert leaf is not None
    task_id = turn.new_id()
    turn.writes.insert(
        "inboxtask",
        {"id": task_id},
        visit_seq=leaf.seq,
        node_id=node.id,
        path=path_of(turn, node, task["assignee"]),
        status=TaskStatus.PENDING.value,
        due_at=turn.in_the_world(due) if due is not None else None,
        created_at=turn.in_the_world(turn.now),
        is_test=turn.run.facts.is_isolated,
        workspace_id=turn.run.facts.workspace_id,
        **task,
    )
    return str(task_id)


def path_of(turn: Turn, node: Node, assignee: str) -> str:
    """The path of the open visit's task for ``assignee``. It stays the task's name when somebody else gets it."""
    assert turn.leaf is not None
    return f"{assignee}/inbox/task-{node.id}-{turn.run.facts.id}-it{turn.leaf.number}"


def due_at(turn: Turn, task: dict[str, Any]) -> datetime | None:
    """When a task that is given out now must be answered."""
    seconds = task["due_in_seconds"]
    return None if seconds is None else turn.now + timedelta(seconds=seconds)


def rest_on(turn: Turn, ids: list[str], due: datetime | None) -> None:
    """Let the open visit wait for the tasks to be answered."""
    turn.rest(WaitKind.HUMAN_TASK, "human_task", due=due, wake="deadline", data={"task_ids": ids})


def approval(turn: Turn, node: Node, asked: Mapping[str, Any], data: Any) -> dict[str, Any]:
    """A task to approve what a step came to: ``asked`` says ``assignee`` and ``due_in_seconds``. Raises as :func:`describe`."""
    assignee = _assignee(turn, asked.get("assignee"))
    if assignee.startswith(AGENTS):
        raise Unusable("approval.assignee: a person or a group approves a conversation.", final=True)
    return {
        "task_type": "approval",
        "title": expressions.label(turn, node)[:500],
        "description": "",
        "assignee": assignee,
        "priority": 3,
        "options": DEFAULT_OPTIONS,
        "input_schema": None,
        "data": data,
        "due_in_seconds": _seconds(expressions.resolve(turn, asked.get("due_in_seconds"))),
    }


def fix_policy(turn: Turn, node: Node, assignee: str) -> None:
    """Fix how many members of a group must answer, and which answers count, for whoever takes the answers."""
    if not assignee.startswith(GROUPS):
        return
    size = len(turn.world.people.members(assignee))
    if size == 0:
        raise Unusable(f"assignee: {assignee} has no members.")
    completion = str(node.settings.get("group_completion") or "any")
    quorum = _number(expressions.resolve(turn, node.settings.get("group_quorum")))
    required = {"any": 1, "all": size}.get(completion, round(1 if quorum is None else quorum))
    if required > size:
        raise Unusable(f"group_quorum: {required} answers are asked for, {assignee} has {size} members.")
    assert turn.leaf is not None
    condition = node.settings.get("response_condition")
    policy = {"path": assignee, "completion": completion, "required": required, "condition": condition}
    turn.enter_with(turn.leaf.seq, {**(turn.entry_of(turn.leaf.seq) or {}), **policy})


def describe(turn: Turn, node: Node) -> dict[str, Any]:
    """The task that a human task step gives out, as its row holds it. Raises ``ExpressionError`` and :class:`Unusable`."""
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
        raise Unusable("assignee: this names nobody. It is a path such as /users/lena or /groups/finance.", final=True)
    if not assignee.startswith(AGENTS) and not turn.world.people.exists(assignee):
        raise Unusable(f"assignee: there is no {assignee}.")
    return assignee


def _priority(value: Any) -> int:
    number = _number(value)
    return 3 if number is None else min(5, max(1, round(number)))


def _seconds(value: Any) -> float | None:
    if value is None or value == "":
        return None
    number = _number(value)
    if number is None or not 0 <= number <= LONGEST:
        raise Unusable("due_in_seconds: this is no number of seconds.", final=True)
    return number


def _number(value: Any) -> float | None:
    """A number, or a text that is one: numeric fields may be templates with text around them."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
