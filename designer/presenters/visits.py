"""A run's visits as lines of its page, and what is one click below them: attempts, inputs, outputs, errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from designer import kind_words
from designer.drawings import Drawing
from designer.people import names_of
from designer.presenters import facts
from engine.models import Attempt, Compensation, Event, InboxTask, Instance, Undo, Visit
from engine.states import ACTIVE, CompensationState, Outcome, Status, WaitKind

PAGE = 100
"""Visits shown at once; a run may have thousands."""
CHILDREN_SHOWN = 50
RESTS_SHOWN = 100
DEEPEST = 5
"""Lines are not indented further."""


@dataclass(frozen=True, slots=True)
class VisitLine:
    """One visit: ``status`` as :func:`designer.words.look_of` knows it, ``why`` the reason of a failure.

    ``went_on`` says that the flow dealt with the failure, ``undone`` where its compensation stands once that has begun.
    ``stamp`` changes whenever what lies below may have.
    """

    visit: Visit
    name: str
    look: kind_words.KindLook
    depth: int
    is_container: bool
    status: str
    why: str
    went_on: bool
    undone: str
    length: timedelta
    stamp: str


@dataclass(frozen=True, slots=True)
class VisitPage:
    """Some of a run's visits in order; ``earlier`` and ``later`` are the ``seq`` to ask for, ``None`` at either end."""

    lines: list[VisitLine]
    earlier: int | None
    later: int | None
    not_run: list[str]


def visit_page(
    run: Instance, drawing: Drawing, undo: Sequence[Compensation] = (), *, before: int | None = None
) -> VisitPage:
    """The visits up to ``before`` (exclusive), by default the newest. Two queries."""
    visits = Visit.objects.filter(instance=run).defer("output").order_by("-seq")
    if before is not None:
        visits = visits.filter(seq__lt=before)
    found = list(visits[: PAGE + 1])
    shown = found[:PAGE][::-1]
    names = facts.step_names(run.pk, [visit.seq for visit in shown])
    base = min((drawing.depth(visit.node_id) for visit in shown), default=0)
    fates = {row.visit_seq: row.state for row in undo if row.state != CompensationState.REGISTERED}
    lines = [
        line_of(each, run, drawing, names.get(each.seq, ""), undone=fates.get(each.seq, ""), base=base)
        for each in shown
    ]
    last = int((run.position or {}).get("last_seq", 0))
    newest = shown[-1].seq if shown else 0
    return VisitPage(
        lines,
        earlier=shown[0].seq if len(found) > PAGE else None,
        later=min(newest + PAGE + 1, last + 1) if shown and newest < last and before is not None else None,
        not_run=[drawing.label(each, run.input) for each in run.not_run or []],
    )


def line_of(visit: Visit, run: Instance, drawing: Drawing, name: str, *, undone: str = "", base: int = 0) -> VisitLine:
    """One visit as a line; ``name`` as its start recorded it, empty for a container. ``base`` is the depth of the outermost."""
    step = drawing.steps.get(visit.node_id)
    error: Mapping[str, Any] = visit.error or {}
    status = status_of(visit, run)
    return VisitLine(
        visit=visit,
        name=name or drawing.label(visit.node_id, run.input),
        look=kind_words.look_of(visit.kind),
        depth=min(drawing.depth(visit.node_id) - base, DEEPEST),
        is_container=bool(step and step.is_container),
        status=status,
        why=_reason(visit, status),
        went_on=error.get("continued") is True,
        undone=undone,
        length=(visit.ended_at or _end_of(run)) - visit.started_at,
        stamp=f"{visit.outcome or status}-{visit.attempts}-{run.event_count if not visit.outcome else 0}",
    )


def _reason(visit: Visit, status: str) -> str:
    """Why it failed; a container whose step failed leaves the word to that step."""
    error: Mapping[str, Any] = visit.error or {}
    is_own = error.get("step_id") in (None, visit.node_id)
    return str(error.get("message") or "") if is_own and status != "cancelled" else ""


