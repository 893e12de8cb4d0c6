"""Where the nodes of a definition stand to each other: what lowering needs to know beside the nodes themselves.

Pure. Indexes count the nodes of :attr:`Layout.flat`; ``END_INDEX`` is the end of the graph.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from flows import kinds
from flows.graph import END_INDEX
from flows.kinds import RawNode

Names: TypeAlias = Mapping[str, int]
"""What a jump may name."""

_END: Final = {kinds.END: END_INDEX}


@dataclass(frozen=True, slots=True)
class Layout:
    """Every node with its container, its children, the node it leads to, and what its jumps may name."""

    flat: list[RawNode]
    first: int | None
    parents: Mapping[int, int]
    children: Mapping[int, tuple[int, ...]]
    successors: Mapping[int, int]
    names: list[Names]


def layout(roots: list[RawNode]) -> Layout:
    """The layout of a tree of steps and containers: order is list order, and ids share one namespace."""
    flat = list(kinds.walk(roots))
    index_of = {id(node): index for index, node in enumerate(flat)}
    children = {index: tuple(index_of[id(child)] for child in kinds.children(raw)) for index, raw in enumerate(flat)}
    by_name = {str(node["id"]): index for index, node in enumerate(flat)} | _END
    parents: dict[int, int] = {}
    successors: dict[int, int] = {}
    groups: list[tuple[list[int], int | None]] = [([index_of[id(node)] for node in roots], None)]
    groups += [(list(inside), index) for index, inside in children.items()]
    for siblings, parent in groups:
        if parent is None or _is_sequence(flat[parent]):
            successors.update(zip(siblings, siblings[1:], strict=False))
        if parent is not None:
            parents.update(dict.fromkeys(siblings, parent))
    return Layout(flat, index_of[id(roots[0])] if roots else None, parents, children, successors, [by_name] * len(flat))


def _is_sequence(container: RawNode) -> bool:
    """Whether its children lead to each other; alternatives and branches do not."""
    kind = kinds.kind_of(container)
    return kind in (kinds.AND, kinds.LOOP) or (kind == kinds.PARALLEL and container.get("fan_out") is not None)
