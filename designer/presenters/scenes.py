"""What of a run its diagram shows: of each loop one turn, of each fan-out one branch, and all that lies outside of them.

A scene is what began in one place: in one run, within one and the same turn of the loops around it. Scenes are read level by
level, so that the number of queries follows how deep containers lie in each other and never how often anything ran; of a place
where more began than :data:`READ` visits, the newest are read.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, F, Max, Q, Value, When

from designer.presenters.visits import status_of
from designer.presenters.ways import Passed
from engine.machine import position as positions
from engine.machine.position import Position
from engine.models import Instance, Visit
from engine.states import ACTIVE, TERMINAL, Outcome, Status
from flows import kinds
from flows.fields import RecordedJSONField
from flows.graph import Graph, Node

READ: Final = 2_000
"""Visits that are read for one level."""
FAILED_TOLD: Final = 50
"""Turns and branches that failed of which the numbers are told."""
BRANCHES_READ: Final = 2_000
DEEPEST: Final = 8
"""Levels that are read: loops and fan-outs in each other."""

LIGHT: Final = ("seq", "node_id", "kind", "outcome", "error", "attempts", "ended_at", "not_run", "replaced")
OF_RUN: Final = (
    *("pk", "parent_id", "parent_visit", "branch", "status", "phase", "position", "not_run", "ended_at"),
    *("wait_kind", "wait_due", "version_id"),
)

Picks = Mapping[str, int]
"""By the id of a container: the number of the turn or branch that somebody wants to see, from 1."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be chosen at a container: ``at`` of ``count`` is shown, both from 1.

    ``of`` is how many there will be, where that is known; ``failed`` are the numbers of the first that failed. ``is_open`` says
    that the newest is what is shown unasked, and that another may come.
    """

    kind: str
    at: int
    count: int
    of: int
    status: str
    failed: tuple[int, ...] = ()
    is_open: bool = False


@dataclass
class Scene:
    """One place: the ``run``, the turn as its visits name it (``turn``), and the numbers its visits lie between.

    ``around`` is the loop or parallel whose inside it is, ``missed`` what did not run in this turn.
    """

    run: Instance
    around: str | None = None
    turn: str = ""
    first: int = 1
    last: int = 0
    is_left: bool = False
    missed: Sequence[str] = ()
    turns_back: dict[str, tuple[int, int]] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)

    @property
    def where(self) -> Q:
        return Q(instance=self.run.pk, iterations=self.turn, seq__gte=self.first, seq__lte=self.last, replaced=None)

    @property
    def passed(self) -> list[Passed]:
        return [Passed(each.seq, each.node_id, each.outcome, _arm(each), each.error) for each in self.visits]

    @cached_property
    def newest(self) -> dict[str, Visit]:
        """The newest visit of each step."""
        return {each.node_id: each for each in self.visits}

    def end_of(self, visit: Visit) -> int:
        """The number of the last visit that may lie inside ``visit``."""
        return next((each.seq - 1 for each in self.visits if each.seq > visit.seq), self.last)


def _arm(visit: Visit) -> str:
    found = visit.arm  # type: ignore[attr-defined]
    return str(found.get("branch_taken") or "") if isinstance(found, Mapping) else ""


def position_of(run: Instance) -> Position:
    """Where the run stands; a run that has not begun stands nowhere."""
    return positions.from_json(run.position or {})


def scenes_of(
    run: Instance, graph: Graph, picks: Picks, look_back: Callable[[Sequence[Scene], Picks, dict[str, Choice]], None]
) -> tuple[list[Scene], dict[str, Choice]]:
    """The scenes to show, outer ones first, and by container what else could be chosen. ``look_back`` may let a level that was
    read show what was there earlier."""
    position = position_of(run)
    scope = None if position.scope is None else graph.nodes[position.scope].id
    level = [Scene(run, around=scope, last=position.last_seq, is_left=run.status == Status.COMPLETED)]
    nodes = {node.id: node for node in graph.nodes}
    found: list[Scene] = []
    choices: dict[str, Choice] = {}
    for _ in range(DEEPEST):
        _read(level)
        look_back(level, picks, choices)
        found += level
        level = [*_turns(level, nodes, picks, choices), *_branches(level, nodes, picks, choices)]
        if not level:
            break
    return found, choices


def _read(level: Sequence[Scene]) -> None:
    """Read the visits of these scenes: one query, and two more where there are too many of them."""
    rows = light(reduce(or_, (scene.where for scene in level)))
    found = list(rows.order_by("-seq")[:READ])
    if len(found) == READ:
        found = list({(each.instance_id, each.seq): each for each in [*found, *_newest(level)]}.values())
    by_place = defaultdict(list)
    for visit in sorted(found, key=lambda each: each.seq):
        by_place[visit.instance_id, visit.iterations].append(visit)
    for scene in level:
        rows_here = by_place[scene.run.pk, scene.turn]
        scene.visits = [each for each in rows_here if scene.first <= each.seq <= scene.last]


def _newest(level: Sequence[Scene]) -> Iterable[Visit]:
    """The newest visit of each step, however long ago."""
    rows = Visit.objects.filter(reduce(or_, (scene.where for scene in level)))
    newest = rows.order_by().values("instance", "node_id", "iterations").annotate(seq=Max("seq"))
    places = {(row["instance"], row["seq"]) for row in newest}
    found = light(Q(instance__in={run for run, _ in places}, seq__in={seq for _, seq in places}))
    return [each for each in found if (each.instance_id, each.seq) in places]


def light(where: Q) -> Any:
    """Visits without their outputs; of a decision, what it decided is little."""
    arm = Case(When(kind=kinds.DECISION, then=F("output")), default=Value(None), output_field=RecordedJSONField())
    return Visit.objects.filter(where).only("instance_id", "iterations", *LIGHT).annotate(arm=arm)


# --- loops -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What the ended turns of one visit of a loop recorded, by the number of the turn, from 0."""

    last: int = -1
    failed: tuple[int, ...] = ()


