"""One transition in the making: a working copy of the position, and the list of what is to be written.

Pure. A turn is built from a run, changed by the functions of this package, and closed into a :class:`Decision`; the run it was
built from is never touched. Only this module knows which fields the rows of a visit, an attempt or an event have.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from engine.machine.context import MISSING, Context
from engine.machine.position import Frame, Leaf, Position
from engine.machine.run import Bound, Run, World
from engine.machine.writes import Writes
from engine.ports import Call
from engine.states import UNDOING, Outcome, Phase, Status
from flows import kinds
from flows.durations import LONGEST
from flows.graph import Node, limit_of
from flows.layout import PROBE

HISTORY_LENGTH = 20
TRANSITIONS_A_TURN = 200
"""Body-less transitions in one transaction; then it commits and goes on (design/engine-notes.md, section 2)."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event to be recorded; its number is given when it is written."""

    type: str
    node_id: str = ""
    visit_seq: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wait:
    """What an instance rests on, as its row shows it."""

    kind: str
    node_id: str
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended, as its row shows it."""

    status: Status
    output: Any = None
    error: Mapping[str, Any] | None = None
    reason: str = ""
    not_run: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a run is durably suspended for a person."""

    node_id: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class NewChild:
    """A child run to be created with the transition. Without ``flow_id`` and ``version_id`` it is a branch of the same version.

    ``position`` is where it begins and by which attempt it was started; without a ``target`` at the first node of its flow.
    """

    id: UUID
    input: Any
    seq: int
    flow_id: int | None = None
    version_id: int | None = None
    index: int = 0
    branch_id: str = ""
    position: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reopened:
    """A child run that goes on where it failed or was held; ``ask`` is what it is told, as for a run of its own."""

    id: UUID
    ask: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replaced:
    """The visits that a redo replaces: those numbered from ``first`` to ``last``, and all of the child runs they started; not the
    visit ``keeps``, which goes on with child runs of its own."""

    first: int
    last: int
    round: int
    keeps: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """News for the parent of a branch (``child`` is ``None``) or for one of the run's branches."""

    kind: str
    payload: Mapping[str, Any]
    child: UUID | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Somebody to be told, once and after the commit, of a scope that gave up: ``target`` is its ``notify``, ``decision`` its
    ``then``. ``step`` is how people call the node that failed, ``why`` what it said; ``scope`` is empty for the flow."""

    id: UUID
    target: str
    decision: str
    scope: str
    node_id: str
    step: str
    why: str


@dataclass(slots=True)
class Decision:
    """What a transition decided: at most one of ``call``, ``wait``, ``end`` and ``hold``; none: commit and go on."""

    position: Position
    writes: Writes
    events: list[EventLine]
    bound: dict[str, Bound]
    outputs: dict[int, Any]
    entries: dict[int, Any]
    call: Call | None = None
    wait: Wait | None = None
    end: End | None = None
    hold: Hold | None = None
    children: list[NewChild] = field(default_factory=list)
    cancel_children_of: int | None = None
    close_tasks: tuple[int, str] | None = None
    """A visit whose pending inbox tasks are cancelled, and why."""
    wakes: bool = False
    """A wake-up was written: the timekeeper may have to rise earlier."""
    undone: frozenset[tuple[UUID, int]] = frozenset()
    """The compensations of the plan that got their terminal state, by instance and position."""
    reopened: list[Reopened] = field(default_factory=list)
    handed_over: bool = False
    """Nothing new was started: the lease is given back together with a hint for another worker."""
    replaced: "Replaced | None" = None
    tells: "list[Told]" = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    spares: UUID | None = None
    """The child run that is not cancelled with the others: it was told what to do."""

    @property
    def status(self) -> Status:
        if self.end is not None:
            return self.end.status
        if self.hold is not None:
            return Status.HELD
        return Status.WAITING if self.wait is not None else Status.RUNNING


class Turn:
    """The working copy. Functions of this package change its public attributes; see the module's first lines."""

    def __init__(self, run: Run, world: World, new_id: Any) -> None:
        self.run = run
        self.graph = run.graph
        self.world = world
        self.new_id = new_id
        position = replace(run.position)
        self.frames: list[Frame] = list(position.frames)
        self.leaf: Leaf | None = position.leaf
        self.target: int | None = position.target
        self.position = position
        self.budget = TRANSITIONS_A_TURN
        self.writes = Writes()
        self.events: list[EventLine] = []
        self.bound: dict[str, Bound] = {}
        self.fresh: dict[int, Any] = {}
        self.bindings: Mapping[str, Bound] = ChainMap(self.bound, run.bindings)
        self.outputs = run.outputs.over(self.fresh)
        self.fresh_entries: dict[int, Any] = {}
        self.entries = run.entries.over(self.fresh_entries)
        self.fresh_results: dict[tuple[int, int], Any] = {}
        self.call: Call | None = None
        self.end: End | None = None
        self.hold: Hold | None = None
        self.children: list[NewChild] = []
        self.cancel_children_of: int | None = None
        self.close_tasks: tuple[int, str] | None = None
        self.wakes = False
        self.reopened: list[Reopened] = []
        self.undone_now: set[tuple[UUID, int]] = set()
        self.handed_over = False
        self.replaced: Replaced | None = None
        self.tells: list[Told] = []
        self.notices: list[Notice] = []
        self.spares: UUID | None = None
        self.cancels = False
        """Somebody wants the run to end: what is known now is recorded, nothing new starts and nothing is rolled back."""

    # --- reading -------------------------------------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        return self.world.now + timedelta(seconds=self.position.skew)

    def run_ahead(self, seconds: float) -> None:
        """Put this run's clock ``seconds`` ahead of the world's, if it is not that far yet."""
        self.position.skew = max(self.position.skew, seconds)

    def after(self, milliseconds: float) -> datetime:
        """The moment that many milliseconds from now; a hundred years for a span that no calendar holds."""
        return self.now + timedelta(milliseconds=min(milliseconds, LONGEST / timedelta(milliseconds=1)))

    def next_try(self, delay: float, asked: float | str | None) -> datetime:
        """When to try again: after ``delay`` milliseconds, not before what the other side ``asked`` for: seconds or a moment."""
        if isinstance(asked, str):
            return max(self.after(delay), min(datetime.fromisoformat(asked), self.now + LONGEST))
        return self.after(max(delay, (asked or 0) * 1000))

    def in_the_world(self, moment: datetime) -> datetime:
        """When a moment of this run comes by the world's clock."""
        return moment - timedelta(seconds=self.position.skew)

    def node(self, index: int) -> Node:
        return self.graph.nodes[index]

    @property
    def undoes(self) -> bool:
        """Whether compensations run: the plan that is carried out comes before anything else."""
        return self.position.phase in UNDOING

    @property
    def is_overdue(self) -> bool:
        """Whether the time of an open container is over (:mod:`engine.machine.limits`)."""
        return any(frame.data.get("expired") for frame in self.frames)

    @property
    def open_node(self) -> Node:
        """The node of the open visit."""
        assert self.leaf is not None
        return self.graph.nodes[self.leaf.node]

    def context(self, output: Any = MISSING) -> Context:
        """What can be read right now; ``output`` is a step's fresh output."""
        open_visits = {self.node(frame.node).id: frame.number for frame in self.frames}
        if self.leaf is not None:
            open_visits[self.node(self.leaf.node).id] = self.leaf.number
        self.position.frames = tuple(self.frames)
        owner = self.reconciled
        bindings = self.bindings if owner is None else self._with_probes(owner)
        return Context(self.run.facts, self.position, bindings, self.outputs, open_visits, self.entries, output)

    @property
    def reconciled(self) -> Node | None:
        """The step whose ``reconcile`` is carried out right now."""
        found = (self.node(frame.node) for frame in reversed(self.frames) if "unknown" in frame.data)
        return next(found, None)

    def _with_probes(self, owner: Node) -> Mapping[str, Bound]:
        """The nodes as a ``reconcile`` reads them: its own by the ids they have in it alone."""
        own = (node.id for node in self.graph.nodes if node.owner == owner.index)
        inside = {each.rsplit(PROBE, 1)[1]: self.bindings[each] for each in own if each in self.bindings}
        return ChainMap(inside, self.bindings)  # type: ignore[arg-type]

    def started_by(self) -> dict[str, Any]:
        """What a child run of the open visit is told of its making, as its position keeps it."""
        assert self.leaf is not None
        again = self.position.repeats or self.leaf.attempt > 1
        return {"made_by": self.leaf.attempt, **({"repeats": True} if again else {})}

    def visits_of(self, node: Node) -> int:
        bound = self.bindings.get(node.id)
        return bound.visits if bound else 0

    # --- recording -----------------------------------------------------------------------------------------------

    def change(self, **values: Any) -> None:
        """Change members of the position other than frames, leaf and target."""
        for name, value in values.items():
            setattr(self.position, name, value)

    def event(self, kind: str, node_id: str = "", seq: int | None = None, **data: Any) -> None:
        self.events.append(EventLine(kind, node_id, seq, data))

    def entry_of(self, seq: int) -> Any:
        """What a visit fixed when it was entered; ``None`` where it fixed nothing, or was opened only in this turn."""
        try:
            return self.entries[seq]
        except KeyError:
            return None

    def enter_with(self, seq: int, entry: Any) -> None:
        """Fix what a visit needs until it ends."""
        self.writes.update("visit", {"seq": seq}, entry=entry)
        self.fresh_entries[seq] = entry

    def ancestors(self, index: int) -> tuple[int, ...]:
        """The containers around a node, outermost first, as far as they belong to this run: a branch knows nothing outside."""
        around = self.graph.ancestors(index)
        scope = self.position.scope
        return around if scope is None else around[around.index(scope) + 1 :]

    def parent_of(self, node: Node) -> Node | None:
        """The container around ``node`` in this run, ``None`` at its top."""
        outermost = node.parent is None or node.parent == self.position.scope
        return None if outermost else self.node(node.parent)  # type: ignore[arg-type]

    def open_visit(self, node: Node) -> tuple[int, int]:
        """Open a visit of ``node``; answers its ``seq`` and ``number``."""
        seq, number = self.position.last_seq + 1, self.visits_of(node) + 1
        self.change(last_seq=seq)
        row: dict[str, Any] = {"node_id": node.id, "kind": node.kind, "number": number, "started_at": self.now}
        around = self.iterations()
        if around:
            row["iterations"] = around
        self.writes.insert("visit", {"seq": seq}, **row)
        return seq, number

    def iterations(self) -> str:
        """The iterations around this place, outermost first, as ``SEQ:INDEX/...``."""
        return "/".join(f"{each.seq}:{each.data['index']}" for each in self.frames if "index" in each.data)

    def close_visit(
        self, node: Node, seq: int, number: int, outcome: Outcome, output: Any = None, error: Any = None
    ) -> None:
        """End a visit with its outcome, and bind the node to it."""
        completion = self.position.completions + 1
        self.change(completions=completion)
        succeeded = outcome is Outcome.SUCCEEDED
        self.writes.update(
            "visit",
            {"seq": seq},
            outcome=outcome.value,
            output=output if succeeded else None,
            error=error,
            completion=completion,
            ended_at=self.now,
        )
        before = self.bindings.get(node.id)
        recent = before.recent if before else ()
        if succeeded:
            recent = (*recent, seq)[-HISTORY_LENGTH:]
            self.fresh[seq] = output
        self._note_last(node, seq, outcome)
        if node.kind == kinds.LOOP and limit_of(node) is not None:
            self.writes.delete("wakeup", {"visit_seq": seq})
        now_bound = Bound(number, seq, outcome.value, completion, recent)
        row = {
            "visits": number,
            "seq": seq,
            "outcome": outcome.value,
            "completion": completion,
            "recent": list(recent),
        }
        write = self.writes.update if before else self.writes.insert
        write("binding", {"node_id": node.id}, **row)
        self.bound[node.id] = now_bound

    def _note_last(self, node: Node, seq: int, outcome: Outcome) -> None:
        """Let the innermost loop remember the last step that ran in its iteration: its output is the iteration's result.

        What was skipped stands for an iteration in which nothing ran, so that each iteration is recorded.
        """
        skipped = outcome is Outcome.SKIPPED
        if not skipped and node.kind in (kinds.AND, kinds.OR):
            return
        for place in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[place]
            if frame.node != node.index and self.node(frame.node).kind == kinds.LOOP:
                if skipped and frame.data.get("last") is not None:
                    return
                self.frames[place] = replace(frame, data={**frame.data, "last": seq})
                return

    def reopen(self, leaf: Leaf, **data: Any) -> None:
        """Make the visit of a container that rested between two tries the innermost open container again."""
        self.frames.append(Frame(leaf.node, leaf.seq, leaf.number, data))

    def suspend(self) -> Leaf:
        """Make the innermost open container a visit that can rest or call: what :meth:`reopen` takes back."""
        frame = self.frames.pop()
        return Leaf(frame.node, frame.seq, frame.number, attempt=frame.data.get("attempt", 0))

    def bind(self, node_id: str, bound: Bound) -> None:
        """Let a node that was bound before read as another of its visits."""
        self.bound[node_id] = bound
        row = {"seq": bound.seq, "outcome": bound.outcome, "completion": bound.completion}
        self.writes.update("binding", {"node_id": node_id}, **row)

    def unbind(self, node: Node) -> None:
        """A node that an iteration did not reach reads null, whatever an earlier iteration gave."""
        before = self.bindings.get(node.id)
        if before is not None and before.outcome != Outcome.NOT_RUN:
            self.bound[node.id] = replace(before, outcome=Outcome.NOT_RUN.value)
            self.writes.update("binding", {"node_id": node.id}, outcome=Outcome.NOT_RUN.value)

    def wake_at(self, kind: str, due: datetime, *, seq: int, attempt: int = 0) -> None:
        """Write the wake-up that ends a wait at ``due``."""
        self.writes.insert("wakeup", {"visit_seq": seq, "kind": kind}, attempt=attempt, due_at=due)
        self.wakes = True

    def rest(self, kind: str, reason: str, *, due: datetime | None = None, wake: str = "", data: Any = None) -> None:
        """Let the open visit wait; with ``due`` a wake-up of the kind ``wake`` is written.

        A ``deadline`` is for people and events, which time does not jump over: it passes by the world's clock.
        """
        assert self.leaf is not None
        leaf = self.leaf
        if due is not None:
            due = self.in_the_world(due) if wake == "deadline" else due
            self.wake_at(wake, due, seq=leaf.seq, attempt=leaf.attempt)
        self.leaf = replace(
            leaf, rests=str(kind), out=False, deadline=due.isoformat() if due else None, since=self.now.isoformat()
        )
        self.event("flow_waiting", self.open_node.id, leaf.seq, wait_type=str(kind), reason=reason, **(data or {}))

    def wake_leaf(self, *, by: str = "") -> None:
        """The open visit waits no more; ``by`` is the person who ended the wait before its time."""
        assert self.leaf is not None
        since = self.leaf.since
        waited = self.now - datetime.fromisoformat(since) if since else timedelta()
        if self.leaf.deadline is not None:
            self.writes.delete("wakeup", {"visit_seq": self.leaf.seq})
        self.event(
            "flow_resumed",
            self.open_node.id,
            self.leaf.seq,
            wait_duration_ms=milliseconds(waited),
            **({"by": by} if by else {}),
        )
        self.leaf = replace(self.leaf, rests="", deadline=None, since=None)

    def decide(self) -> Decision:
        """Close the turn."""
        self.change(frames=tuple(self.frames), leaf=self.leaf, target=self.target)
        return Decision(
            position=self.position,
            writes=self.writes,
            events=self.events,
            bound=self.bound,
            outputs=self.fresh,
            entries=self.fresh_entries,
            call=self.call,
            wait=None if self.call or self.end or self.hold else self._wait(),
            end=self.end,
            hold=self.hold,
            children=self.children,
            cancel_children_of=self.cancel_children_of,
            close_tasks=self.close_tasks,
            wakes=self.wakes,
            undone=frozenset(self.undone_now),
            reopened=self.reopened,
            handed_over=self.handed_over,
            replaced=self.replaced,
            tells=self.tells,
            notices=self.notices,
            spares=self.spares,
        )

    def _wait(self) -> Wait | None:
        undoing = self.position.undoing
        if undoing is not None and undoing.rests:
            return Wait(undoing.rests, undoing.node_id, datetime.fromisoformat(undoing.due) if undoing.due else None)
        if self.leaf is not None and self.leaf.rests and self.position.phase == Phase.FORWARD:
            due = self.leaf.deadline
            return Wait(self.leaf.rests, self.open_node.id, datetime.fromisoformat(due) if due else None)
        return None


def milliseconds(span: timedelta) -> int:
    """A time span in whole milliseconds, as events carry it."""
    return round(span.total_seconds() * 1000)
