"""A run on the diagram of its flow: how each step fares, which ways were gone, and how it got there, event by event.

Of a loop one turn is shown, of a fan-out one branch (:mod:`designer.presenters.scenes`); what can be chosen instead is told.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial, reduce
from operator import or_
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone

from designer.presenters.diagram import mark
from designer.presenters.rounds import choose_rounds
from designer.presenters.scenes import Choice, Picks, Scene, position_of, scenes_of
from designer.presenters.visits import status_of
from designer.presenters.ways import Way, ways
from engine.models import Compensation, Event, Instance, Visit
from engine.states import TERMINAL, CompensationState, WaitKind
from flows.graph import Graph
from flows.versions import graph_of

REPLAYED: Final = 2_000
"""Events that are sent for a replay; of longer runs these last ones."""
SEQS_REPLAYED: Final = 5_000
"""Visits whose events are looked for."""
MOST_PICKS: Final = 100
BEHIND_ALL: Final = 2**62
"""Stands for the number of a visit behind all others."""
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


@dataclass(frozen=True, slots=True)
class RunDiagram:
    """What is shown of a run. ``marks`` are by step: its look, the ``seq`` and ``run`` of its visit; where it waits, ``due`` is
    the moment it waits for, and ``retry`` which try again of how many comes or is made. ``ways`` say how often each way was gone.
    """

    now: datetime
    marks: Mapping[str, Mapping[str, Any]]
    ways: Mapping[str, int]
    choices: Mapping[str, Choice]
    replay: Sequence[Mapping[str, Any]]

    @property
    def state(self) -> dict[str, Any]:
        """What a page keeps up to date, as plain JSON."""
        choices = {node: {**asdict(each), "look": mark(each.status)} for node, each in self.choices.items()}
        return {"now": self.now.isoformat(), "marks": self.marks, "ways": self.ways, "choices": choices}


def picks_of(query: QueryDict) -> Picks:
    """What somebody wants to see: each ``pick`` is ``CONTAINER:NUMBER``, from 1, for the flow ``:NUMBER``; anything else is left
    out."""
    found = {}
    for each in query.getlist("pick")[:MOST_PICKS]:
        node, colon, number = each.rpartition(":")
        if colon and number.isascii() and number.isdigit() and len(number) < 10:
            found[node] = int(number)
    return found


def run_diagram(run: Instance, picks: Picks | None = None) -> RunDiagram:
    """A run as it stands. The number of queries follows how deep loops and fan-outs lie in each other, nothing else."""
    graph = graph_of(run.version_id)
    scenes, choices = scenes_of(run, graph, picks or {}, partial(choose_rounds, graph))
    gone = [(scene, _ways_of(scene, graph)) for scene in scenes]
    passes: Counter[str] = Counter(way.name for _, each in gone for way in each)
    for scene in scenes:
        passes.update({f"{loop}:back": count for loop, (count, _) in scene.turns_back.items() if count})
    return RunDiagram(
        now=timezone.now(),
        marks=_marks(run, scenes, graph),
        ways=passes,
        choices=choices,
        replay=_replay(gone) if run.status in TERMINAL else [],
    )


def _ways_of(scene: Scene, graph: Graph) -> list[Way]:
    return ways(graph, scene.passed, around=scene.around, is_left=scene.is_left)


# --- how each step fares ---------------------------------------------------------------------------------------------------


def _marks(run: Instance, scenes: Sequence[Scene], graph: Graph) -> dict[str, dict[str, Any]]:
    undone = _undone(scenes)
    made: dict[str, dict[str, Any]] = {node: mark("not_run") for node in _not_run(run, scenes)}
    for scene in scenes:
        for node, visit in scene.newest.items():
            is_undone = (scene.run.pk, visit.seq) in undone
            status = "done" if is_undone else _status(visit, scene.run)
            own = {} if scene.run.pk == run.pk else {"run": str(scene.run.pk)}
            made[node] = {**mark(status), "seq": visit.seq, **own, **_wait(visit, scene.run, graph)}
    return made


def _not_run(run: Instance, scenes: Sequence[Scene]) -> Iterator[str]:
    yield from run.not_run or ()
    for scene in scenes:
        yield from scene.missed


def _status(visit: Visit, run: Instance) -> str:
    """As :func:`status_of`; while a step waits for its next try it is that step that does, what lies around it runs."""
    if visit.outcome or run.wait_kind != WaitKind.RETRY or run.status in TERMINAL:
        return status_of(visit, run)
    leaf = position_of(run).leaf
    return "retrying" if leaf is not None and leaf.seq == visit.seq else "running"


def _wait(visit: Visit, run: Instance, graph: Graph) -> dict[str, Any]:
    """Of the visit at which its run stands: until when it waits, and the number of its try again."""
    leaf = None if visit.outcome or run.status in TERMINAL else position_of(run).leaf
    if leaf is None or leaf.seq != visit.seq:
        return {}
    due = run.wait_due if run.wait_kind and leaf.rests else None
    most = graph.nodes[leaf.node].policy.retry.max_retries
    retry = leaf.attempt - leaf.done - (0 if leaf.rests == WaitKind.RETRY else 1)
    told: dict[str, Any] = {"due": due.isoformat()} if due else {}
    return {**told, "retry": [retry, most]} if 0 < retry <= most else told


def _undone(scenes: Sequence[Scene]) -> set[tuple[UUID, int]]:
    """The shown visits of which the effect was taken back."""
    where = _of_visits({(scene.run.pk, each.seq) for scene in scenes for each in scene.newest.values()})
    done = Compensation.objects.filter(where, state=CompensationState.DONE).order_by()
    return set(done.values_list("instance_id", "visit_seq"))


def _of_visits(places: Iterable[tuple[UUID, int]]) -> Q:
    by_run = defaultdict(list)
    for run, seq in places:
        by_run[run].append(seq)
    return reduce(or_, (Q(instance=run, visit_seq__in=seqs) for run, seqs in by_run.items()), Q(pk__in=()))


# --- how it got there ------------------------------------------------------------------------------------------------------


def _replay(gone: Sequence[tuple[Scene, Sequence[Way]]]) -> list[dict[str, Any]]:
    """The events of what is shown that change how it looks, in their order: ``{at, node, mark, ways}``.

    A way is told with the event of the visit that it led to; the ways at an end with the last event of all in that place.
    """
    places = [(scene.run.pk, each.seq) for scene, _ in gone for each in scene.visits][-SEQS_REPLAYED:]
    found = Event.objects.filter(_of_visits(places), type__in=AFTER_EVENT).exclude(node_id="")
    newest = found.order_by("-at", "-number").values_list("instance_id", "visit_seq", "type", "node_id", "at")
    rows = list(newest[:REPLAYED])[::-1]
    told: list[dict[str, Any]] = [
        {"at": at.isoformat(), "node": node, "mark": mark(AFTER_EVENT[kind]), "ways": {}}
        for _, _, kind, node, at in rows
    ]
    for scene, taken in gone:
        own = {each.seq for each in scene.visits}
        firsts: dict[int, int] = {}
        for place, (run, seq, *_) in enumerate(rows):
            if run == scene.run.pk and seq in own:
                firsts.setdefault(seq, place)
                firsts[BEHIND_ALL] = place
        for way in taken:
            _tell(told, firsts, BEHIND_ALL if way.at_end else way.seq, way.name, 1)
        for loop, (count, behind) in scene.turns_back.items():
            _tell(told, firsts, behind, f"{loop}:back", count)
    return told


def _tell(told: Sequence[dict[str, Any]], firsts: Mapping[int, int], seq: int, name: str, count: int) -> None:
    """Put a way to the first event of the visit ``seq`` or, where that has none, of the next one that has."""
    known = sorted(firsts)
    if known and count:
        passes = told[firsts[known[bisect_left(known, seq)]]]["ways"]
        passes[name] = passes.get(name, 0) + count
