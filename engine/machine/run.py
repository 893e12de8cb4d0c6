"""What the transition function is given: the run as recorded, and the world as it may be asked.

Pure. ``outputs`` and ``plan`` may read lazily, which keeps the function pure: what was recorded never changes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from engine import testconfig
from engine.machine.position import Position
from engine.ports import Flows, People
from engine.states import Outcome
from flows.graph import Graph


@dataclass(frozen=True, slots=True)
class Bound:
    """What templates may read of a node: its latest ended visit. ``recent`` are the visits of ``history``, oldest first."""

    visits: int
    seq: int
    outcome: str
    completion: int
    recent: tuple[int, ...] = ()

    @property
    def succeeded(self) -> bool:
        return self.outcome == Outcome.SUCCEEDED


@dataclass(frozen=True, slots=True)
class Facts:
    """What never changes while an instance runs."""

    id: UUID
    workspace_id: int
    flow_path: str
    version: int | None
    input: Any
    trigger: Mapping[str, Any]
    started_at: str
    is_test: bool = False
    test_config: Mapping[str, Any] | None = None
    root: UUID | None = None

    @property
    def is_hurried(self) -> bool:
        """Whether timers, delays and deadlines of calls pass at once (reference/flow-format.md, section 10, ``time``)."""
        return testconfig.is_compressed(self.test_config)

    @property
    def is_isolated(self) -> bool:
        """Whether nothing outside the run's own rows may change (section 10, ``isolated_branch``)."""
        return self.is_test and testconfig.is_isolated(self.test_config)


class Outputs:
    """The recorded outputs of a run's visits by ``seq``, read when first asked for and kept.

    ``read`` answers the outputs of the visits it is given. ``fresh`` are those of a transition in the making.
    """

    def __init__(
        self,
        read: Callable[[Sequence[int]], Mapping[int, Any]],
        known: dict[int, Any] | None = None,
        fresh: Mapping[int, Any] | None = None,
    ) -> None:
        self._read = read
        self.known: dict[int, Any] = {} if known is None else known
        self._fresh = {} if fresh is None else fresh

    def over(self, fresh: Mapping[int, Any]) -> "Outputs":
        """These outputs with ``fresh`` ones on top, sharing what was read."""
        return Outputs(self._read, self.known, fresh)

    def need(self, seqs: Iterable[int]) -> None:
        """Read several at once instead of one by one."""
        missing = [seq for seq in seqs if seq not in self._fresh and seq not in self.known]
        if missing:
            self.known.update(self._read(missing))

    def __getitem__(self, seq: int) -> Any:
        if seq in self._fresh:
            return self._fresh[seq]
        self.need([seq])
        return self.known[seq]


@dataclass(frozen=True, slots=True)
class Undo:
    """One registered compensation, as a rollback reads it. ``instance`` is the run it belongs to: a child's is run by the
    parent that rolls back."""

    instance: UUID
    position: int
    node_id: str
    visit_seq: int
    path: str
    input: Any
    input_error: Mapping[str, Any] | None = None
    missing_ok: bool = False
    always: bool = False
    """It must go before a resume, too."""
    attempts: int = 0
    earlier: int = 0
    """How many of the attempts belong to an earlier round."""
    closes: tuple[tuple[UUID, int], ...] = ()
    """Entries ``(instance, position)`` of children of which this is the last compensation."""


@dataclass(frozen=True, slots=True)
class EndedChild:
    """How a child run ended, in the order of the branches. ``order`` is its place in the order in which they ended."""

    id: UUID
    branch_id: str
    status: str
    output: Any
    error: Mapping[str, Any] | None
    compensations: int
    order: int
    branch: int = 0
    input: Any = None


@dataclass(frozen=True, slots=True)
class Visited:
    """A visit that no redo has replaced. ``completion`` is its place in the order in which visits ended; one that is open, as
    far as the history knows, has no ``outcome`` and 0."""

    seq: int
    node_id: str
    number: int
    outcome: str
    completion: int
    iterations: str = ""


@dataclass(frozen=True, slots=True)
class UndoCall:
    """One planned undo. ``compensations`` are the registered ones of its visit, which it makes needless."""

    place: int
    owner: UUID
    visit_seq: int
    node_id: str
    path: str
    arguments: Any
    missing_ok: bool = False
    attempts: int = 0
    compensations: int = 0


class History(Protocol):
    """What happened before, for those who repeat something. Nothing of it is read by a run that goes forward."""

    def visits(self, first: int) -> Sequence[Visited]:
        """The visits from ``first`` on, open ones too, that were neither replaced nor compensated."""
        ...

    def before(self, first: int, nodes: Iterable[str]) -> Sequence[Visited]:
        """Of each of these nodes that the iteration before reached the latest ended visit before ``first``; and the open ones."""
        ...

    def failures(self, first: int, since: datetime) -> int:
        """How many counted failures the visits from ``first`` on had later than ``since``, those in branches among them."""
        ...

    def family(self, first: int) -> Sequence[tuple[int, "Run"]]:
        """The child runs that visits from ``first`` on started, each behind its visit's ``seq``, newest first."""
        ...

    def undos(self) -> Sequence[UndoCall]:
        """The planned undos that are still to be called, in their order."""
        ...

    def key(self, node_id: str, slot: str) -> str | None:
        """The idempotency key that the step was called with in that slot."""
        ...

    def superseded(self, node_id: str, slot: str) -> Sequence[int]:
        """Positions of the compensations still registered for replaced visits of the step in that slot."""
        ...


class Plan(Protocol):
    """The compensations that are still to run, newest first, children's in their parent's place."""

    def __call__(self) -> Sequence[Undo]: ...

    def shorten(self, ended: Collection[tuple[UUID, int]]) -> None:
        """Forget those of these instances and positions: their terminal state is committed."""

    def forget(self) -> None:
        """Read them anew when they are next asked for: others are registered by then."""


@dataclass(slots=True)
class Run:
    """A run in a driver's hands. The transition function reads it and never changes it."""

    facts: Facts
    graph: Graph
    position: Position
    bindings: dict[str, Bound]
    outputs: Outputs
    entries: Outputs
    """What visits fixed when they were entered: the items of a loop."""
    results: Callable[[int], Mapping[int, Any]]
    """By the ``seq`` of a loop's visit: the outputs of its committed iterations by their number."""
    children: Callable[[int, int], Sequence[EndedChild]]
    """By the ``seq`` of a visit and the number of its attempt: the child runs that one started, once all have ended."""
    plan: Plan
    history: History


@dataclass(frozen=True, slots=True)
class World:
    """What one transition may know of the world: the moment, one random number in [0, 1), and who and what exists."""

    now: datetime
    random: float
    people: People
    flows: Flows
    call_limit_ms: float
    """Deadline of a call whose step sets none."""