def _turns(
    level: Sequence[Scene], nodes: Mapping[str, Node], picks: Picks, choices: dict[str, Choice]
) -> Iterator[Scene]:
    """Of each loop the turn to show. Three queries where there are loops, one more where turns failed."""
    loops = [(scene, visit) for scene in level for visit in scene.newest.values() if visit.kind == kinds.LOOP]
    if not loops:
        return
    recorded = _recorded([(scene.run.pk, visit.seq) for scene, visit in loops], nodes)
    rows = _around(loops, recorded, picks)
    for scene, visit in loops:
        told = recorded[scene.run.pk, visit.seq]
        ended = [each for each in rows if each.instance_id == scene.run.pk and each.loop_seq == visit.seq]
        newest = max(told.last, _open_turn(scene, visit), _last_turn(scene, visit, rows))
        if newest < 0:
            continue
        wanted = picks.get(visit.node_id, 0) - 1
        index = min(wanted, newest) if wanted >= 0 else told.failed[-1] if visit.outcome and told.failed else newest
        inner = _turn(scene, visit, index, ended, is_last=index == newest)
        scene.turns_back[visit.node_id] = (newest, scene.end_of(visit) + 1)
        choices[visit.node_id] = Choice(
            "turn",
            index + 1,
            newest + 1,
            max(newest + 1, _planned(scene, visit, nodes)),
            _status_of_turn(scene.run, visit, index, told),
            tuple(each + 1 for each in told.failed),
            is_open=not visit.outcome,
        )
        yield inner


def _recorded(places: Sequence[tuple[UUID, int]], nodes: Mapping[str, Node]) -> dict[tuple[UUID, int], _Recorded]:
    """A turn failed when the last step that ran in it did, unless that step says that this is no matter."""
    passed_over = [node.id for node in nodes.values() if node.policy.passes]
    rows = Visit.objects.filter(_in_loops(places), replaced=None).order_by()
    lasts = {
        (row["instance"], row["loop_seq"]): row["last"]
        for row in rows.values("instance", "loop_seq").annotate(last=Max("iteration"))
    }
    failed: defaultdict[Any, list[Any]] = defaultdict(list)
    found = rows.filter(outcome=Outcome.FAILED).exclude(node_id__in=passed_over)
    for run, loop, index in found.order_by("iteration").values_list("instance", "loop_seq", "iteration")[:FAILED_TOLD]:
        failed[run, loop].append(index)
    return {place: _Recorded(lasts.get(place, -1), tuple(failed[place])) for place in places}


def _in_loops(places: Iterable[tuple[UUID, int]]) -> Q:
    by_run = defaultdict(list)
    for run, seq in places:
        by_run[run].append(seq)
    return reduce(or_, (Q(instance=run, loop_seq__in=seqs) for run, seqs in by_run.items()))


def _around(loops: Sequence[tuple[Scene, Visit]], recorded: Mapping[Any, _Recorded], picks: Picks) -> list[Visit]:
    """The visits that tell where the turns begin and end: the last ones of the turn to show and of its neighbours, and what
    ran last in the loop."""
    where = Q(pk__in=())
    for scene, visit in loops:
        told = recorded[scene.run.pk, visit.seq]
        numbers = {told.last, *told.failed[-1:]}
        numbers |= {picks[visit.node_id] - 1} if visit.node_id in picks else set()
        near = {each + step for each in numbers for step in (-1, 0, 1)}
        where |= Q(instance=scene.run.pk, loop_seq=visit.seq, iteration__in=[each for each in near if each >= 0])
        where |= Q(instance=scene.run.pk, seq=scene.end_of(visit))
    found = Visit.objects.filter(where).order_by("seq")
    return list(found.only("instance_id", "seq", "loop_seq", "iteration", "iterations", "outcome", "not_run"))


