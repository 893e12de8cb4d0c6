"""What a redo runs again (design/recovery.md, "Scope recovery").

Pure. :func:`reach` is the one walk: the doctor makes it over a definition that may still be wrong, the engine over a graph.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from flows.graph import END_INDEX, Graph, Node
from flows.reading import EVERYTHING

Edges = Callable[[int], Iterable[int]]


def reach(start: Iterable[int], later: Edges, inside: Edges, *, within: Callable[[int], bool]) -> set[int]:
    """The nodes reached from ``start``, numbered in document order: ``later`` ones by going forward alone, and with a container
    all that is ``inside``; none that is not ``within`` the scope."""
    seen: set[int] = set()
    waiting = list(start)
    while waiting:
        index = waiting.pop()
        if index not in seen:
            seen.add(index)
            waiting += [each for each in later(index) if each > index and within(each)]
            waiting += inside(index)
    return seen


def redo_set(graph: Graph, scope: int | None, failed: int, redo: str) -> tuple[int, ...]:
    """The nodes that a redo of ``scope`` (``None``: the flow) runs again after ``failed`` did, in document order."""
    whole = _everything(graph) if scope is None else graph.inside(scope)
    if redo == "whole_group":
        return whole
    members = set(whole)
    if redo != "this_and_after":
        return (failed, *graph.inside(failed))
    readers = _readers(graph)

    def later(index: int) -> Iterator[int]:
        yield from order_edges(graph, graph.nodes[index])
        yield from readers.get(graph.nodes[index].id, ())
        yield from readers.get(EVERYTHING, ())

    return tuple(sorted(reach([failed], later, graph.inside, within=members.__contains__)))


def order_edges(graph: Graph, node: Node) -> Iterator[int]:
    """To the next sibling or out of the containers the node ends, and along its jumps."""
    jumps = (node.policy.error_edge, node.policy.timeout_edge, *node.edges.values())
    yield from (each for each in jumps if each is not None and each != END_INDEX)
    current: Node | None = node
    while current is not None and current.next is None:
        current = None if current.parent is None else graph.nodes[current.parent]
    if current is not None and current.next is not None:
        yield current.next


def _everything(graph: Graph) -> tuple[int, ...]:
    return tuple(node.index for node in graph.nodes if node.owner is None)


def _readers(graph: Graph) -> Mapping[str, list[int]]:
    """By id, the nodes that read it in a field of their own; a container that reads it brings all it contains."""
    found: dict[str, list[int]] = {}
    for node in graph.nodes:
        for name in node.reads if node.owner is None else ():
            found.setdefault(name, []).append(node.index)
    return found
