"""Inbox tasks as their page shows them: due first, overdue marked, the answer's own buttons or form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, QuerySet
from django.utils import timezone

from designer.people import names_of
from designer.schema_forms import ABSENT, Part, Problems, form_for
from engine.models import InboxTask, Instance
from engine.states import TaskStatus

BUTTONS: Final = {"success": "button-primary", "danger": "button-danger", "warning": "button", "default": "button"}
SHOWN: Final = 100
"""Tasks in one list; who has more open than this needs another tool."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One button of an approval."""

    value: str
    label: str
    css: str


@dataclass(frozen=True, slots=True)
class Line:
    """One task in the list."""

    task: InboxTask
    assignee: str
    is_overdue: bool
    asked_by: str


def open_first(tasks: QuerySet[InboxTask]) -> QuerySet[InboxTask]:
    """Open tasks, what is due earliest first, then by priority; those without a due time last."""
    waiting = tasks.filter(status=TaskStatus.PENDING)
    return waiting.order_by(F("due_at").asc(nulls_last=True), "-priority", "created_at")


def done_first(tasks: QuerySet[InboxTask]) -> QuerySet[InboxTask]:
    """Tasks that need nobody any more, the latest first."""
    return tasks.exclude(status=TaskStatus.PENDING).order_by("-created_at")


def lines(tasks: Iterable[InboxTask], now: datetime | None = None) -> list[Line]:
    """The list's lines. Two queries for the names and the flows of all of them."""
    found = list(tasks)
    moment = now or timezone.now()
    names = names_of(each.assignee for each in found)
    runs = Instance.objects.filter(pk__in={each.instance_id for each in found}).select_related("flow")
    flows = {run.pk: str(run.flow) for run in runs}
    return [
        Line(each, names[each.assignee], is_overdue(each, moment), flows.get(each.instance_id, "")) for each in found
    ]


def is_overdue(task: InboxTask, now: datetime) -> bool:
    return task.status == TaskStatus.PENDING and task.due_at is not None and task.due_at <= now


def answers(task: InboxTask) -> Sequence[Answer]:
    """The buttons of an approval in the order in which the flow gives them."""
    options = [each for each in task.options or [] if isinstance(each, dict)]
    return [
        Answer(
            str(each.get("value")),
            str(each.get("label") or each.get("value")),
            BUTTONS.get(str(each.get("style")), "button"),
        )
        for each in options
    ]


def form(task: InboxTask, sent: Any = ABSENT, problems: Problems | None = None) -> Part | None:
    """The form of an input task, ``None`` for the other kinds."""
    return form_for(task.input_schema, sent, problems, name="response") if task.task_type == "input" else None


def facts(task: InboxTask) -> list[tuple[str, Any, bool]]:
    """What the flow tells about the matter: (word, value, whether the value is a list or an object)."""
    data = task.data if isinstance(task.data, dict) else {} if task.data is None else {"data": task.data}
    return [(key.replace("_", " ").capitalize(), value, isinstance(value, list | dict)) for key, value in data.items()]
