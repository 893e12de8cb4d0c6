"""Runs as rows of a list: the same few queries, however many rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from designer.drawings import drawings_of
from designer.people import name_of, names_of
from designer.presenters import facts, stories
from engine.models import Instance
from engine.states import TERMINAL, WaitKind

COLUMNS_LEFT_OUT = ("input", "output", "not_run", "test_config")
"""Large values that no row shows."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: ``why`` says what it waits for or why it failed, ``by`` who or what started it."""

    run: Instance
    by: str
    why: str
    seconds: timedelta | None
    is_overdue: bool


def run_rows(runs: Sequence[Instance]) -> list[RunRow]:
    """Rows for runs that were read with their flow, version and starter."""
    drawings = drawings_of(run.version for run in runs)
    tasks = facts.open_tasks(runs)
    inputs = facts.inputs(runs, drawings)
    names = names_of(task.assignee for task in tasks.values())
    now = timezone.now()
    rows = []
    for run in runs:
        task = tasks.get(run.pk)
        place = facts.place_of(run)
        drawing = drawings[run.version_id]
        step = drawing.steps.get(place)
        known = stories.Known(
            step=drawing.label(place, inputs.get(run.pk)) if place else "",
            error=facts.failure_of(run),
            task=task.title if task else "",
            assignee=names[task.assignee] if task else "",
            event_type=str(step.settings.get("event_type", "")) if step else "",
        )
        overdue = run.wait_kind == WaitKind.HUMAN_TASK and run.wait_due is not None and run.wait_due < now
        rows.append(RunRow(run, started_by(run), stories.in_short(run, known), lasted(run), overdue))
    return rows


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
