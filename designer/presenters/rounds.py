"""Rounds of a redo on the diagram: what a group or the flow looked like before it was done again.

A round ends with the failure for which a ``recovery`` redid the scope; the last one goes on. Shown are the rounds of the flow
and of ``and`` and ``or`` containers; a loop and a parallel have turns and branches to choose instead.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from designer.presenters.scenes import Choice, Picks, Scene, light, position_of
from engine.models import Event, Visit
from engine.states import TERMINAL
from flows import kinds
from flows.graph import Graph

FLOW: Final = ""
"""Stands for the flow where else the id of a container stands."""
DECISIONS_READ: Final = 500
ROUNDS_TOLD: Final = 50


def choose_rounds(graph: Graph, scenes: Sequence[Scene], picks: Picks, choices: dict[str, Choice]) -> None:
    """Let the scenes show the rounds that were picked, and tell which there are. One query where a run did something again, one
    more where an earlier round was picked."""
    again = {scene.run.pk for scene in scenes if position_of(scene.run).repeats}
    if not again:
        return
    rounds = _rounds(again)
    wanted = []
    for scene, node, visit in _scopes(scenes):
        last = rounds.get((scene.run.pk, visit.seq if visit else None), 0)
        if not last:
            continue
        at = min(picks.get(node) or last + 1, last + 1)
        status = "failed" if at <= last else str(visit.outcome or "running") if visit else str(scene.run.status)
        failed = tuple(range(1, last + 1))[:ROUNDS_TOLD]
        is_open = scene.run.status not in TERMINAL
        choices[node] = Choice("round", at, last + 1, last + 1, status, failed, is_open)
        if at <= last:
            first, end = (visit.seq + 1, _end_of(scene, visit, graph)) if visit else (1, scene.last)
            wanted.append((scene, at, first, end))
    if wanted:
        _go_back(wanted)


def _scopes(scenes: Sequence[Scene]) -> Iterator[tuple[Scene, str, Visit | None]]:
    """What may have been done again: the flow, and the groups in it by their newest visits."""
    for scene in scenes:
        if scene.around is None:
            yield scene, FLOW, None
        groups = [each for each in scene.visits if each.kind in (kinds.AND, kinds.OR)]
        yield from ((scene, node, visit) for node, visit in {each.node_id: each for each in groups}.items())


def _end_of(scene: Scene, visit: Visit, graph: Graph) -> int:
    """The number of the last visit that may lie inside the group."""
    group = graph.find(visit.node_id)
    inside = {graph.nodes[each].id for each in graph.inside(group.index)} if group else set()
    return next(
        (each.seq - 1 for each in scene.visits if each.seq > visit.seq and each.node_id not in inside), scene.last
    )


def _rounds(runs: set[UUID]) -> dict[tuple[UUID, int | None], int]:
    """How often each visit of a scope was done again; ``None`` stands for the run itself."""
    decided = Event.objects.filter(instance__in=runs, type="recovery_decided").order_by("-at")
    found: defaultdict[tuple[UUID, int | None], int] = defaultdict(int)
    for run, seq, data in decided.values_list("instance_id", "visit_seq", "data")[:DECISIONS_READ]:
        if data.get("decision") == "redo":
            found[run, seq] = max(found[run, seq], int(data["round"]))
    return found


def _go_back(wanted: Sequence[tuple[Scene, int, int, int]]) -> None:
    """Put in the place of what began later in a scope what was there when its round ended."""
    where = reduce(
        or_,
        (
            Q(instance=scene.run.pk, iterations=scene.turn, seq__gte=first, seq__lte=end, replaced__gte=at)
            for scene, at, first, end in wanted
        ),
    )
    rows: list[Any] = list(light(where).order_by("seq")[:DECISIONS_READ])
    for scene, at, first, end in wanted:
        own = [each for each in rows if each.instance_id == scene.run.pk and first <= each.seq <= end]
        cut = max((each.seq for each in own if each.replaced == at), default=0)
        stays = [each for each in scene.visits if not first <= each.seq <= end or each.seq <= cut]
        scene.visits = sorted([*stays, *(each for each in own if each.seq <= cut)], key=lambda each: each.seq)
