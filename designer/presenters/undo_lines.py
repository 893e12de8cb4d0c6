"""A run's registered compensations, newest first: the order in which they run."""

from collections.abc import Sequence
from dataclasses import dataclass

from designer.drawings import Drawing
from designer.presenters import facts
from engine.models import Compensation, Instance
from engine.states import CompensationState
from flows.models import LibraryFunction


@dataclass(frozen=True, slots=True)
class UndoLine:
    """One compensation: the step it undoes and what it is called, a function or a whole child run."""

    row: Compensation
    step: str
    function: str


def undo_lines(run: Instance, drawing: Drawing) -> list[UndoLine]:
    """Three queries, none but the first where nothing is registered."""
    rows = list(Compensation.objects.filter(instance=run).order_by("-position"))
    if not rows:
        return []
    names = facts.step_names(run.pk, [row.visit_seq for row in rows])
    paths = {row.path for row in rows if row.path}
    titles = dict(LibraryFunction.objects.filter(path__in=paths).values_list("path", "title"))
    return [
        UndoLine(
            row, names.get(row.visit_seq) or drawing.label(row.node_id, run.input), titles.get(row.path) or row.path
        )
        for row in rows
    ]


def steps_by_fate(lines: Sequence[UndoLine]) -> tuple[list[str], list[str], list[str]]:
    """The steps that were undone, that could not be, and that were not touched."""
    gone = (CompensationState.DONE, CompensationState.ABSENT)
    undone = [line.step for line in lines if line.row.state in gone]
    failed = [line.step for line in lines if line.row.state == CompensationState.FAILED]
    untouched = [
        line.step for line in lines if line.row.state in (CompensationState.REGISTERED, CompensationState.RUNNING)
    ]
    return undone, failed, untouched
