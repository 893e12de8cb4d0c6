"""Runs as rows of a list: the same few queries, however many rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from json import JSONDecoder
from typing import Any, Final

from django.db.models import QuerySet, TextField
from django.db.models.functions import Substr
from django.utils import timezone
from django.utils.translation import gettext

from designer.drawings import drawings_of
from designer.people import name_of, names_of
from designer.presenters import facts, stories
from engine.models import Instance
from engine.states import TERMINAL, WaitKind

GIST_READ: Final = 400
GIST_VALUES: Final = 3
GIST_LENGTH: Final = 40
_HEAVY: Final = (
    *("input", "output", "not_run", "test_config", "flow__draft", "flow__description"),
    *("version__source", "version__definition", "version__graph", "version__note"),
)
"""Large values that no row shows."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: ``why`` says what it waits for or why it failed, ``by`` who or what started it, ``gist`` what it is about."""

    run: Instance
    gist: str
    by: str
    why: str
    seconds: timedelta | None
    is_overdue: bool


def run_rows(runs: Sequence[Instance]) -> list[RunRow]:
    """Rows for runs that were read with their flow, version and starter."""
    drawings = drawings_of(run.version for run in runs)
    tasks = facts.open_tasks(runs)
    inputs = facts.inputs(runs, drawings)
    names = names_of(facts.asked(each) for each in tasks.values())
    now = timezone.now()
    rows = []
    for run in runs:
        asked = tasks.get(run.pk, [])
        place = facts.place_of(run)
        drawing = drawings[run.version_id]
        step = drawing.steps.get(place)
        known = stories.Known(
            step=drawing.label(place, inputs.get(run.pk)) if place else "",
            error=facts.failure_of(run),
            kind=step.kind if step else "",
            task=asked[0].title if asked else "",
            assignee=names.get(facts.asked(asked), ""),
            event_type=str(step.settings.get("event_type", "")) if step else "",
        )
        overdue = run.wait_kind == WaitKind.HUMAN_TASK and run.wait_due is not None and run.wait_due < now
        gist = facts.branch_name(run, drawing) or gist_of(getattr(run, "input_begins", ""))
        rows.append(RunRow(run, gist, started_by(run), stories.in_short(run, known), lasted(run), overdue))
    return rows


def light(runs: QuerySet[Instance]) -> QuerySet[Instance]:
    """Runs with what a row needs of their flow, version and starter, and without what is large."""
    return runs.select_related("flow", "version", "started_by").defer(*_HEAVY)


def with_gist(runs: QuerySet[Instance]) -> QuerySet[Instance]:
    """The runs with the beginning of their input, which is enough to tell one row from the next."""
    return runs.annotate(input_begins=Substr("input", 1, GIST_READ, output_field=TextField()))


def gist_of(begins: str) -> str:
    """The first plain values of an input: ``A-7 · tim · 120``. ``begins`` is JSON that may break off anywhere."""
    values: list[str] = []
    decoder, place = JSONDecoder(), 1
    try:
        while begins.startswith("{") and len(values) < GIST_VALUES:
            _, place = decoder.raw_decode(begins, place)
            value, place = decoder.raw_decode(begins, place + 1)
            place += 1
            if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
                values.append(str(value)[:GIST_LENGTH])
    except ValueError:
        pass
    return " · ".join(values)


def started_by(run: Instance) -> str:
    """Who or what started a run, as its trigger and its starter tell."""
    if run.started_by is not None:
        return name_of(run.started_by)
    trigger: Any = run.trigger or {}
    named = trigger.get("name") or trigger.get("actor") or ""
    return str(named).rsplit("/", 1)[-1] or gettext("The system")


def lasted(run: Instance) -> timedelta | None:
    """From its start to its end, or until now; ``None`` before it began."""
    if run.started_at is None:
        return None
    until = run.ended_at if run.status in TERMINAL and run.ended_at else timezone.now()
    return until - run.started_at