def status_of(visit: Visit, run: Instance) -> str:
    """Where a visit stands. One that is open shares its run's state; one that a cancellation closed did not fail."""
    if not visit.outcome:
        return str(run.status) if run.status in (Status.WAITING, Status.HELD) else _open(run)
    if visit.outcome == Outcome.FAILED:
        kind = (visit.error or {}).get("error_type")
        return {"cancelled": "cancelled", "timeout": "timed_out"}.get(str(kind), "failed")
    return str(visit.outcome)


def _open(run: Instance) -> str:
    return "running" if run.status in ACTIVE else "not_run"


def _end_of(run: Instance) -> datetime:
    return run.ended_at or timezone.now()


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """One try. ``status`` as :func:`designer.words.look_of` knows it; ``length`` is ``None`` while it is out."""

    row: Attempt
    status: str
    length: timedelta | None
    message: str
    code: str


@dataclass(frozen=True, slots=True)
class Wait:
    """One rest of a visit: what it waited for, since when, until when (``None``: still), and who ended it early."""

    words: str
    since: datetime
    until: datetime | None
    by: str


@dataclass(frozen=True, slots=True)
class VisitDetail:
    """All there is to one visit. ``call`` is its newest attempt that called something, ``None`` where nothing is called.

    ``same_arguments`` says that every attempt was given what ``call`` was given.
    """

    line: VisitLine
    calls: str
    attempts: list[AttemptLine]
    call: Attempt | None
    same_arguments: bool
    tasks: list[InboxTask]
    people: Mapping[str, str]
    children: list[Instance]
    waits: list[Wait]
    undos: list[Undo]


def visit_detail(run: Instance, visit: Visit, drawing: Drawing) -> VisitDetail:
    """A handful of queries: the name, the attempts, the tasks with their people, the child runs of the visit, its waits, and
    what took it back for a redo."""
    name = facts.step_names(run.pk, [visit.seq]).get(visit.seq, "")
    attempts = list(Attempt.objects.filter(instance=run, visit_seq=visit.seq))
    called = [attempt for attempt in attempts if attempt.path]
    tasks = list(InboxTask.objects.filter(instance=run, visit_seq=visit.seq).order_by("id"))
    children = Instance.objects.filter(parent=run, parent_visit=visit.seq).select_related("flow")
    step = drawing.steps.get(visit.node_id)
    rests = Event.objects.filter(instance=run, visit_seq=visit.seq, type__in=("flow_waiting", "flow_resumed"))
    events = list(rests.order_by("number")[:RESTS_SHOWN])
    told = [path for task in tasks for path in (task.assignee, task.completed_by)]
    people = names_of([*told, *(str(event.data.get("by") or "") for event in events)])
    return VisitDetail(
        line=line_of(visit, run, drawing, name),
        calls=step.calls if step else "",
        attempts=[_attempt(each, run) for each in attempts],
        call=called[-1] if called else None,
        same_arguments=all(each.arguments == called[-1].arguments for each in called),
        tasks=tasks,
        people=people,
        children=list(children.defer("input", "output", "flow__draft").order_by("id")[:CHILDREN_SHOWN]),
        waits=list(_waits(events, people)),
        undos=list(Undo.objects.filter(owner=run.pk, visit_seq=visit.seq).order_by("place")),
    )


def _waits(events: Sequence[Event], people: Mapping[str, str]) -> Iterator[Wait]:
    """Each rest with what ended it; rests of one visit follow each other."""
    for place, event in enumerate(events):
        if event.type != "flow_waiting":
            continue
        then = events[place + 1] if place + 1 < len(events) else None
        by = str(then.data.get("by") or "") if then else ""
        kind = str(event.data.get("wait_type") or "")
        words = str(WaitKind(kind).label) if kind in WaitKind.values else kind
        yield Wait(words, event.at, then.at if then else None, people.get(by, "") if by else "")


def _attempt(row: Attempt, run: Instance) -> AttemptLine:
    error: Mapping[str, Any] = row.error or {}
    return AttemptLine(
        row=row,
        status=row.result or _open(run),
        length=row.ended_at - row.started_at if row.ended_at else None,
        message=str(error.get("message") or ""),
        code=str(error.get("code") or ""),
    )
