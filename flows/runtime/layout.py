"""Where the nodes of a flat graph stand: loops as containers of the nodes they repeat, parallel branches as graphs of their own.

A loop's body is what can only be reached through the loop, from its ``body_step``, and leads back to it: the natural loop of a
flow graph. Its way back is no jump but the end of an iteration.
"""

from collections.abc import Mapping
from typing import Any, Final

from flows import kinds
from flows.graph import BRANCH_INPUT, END_INDEX
from flows.kinds import RawNode
from flows.layout import Layout
from flows.runtime import nodes as flat
from flows.runtime.nodes import FlatGraph, FlatNode
from flows.runtime.translation import as_step, container, step

WAYS: Final = ("body_step", "next_node", "yes_branch", "no_branch", "error_edge", "timeout_edge")
TURN: Final = "__turn"
"""Of a loop with jumps back to it: the node that ends the iteration has its id and this."""


def runtime_layout(workflow_data: Mapping[str, Any]) -> Layout:
    """The layout of a definition in the runtime format, which must have passed the doctor."""
    placing = _Placing()
    first = placing.place(next(flat.read_graphs(workflow_data)), None)
    placing.made.first = None if first == END_INDEX else first
    return placing.made


class _Placing:
    """A layout in the making."""

    def __init__(self) -> None:
        self.made = Layout()

    def place(self, graph: FlatGraph, parent: int | None) -> int:
        """Add a graph's nodes inside ``parent``; answers where it begins."""
        steps = [node for node in graph.nodes if node.type not in (flat.START, flat.END)]
        names = {node.id: END_INDEX for node in graph.nodes if node.type == flat.END} | {kinds.END: END_INDEX}
        names |= {node.id: self.add(as_step(node), parent) for node in steps}
        for node in steps:
            self.made.names[names[node.id]] = names
            if node.get("next_node") is not None:
                self.made.successors[names[node.id]] = names[node.get("next_node")]
        self._enclose_bodies(steps, names, graph)
        for node in steps:
            self._place_inside(node, names[node.id])
        return _first(graph, names)

    def add(self, raw: RawNode, parent: int | None) -> int:
        index = self.made.add(raw)
        if parent is not None:
            self.made.parents[index] = parent
        return index

    def _enclose_bodies(self, steps: list[FlatNode], names: Mapping[str, int], graph: FlatGraph) -> None:
        """Put the nodes that a loop repeats into it, those of the widest loop first."""
        ways = Ways(graph)
        bodies = {node.id: ways.body_of(node) for node in steps if node.type == flat.LOOP}
        for loop in sorted(bodies, key=lambda name: -len(bodies[name])):
            body, index = bodies[loop], names[loop]
            self.made.parents |= dict.fromkeys((names[name] for name in body), index)
        for node in steps:
            if node.type == flat.LOOP:
                self._close_body(node, bodies[node.id], names)

    def _close_body(self, loop: FlatNode, body: dict[str, FlatNode], names: Mapping[str, int]) -> None:
        """Let what leads back to the loop end its iteration, and say what is directly inside it."""
        index = names[loop.id]
        jumps_back = any(loop.id in targets(node, but="next_node") for node in body.values())
        turn = [self.add(container(f"{loop.id}{TURN}", kinds.AND), index)] if jumps_back else []
        for name in body:
            if turn:
                self.made.names[names[name]] = {**self.made.names[names[name]], loop.id: turn[0]}
            if self.made.successors.get(names[name]) == index:
                self._lead_back(names[name], index, turn)
        first = names[loop.get("body_step")]
        inside = [names[name] for name in body if self.made.parents[names[name]] == index]
        self.made.children[index] = (first, *(each for each in inside if each != first), *turn)

    def _lead_back(self, index: int, loop: int, turn: list[int]) -> None:
        """Directly inside the loop, what leads nowhere leads out of the iteration; from a loop inside it, it takes a jump."""
        if self.made.parents[index] == loop:
            del self.made.successors[index]
        elif turn:
            self.made.successors[index] = turn[0]

    def _place_inside(self, node: FlatNode, index: int) -> None:
        if node.type == flat.PARALLEL:
            graphs = flat.inner_graphs(node)
            wrappers = [
                self._branch(branch, graph, index)
                for (branch, _), graph in zip(flat.branches(node), graphs, strict=True)
            ]
            self.made.children[index] = tuple(wrappers)
        elif node.type == flat.COMPETITION:
            inner = [each for each in (node.get("children") or ()) if isinstance(each, Mapping)]
            found = [FlatNode(raw, (), str(raw.get("id")), str(raw.get("step_type"))) for raw in inner]
            placed = [self.add(as_step(each), index) for each in found]
            self.made.children[index] = tuple(placed)

    def _branch(self, branch: Mapping[str, Any], graph: FlatGraph | None, parallel: int) -> int:
        """One branch: a sequence with the branch's id that begins where its graph does."""
        name = str(branch.get("id") or f"{self.made.flat[parallel]['id']}__branch")
        index = self.add(container(name, kinds.AND, **{BRANCH_INPUT: branch.get("input_mapping")}), parallel)
        if graph is None:
            call = self.add(step(f"{name}__flow", kinds.SUB_FLOW, flow_ref=branch.get("flow_path")), index)
            self.made.children[index] = (call,)
            return index
        before = len(self.made.flat)
        first = self.place(graph, index)
        own = [each for each in range(before, len(self.made.flat)) if self.made.parents.get(each) == index]
        self.made.children[index] = () if first == END_INDEX else (first, *(each for each in own if each != first))
        return index


