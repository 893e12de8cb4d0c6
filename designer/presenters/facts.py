"""What stories and rows need to know beyond a run's own row, read for many runs at once.

Each function is one query, or none where no run needs it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from designer.drawings import Drawing
from engine.machine import position as positions
from engine.models import Event, InboxTask, Instance
from engine.states import ACTIVE, TERMINAL, Phase, TaskStatus, WaitKind


def open_tasks(runs: Iterable[Instance]) -> dict[UUID, list[InboxTask]]:
    """The tasks each of these runs waits for, by the run's id: one, or one for each member of a group."""
    waiting = [run.pk for run in runs if run.wait_kind == WaitKind.HUMAN_TASK]
    if not waiting:
        return {}
    found = InboxTask.objects.filter(instance__in=waiting, status=TaskStatus.PENDING).order_by("id")
    tasks: defaultdict[UUID, list[InboxTask]] = defaultdict(list)
    for task in found.only("instance_id", "title", "assignee", "assignment_group", "due_at", "is_test"):
        tasks[task.instance_id].append(task)
    return tasks


def asked(tasks: Sequence[InboxTask]) -> str:
    """The path of whoever is asked: a group, or one person; empty for no task."""
    return (tasks[0].assignment_group or tasks[0].assignee) if tasks else ""


def branch_name(run: Instance, drawing: Drawing) -> str:
    """What a branch of a parallel is called, after its step or the number of its item; empty for a run that is none."""
    if not run.branch_id:
        return ""
    if run.branch_id in drawing.steps:
        return drawing.label(run.branch_id)
    return f"{drawing.label(run.branch_id.rpartition('-')[0])} {(run.branch or 0) + 1}"


def inputs(runs: Iterable[Instance], drawings: Mapping[int, Drawing]) -> dict[UUID, Any]:
    """The inputs of those runs whose place has a name with something to fill in."""
    wanted = [run.pk for run in runs if drawings[run.version_id].reads_input(place_of(run))]
    if not wanted:
        return {}
    return dict(Instance.objects.filter(pk__in=wanted).order_by().values_list("pk", "input"))


def step_names(run: UUID, seqs: Sequence[int]) -> dict[int, str]:
    """How these visits' steps were called when they began, by the visit's ``seq``. Containers have no such name."""
    if not seqs:
        return {}
    begun = Event.objects.filter(instance=run, visit_seq__in=seqs, type="step_started").order_by()
    found = begun.values_list("visit_seq", "data")
    return {seq: str(data.get("step_name") or "") for seq, data in found if seq is not None}


def place_of(run: Instance) -> str:
    """The id of the step where a run stands, or where it failed."""
    error = failure_of(run)
    return str((error or {}).get("step_id") or run.node_id)


def failure_of(run: Instance) -> Mapping[str, Any] | None:
    """The error that ended a run, or for which it is being rolled back right now."""
    if run.status in TERMINAL:
        error: Mapping[str, Any] | None = run.error
        return error
    if run.status in ACTIVE and run.phase == Phase.ROLLING_BACK:
        ending = positions.from_json(run.position).ending
        return (ending or {}).get("error")
    return None
