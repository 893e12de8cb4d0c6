"""A run on the diagram of its flow: how each step fares now, and how it got there, event by event.

A branch of a parallel is a run of its own; a step inside shows the state of the branch that needs most attention.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Max

from designer.presenters.diagram import mark
from designer.presenters.visits import status_of
from engine.models import Compensation, Event, Instance, Visit
from engine.states import TERMINAL, CompensationState

REPLAYED: Final = 2_000
"""Events that are sent for a replay; of longer runs these last ones."""
NEEDS_MOST: Final = ("failed", "timed_out", "held", "waiting", "running", "succeeded", "skipped", "not_run")
"""Of several branches in one step, the state that is shown: the first of these."""
AFTER_EVENT: Final[Mapping[str, str]] = {
    "step_started": "running",
    "step_completed": "succeeded",
    "step_failed": "failed",
    "step_skipped": "skipped",
    "flow_waiting": "waiting",
    "flow_resumed": "running",
    "flow_held": "held",
    "compensation_completed": "done",
}
"""The state of a step after an event about it."""


def marks(run: Instance) -> dict[str, dict[str, Any]]:
    """By step: its mark, and ``seq`` of its newest visit in this run. Four queries, however long the run is."""
    runs = {each.pk: each for each in [run, *_branches(run)]}
    states: dict[str, str] = dict.fromkeys(run.not_run or (), "not_run")
    seqs: dict[str, int] = {}
    for visit in _newest(runs.values()):
        states[visit.node_id] = _worse(states.get(visit.node_id), status_of(visit, runs[visit.instance_id]))
        if visit.instance_id == run.pk:
            seqs[visit.node_id] = visit.seq
    undone = Compensation.objects.filter(instance__in=runs, state=CompensationState.DONE)
    states |= dict.fromkeys(undone.values_list("node_id", flat=True), "done")
    return {node: {**mark(state), "seq": seqs.get(node)} for node, state in states.items()}


def replay(run: Instance) -> list[dict[str, Any]]:
    """The events of an ended run that change how a step looks: ``{at, node, mark}`` in their order."""
    if run.status not in TERMINAL:
        return []
    events = Event.objects.filter(instance=run, type__in=AFTER_EVENT).exclude(node_id="").order_by("-number")
    rows = list(events.values_list("type", "node_id", "at")[:REPLAYED])[::-1]
    return [{"at": at.isoformat(), "node": node, "mark": mark(AFTER_EVENT[kind])} for kind, node, at in rows]


def _branches(run: Instance) -> Iterable[Instance]:
    """Its branches, at any depth: child runs of the same version. Of a fan-out the newest few hundred say enough."""
    family = Instance.objects.filter(root=run.root_id or run.pk, version=run.version_id).exclude(branch_id="")
    return family.only("pk", "status", "phase", "ended_at").order_by("-pk")[:500]


def _newest(runs: Iterable[Instance]) -> list[Visit]:
    """The newest visit of each step in each run."""
    newest = Visit.objects.filter(instance__in=list(runs)).values("instance", "node_id").annotate(seq=Max("seq"))
    places = {(row["instance"], row["seq"]) for row in newest}
    found = Visit.objects.filter(instance__in={run for run, _ in places}, seq__in={seq for _, seq in places})
    light = found.only("instance_id", "seq", "node_id", "outcome", "error", "kind", "ended_at")
    return [each for each in light if (each.instance_id, each.seq) in places]


def _worse(first: str | None, second: str) -> str:
    if first is None or first not in NEEDS_MOST or second not in NEEDS_MOST:
        return second
    return min(first, second, key=NEEDS_MOST.index)
