"""Which ways of the diagram a run went along, told from what its visits recorded.

Pure. The visits of one run begin one after the other, so each was reached from the one before it. A jump is told by whoever
jumped: a decision by its arm, a failure by its ``jump`` (:mod:`engine.machine.ladder`). On the way in order a visit counts as
reached only where the rules of order (:func:`engine.machine.paths.go_on`) lead there; what nothing explains, such as a redo,
is no way of the diagram. Ways are named as frontend/src/model/layout.ts and lanes.ts name what they draw.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.states import Outcome
from flows import kinds
from flows.graph import END_INDEX, Graph, Node

BESIDE: Final = frozenset({kinds.PARALLEL, kinds.OR, kinds.COMPETITION})
"""Containers whose children are drawn side by side."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One visit. ``arm`` is what a decision chose, ``error`` the visit's error."""

    seq: int
    node_id: str
    outcome: str = Outcome.SUCCEEDED
    arm: str = ""
    error: Mapping[str, Any] | None = None

    @property
    def is_lost(self) -> bool:
        """It failed, and the flow did not go on behind it as behind a success."""
        return self.outcome == Outcome.FAILED and (self.error or {}).get("continued") is not True


@dataclass(frozen=True, slots=True)
class Way:
    """One pass along a way, known once the visit ``seq`` has begun, or when that visit was left for good (``at_end``)."""

    seq: int
    name: str
    at_end: bool = False


def ways(graph: Graph, visits: Sequence[Passed], *, around: str | None = None, is_left: bool = False) -> list[Way]:
    """The ways in the order in which they were gone.

    ``visits`` are those of one run within one turn of the loop ``around``, of one branch of the parallel ``around``, or of a
    flow outside its loops, in their order. ``is_left`` says that the run went on behind the last of them in order.
    """
    by_id = {node.id: node for node in graph.nodes if node.owner is None}
    return list(
        _Walk(graph, by_id, by_id.get(around or "")).along([each for each in visits if each.node_id in by_id], is_left)
    )


class _Walk:
    def __init__(self, graph: Graph, by_id: Mapping[str, Node], around: Node | None) -> None:
        self.graph = graph
        self.by_id = by_id
        self.around = None if around is None else around.index
        self.latest: dict[int, Passed] = {}

    def along(self, visits: Sequence[Passed], is_left: bool) -> Iterator[Way]:
        target: int | None = None
        before: Passed | None = None
        for visit in visits:
            node = self.by_id[visit.node_id]
            jump = None if before is None or self._holds(before, node) else self._jump(before)
            if jump is not None:
                name, target = jump
                yield Way(visit.seq, name)
            if target is not None and (node.index == target or node.index in self.graph.ancestors(target)):
                target = None if node.index == target else target
            else:
                target = None
                names = [] if jump else self._reached(before, node)
                yield from (Way(visit.seq, name) for name in names)
            self.latest[node.index] = before = visit
        if before is not None:
            yield from self._end(before, is_left)

    def _end(self, last: Passed, is_left: bool) -> Iterator[Way]:
        jump = self._jump(last)
        if jump is not None:
            yield Way(last.seq, jump[0], at_end=True)
        elif is_left and not last.is_lost:
            left, node = self._climb(self.by_id[last.node_id])
            if node.next is None:
                yield from (Way(last.seq, name, at_end=True) for name in [*left, self._out(node)])

    def _jump(self, visit: Passed) -> tuple[str, int] | None:
        """The way by which the visit was left, and where it leads, if that was a jump of its own or of a container around it.
        One that begins outside of what is walked here is told there."""
        arm = self.by_id[visit.node_id].edges.get(f"{visit.arm}_branch") if visit.arm else None
        if arm is not None:
            return f"{visit.node_id}:{visit.arm}", arm
        told = (visit.error or {}).get("jump") or {}
        source = self.by_id.get(told.get("from", ""))
        if source is None or (self.around is not None and self.around not in self.graph.ancestors(source.index)):
            return None
        target = source.policy.timeout_edge if told["by"] == "timeout" else source.policy.error_edge
        return f"{source.id}:{told['by']}", END_INDEX if target is None else target

    def _reached(self, before: Passed | None, node: Node) -> list[str]:
        """The ways in order from the visit before to ``node``; none where order does not lead there."""
        if before is None:
            return [self._in(node)]
        source = self.by_id[before.node_id]
        if source.index == node.parent:
            return [self._in(node)]
        if before.is_lost:
            return [self._in(node)] if self._is_first(node) else []
        for level in (source, *(self.graph.nodes[each] for each in reversed(self._ancestors(source)))):
            left, end = self._climb(level, stops=node.parent)
            if end.next == node.index or (end.parent == node.parent and self._kind(node.parent) == kinds.COMPETITION):
                own = [self._out(end)] if end.next is None else []
                return [*(left if level is source else ()), *own, self._in(node)]
            if before.outcome != Outcome.FAILED:
                break
        return [self._in(node)] if self._is_first(node) else []

    def _climb(self, node: Node, stops: int | None = None) -> tuple[list[str], Node]:
        """Out of the containers that ``node`` was the last in: the ways out, and the last node that was left in order."""
        left: list[str] = []
        while node.next is None and node.parent not in (None, self.around, stops):
            left.append(self._out(node))
            node = self.graph.nodes[node.parent]
            if node.index in self.latest and self.latest[node.index].outcome == Outcome.FAILED:
                left = []
        return left, node

    def _is_first(self, node: Node) -> bool:
        """Whether the whole begins at ``node``: where it begins once more, the way in is gone once more."""
        first = self.graph.first if self.around is None else (*self.graph.nodes[self.around].children, None)[0]
        return node.index == first

    def _holds(self, visit: Passed, node: Node) -> bool:
        return self.by_id[visit.node_id].index in self.graph.ancestors(node.index)

    def _ancestors(self, node: Node) -> tuple[int, ...]:
        around = self.graph.ancestors(node.index)
        return around if self.around not in around else around[around.index(self.around) + 1 :]

    def _kind(self, index: int | None) -> str:
        return "" if index is None else self.graph.nodes[index].kind

    def _in(self, node: Node) -> str:
        return f"{node.id}:{'fan' if self._kind(node.parent) in BESIDE else 'in'}"

    def _out(self, node: Node) -> str:
        if self._kind(node.parent) in BESIDE:
            return f"{node.id}:join"
        return f"{'' if node.parent is None else self.graph.nodes[node.parent].id}:out"