class Ways:
    """Who leads to whom in a graph."""

    def __init__(self, graph: FlatGraph) -> None:
        self._nodes = graph.nodes
        self._starts = [node.id for node in graph.nodes if node.type == flat.START]
        self._forth = {node.id: targets(node) for node in graph.nodes}
        self._back: dict[str, list[str]] = {}
        for name, found in self._forth.items():
            for target in found:
                self._back.setdefault(target, []).append(name)

    def body_of(self, loop: FlatNode) -> dict[str, FlatNode]:
        """The nodes that a loop repeats, by id and in the order of the list."""
        body = self._repeated(loop) - self._outside(loop)
        return {node.id: node for node in self._nodes if node.id in body}

    def entered_of(self, loop: FlatNode) -> list[str]:
        """What a loop repeats and what can be reached past it as well: nobody could say in which iteration."""
        found = self._repeated(loop) & self._outside(loop)
        return [node.id for node in self._nodes if node.id in found]

    def _repeated(self, loop: FlatNode) -> set[str]:
        after = {each for each in (loop.get("next_node"),) if isinstance(each, str)}
        inside = _reached([loop.get("body_step")], self._forth, but={loop.id, *after})
        return (inside & _reached([loop.id], self._back, but=after)) - {loop.id}

    def _outside(self, loop: FlatNode) -> set[str]:
        return _reached(self._starts, self._forth, but={loop.id})


def targets(node: FlatNode, *, but: str = "") -> list[str]:
    """Every node that a node can lead to, its loop's body first, the way named ``but`` left out."""
    named = [node.get(name) for name in WAYS if name != but]
    return [each for each in [*named, *flat.choices(node)] if isinstance(each, str)]


def _reached(begin: list[Any], ways: Mapping[str, list[str]], *, but: set[str]) -> set[str]:
    """What can be reached, those it begins with included, without passing through ``but``."""
    seen: set[str] = set()
    waiting = [each for each in begin if isinstance(each, str)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [each for each in ways.get(name, ()) if each not in but]
    return seen


def _first(graph: FlatGraph, names: Mapping[str, int]) -> int:
    start = next(node for node in graph.nodes if node.type == flat.START)
    following = start.get("next_node")
    return END_INDEX if following is None else names[following]
