"""Runs that never ran: one that stands at a node of a graph, as far as the ladder looks at it. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import UUID

from engine.machine.position import Frame, Leaf, Position
from engine.machine.run import Facts, Outputs, Run, UndoCall, Visited, World
from engine.machine.turn import Turn
from engine.ports import Flows, People
from flows import kinds
from flows.graph import Graph, Node

NOBODY: Final = UUID(int=0)
_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)
_FACTS: Final = Facts(NOBODY, 0, "", None, None, {}, _MOMENT.isoformat())
_WORLD: Final = World(_MOMENT, 0.0, cast("People", None), cast("Flows", None), 0.0)


class Place:
    """A run that stands at ``node``, in the branch it lies in, and whose scopes and constructs have their whole budget.

    :meth:`turn` is a fresh transition there. :meth:`wear_out` uses a budget up.
    """

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node
        around = graph.ancestors(node.index)
        self.branch = next((each for each in reversed(around) if graph.nodes[each].kind == kinds.PARALLEL), None)
        self._around = around if self.branch is None else around[around.index(self.branch) + 1 :]
        self._history = _History()
        self._rounds: dict[str, int] = {}
        self._attempts: dict[int, int] = {}

    def turn(self) -> Turn:
        """A transition of the run as it stands, which will be thrown away."""
        frames = tuple(self._frame(index) for index in self._around)
        seq = self.node.index + 1
        leaf = Leaf(self.node.index, seq, 1, attempt=1)
        position = Position(frames, leaf, scope=self.branch, last_seq=seq, rounds=dict(self._rounds))
        nothing = Outputs(lambda seqs: {})
        run = Run(
            _FACTS, self.graph, position, {}, nothing, nothing, _no_results, _no_children, _NoPlan(), self._history
        )
        return Turn(run, _WORLD, lambda: NOBODY)

    def wear_out(self, *, scope: int | None = None, construct: Node | None = None) -> None:
        """Use up the budget of the scope with that ``seq``, or the retries of a construct around the node."""
        if scope is not None:
            if scope in self._history.worn:
                raise RuntimeError(f"The scope {scope} never gives up.")
            self._history.worn.add(scope)
            self._rounds[str(scope)] = 1_000_000
        if construct is not None:
            self._attempts[construct.index] = construct.policy.retry.max_retries + 1

    def _frame(self, index: int) -> Frame:
        return Frame(index, index + 1, 1, {"attempt": self._attempts.get(index, 1)})


class _History:
    """The history of a run in which nothing has happened, but for the failures of scopes that are worn out."""

    def __init__(self) -> None:
        self.worn: set[int] = set()

    def failures(self, first: int, since: datetime) -> int:
        return 1_000_000 if first in self.worn else 0

    def visits(self, first: int) -> Sequence[Visited]:
        return ()

    def before(self, first: int, nodes: Iterable[str]) -> Sequence[Visited]:
        return ()

    def family(self, first: int) -> Sequence[tuple[int, Run]]:
        return ()

    def undos(self) -> Sequence[UndoCall]:
        return ()

    def key(self, node_id: str, slot: str) -> str | None:
        return None

    def superseded(self, node_id: str, slot: str) -> Sequence[int]:
        return ()


class _NoPlan:
    def __call__(self) -> Sequence[Any]:
        return ()

    def shorten(self, ended: Collection[tuple[UUID, int]]) -> None:
        """There is nothing to forget."""

    def forget(self) -> None:
        """There is nothing to read anew."""


def _no_results(seq: int) -> Mapping[int, Any]:
    return {}


def _no_children(seq: int, attempt: int) -> Sequence[Any]:
    return ()
