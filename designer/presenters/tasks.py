"""Inbox tasks as their page shows them: due first, overdue marked, the answer's own buttons or form."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.utils import timezone

from designer.people import name_of, names_of
from designer.schema_forms import ABSENT, Part, Problems, form_for
from engine.models import InboxTask, Instance
from engine.people import USERS
from engine.states import TaskStatus

BUTTONS: Final = {"success": "button-primary", "danger": "button-danger", "warning": "button", "default": "button"}
SHOWN: Final = 100
"""Tasks in one list; who has more open than this needs another tool."""
ANSWERS_OFFERED: Final = 4
PEOPLE_OFFERED: Final = 200


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


def common_answers(tasks: Sequence[InboxTask]) -> Sequence[Answer]:
    """The answers that at least two of the tasks offer, in the order of the tasks: they can be given to several at once."""
    found: dict[str, Answer] = {}
    counts: Counter[str] = Counter()
    for each in tasks:
        for answer in answers(each) if each.task_type == "approval" else ():
            found.setdefault(answer.value, answer)
            counts[answer.value] += 1
    return [answer for value, answer in found.items() if counts[value] > 1][:ANSWERS_OFFERED]


def colleagues(task: InboxTask) -> list[tuple[str, str]]:
    """Who it can be given to: (user name, full name) of everybody who may sign in and is not asked already, by name."""
    asked = InboxTask.objects.filter(instance=task.instance_id, visit_seq=task.visit_seq)
    taken = {path.removeprefix(USERS) for path in asked.values_list("assignee", flat=True)}
    people = User.objects.filter(is_active=True).exclude(username__in=taken)
    found = people.only("username", "first_name", "last_name").order_by("first_name", "last_name", "username")
    return [(each.get_username(), name_of(each)) for each in found[:PEOPLE_OFFERED]]


def form(task: InboxTask, sent: Any = ABSENT, problems: Problems | None = None) -> Part | None:
    """The form of an input task, ``None`` for the other kinds."""
    return form_for(task.input_schema, sent, problems, name="response") if task.task_type == "input" else None


def facts(task: InboxTask) -> list[tuple[str, Any, bool]]:
    """What the flow tells about the matter: (word, value, whether the value is a list or an object)."""
    data = task.data if isinstance(task.data, dict) else {} if task.data is None else {"data": task.data}
    return [(key.replace("_", " ").capitalize(), value, isinstance(value, list | dict)) for key, value in data.items()]