def _prefix(scene: Scene, visit: Visit) -> str:
    return f"{scene.turn}/{visit.seq}:" if scene.turn else f"{visit.seq}:"


def _last_turn(scene: Scene, visit: Visit, rows: Sequence[Visit]) -> int:
    """The turn in which the loop's last visit began: one that a failure or a jump ended is recorded nowhere else."""
    prefix, end = _prefix(scene, visit), scene.end_of(visit)
    last = next((each for each in rows if each.instance_id == scene.run.pk and each.seq == end), None)
    if last is None or not last.iterations.startswith(prefix):
        return -1
    return int(last.iterations.removeprefix(prefix).partition("/")[0])


def _open_turn(scene: Scene, visit: Visit) -> int:
    frames = position_of(scene.run).frames
    return next((int(each.data.get("index", -1)) for each in frames if each.seq == visit.seq), -1)


def _planned(scene: Scene, visit: Visit, nodes: Mapping[str, Node]) -> int:
    """How many turns there will be: known of an open loop over items, or of a number of times."""
    shape = nodes[visit.node_id].settings.get("loop") or {}
    frame = next((each for each in position_of(scene.run).frames if each.seq == visit.seq), None)
    limit = frame.data.get("limit") if frame and ("over" in shape or "times" in shape) else None
    return limit if isinstance(limit, int) else 0


def _turn(scene: Scene, visit: Visit, index: int, ended: Sequence[Visit], *, is_last: bool) -> Scene:
    """The scene of one turn. Its visits lie behind the end of the turn before it and before that of the turn behind it; of a
    loop that was started anew, the newest turn of that number counts."""
    own = max((each for each in ended if each.iteration == index), key=lambda each: each.seq, default=None)
    ceiling = visit.seq if own is None else own.seq
    earlier = [each.seq for each in ended if each.iteration == index - 1 and (own is None or each.seq < ceiling)]
    later = [each.seq for each in ended if each.iteration == index + 1 and each.seq > ceiling]
    return Scene(
        scene.run,
        around=visit.node_id,
        turn=f"{_prefix(scene, visit)}{index}",
        first=max(earlier, default=visit.seq) + 1,
        last=min(later, default=scene.end_of(visit)),
        is_left=own is not None and own.outcome != Outcome.FAILED,
        missed=(own.not_run or ()) if own is not None else (),
    )


def _status_of_turn(run: Instance, visit: Visit, index: int, told: _Recorded) -> str:
    if index in told.failed:
        return "failed"
    if index <= told.last:
        return "succeeded"
    return status_of(visit, run)


# --- branches ----------------------------------------------------------------------------------------------------------


def _branches(
    level: Sequence[Scene], nodes: Mapping[str, Node], picks: Picks, choices: dict[str, Choice]
) -> Iterator[Scene]:
    """The branches to show: all of a parallel's, one of a fan-out's. One query where there are any."""
    forks = [(scene, visit) for scene in level for visit in scene.newest.values() if visit.kind == kinds.PARALLEL]
    if not forks:
        return
    where = reduce(or_, (Q(parent=scene.run.pk, parent_visit=visit.seq) for scene, visit in forks))
    family = Instance.objects.filter(where).exclude(branch_id="").only(*OF_RUN).order_by("-pk")[:BRANCHES_READ]
    newest: dict[tuple[UUID | None, int | None, int | None], Instance] = {}
    for child in family:
        newest.setdefault((child.parent_id, child.parent_visit, child.branch), child)
    for scene, visit in forks:
        own = [run for (parent, seq, _), run in newest.items() if (parent, seq) == (scene.run.pk, visit.seq)]
        own.sort(key=lambda each: each.branch or 0)
        if own and isinstance(nodes[visit.node_id].settings.get("fan_out"), Mapping):
            shown = _branch_to_show(own, picks.get(visit.node_id, 0))
            failed = [at for at, each in enumerate(own, 1) if each.status == Status.FAILED][:FAILED_TOLD]
            choices[visit.node_id] = Choice(
                "branch", shown + 1, len(own), len(own), str(own[shown].status), tuple(failed)
            )
            own = [own[shown]]
        yield from (_branch(child, visit.node_id) for child in own)


def _branch_to_show(branches: Sequence[Instance], wanted: int) -> int:
    """Which one to show: the one asked for, else the first that failed or is held, that is on its way, or the last."""
    if wanted > 0:
        return min(wanted, len(branches)) - 1
    for statuses in ({Status.HELD, Status.FAILED}, ACTIVE):
        for at, each in enumerate(branches):
            if each.status in statuses:
                return at
    return len(branches) - 1


def _branch(child: Instance, around: str) -> Scene:
    position = position_of(child)
    missed = (child.not_run or ()) if child.status in TERMINAL else ()
    left = child.status == Status.COMPLETED
    return Scene(child, around=around, last=position.last_seq, is_left=left, missed=missed)
