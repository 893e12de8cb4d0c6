"""Where the nodes of a definition stand to each other: what lowering needs to know beside the nodes themselves.

Pure. Indexes count the nodes of :attr:`Layout.flat`; ``END_INDEX`` is the end of the graph.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from flows import kinds
from flows.graph import END_INDEX
from flows.kinds import RawNode

Names: TypeAlias = Mapping[str, int]
"""What a jump may name."""

PROBE: Final = "@"
"""Between a step's id and a probe's in the record: no id of a definition can be confused with it."""

LONGEST_PREFIX: Final = 99
"""Characters of a step's id before its probes' ids: columns take twice the longest id."""


@dataclass(slots=True)
class Layout:
    """Every node with its container, its children, the node it leads to, and what its jumps may name.

    ``owners`` says of the nodes of a ``reconcile`` whose they are, ``probes`` which of them stand at its top.
    """

    flat: list[RawNode] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    names: list[Names] = field(default_factory=list)
    first: int | None = None
    parents: dict[int, int] = field(default_factory=dict)
    children: dict[int, tuple[int, ...]] = field(default_factory=dict)
    successors: dict[int, int] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    probes: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def add(self, raw: RawNode, *, name: str | None = None) -> int:
        """Add a node; answers its index. ``name`` is what the record calls it, where that is not its id."""
        self.flat.append(raw)
        self.ids.append(str(raw["id"]) if name is None else name)
        self.names.append({})
        return len(self.flat) - 1


def layout(roots: list[RawNode]) -> Layout:
    """The layout of a tree of steps and containers: its own nodes in document order, then those of each ``reconcile``, whose
    ids are known in it alone. Order is list order; ids share one namespace."""
    made = Layout()
    own = [made.add(raw) for raw in kinds.walk(roots)]
    _place(made, roots, own, parent=None)
    for owner in own:
        _place_probes(made, owner)
    made.first = own[0] if own else None
    return made


def _place(made: Layout, roots: list[RawNode], placed: list[int], *, parent: int | None) -> None:
    """Link the nodes under ``roots``, which are ``placed``: containers, next siblings, what their jumps may name."""
    index_of = {id(made.flat[index]): index for index in placed}
    names = {str(made.flat[index]["id"]): index for index in placed} | {kinds.END: END_INDEX}
    _link(made, [index_of[id(raw)] for raw in roots], parent, in_order=True)
    for index in placed:
        made.names[index] = names
        inside = [index_of[id(child)] for child in kinds.children(made.flat[index])]
        made.children[index] = tuple(inside)
        _link(made, inside, index, in_order=_is_sequence(made.flat[index]))


def _place_probes(made: Layout, owner: int) -> None:
    roots = _probes(made.flat[owner])
    prefix = f"{made.ids[owner][:LONGEST_PREFIX]}{PROBE}"
    placed = [made.add(raw, name=prefix + str(raw["id"])) for raw in kinds.walk(roots)]
    if not placed:
        return
    _place(made, roots, placed, parent=owner)
    made.owners |= dict.fromkeys(placed, owner)
    made.probes[owner] = tuple(index for index in placed if made.parents[index] == owner)


def _link(made: Layout, siblings: list[int], parent: int | None, *, in_order: bool) -> None:
    """Alternatives and branches have no next sibling."""
    if in_order:
        made.successors.update(zip(siblings, siblings[1:], strict=False))
    if parent is not None:
        made.parents.update(dict.fromkeys(siblings, parent))


def _probes(raw: RawNode) -> list[RawNode]:
    """The root nodes of a step's ``reconcile``."""
    properties: Mapping[str, Any] = {} if kinds.is_container(raw) else kinds.properties(raw)
    reconcile = properties.get("reconcile") if properties.get("on_unknown") == "reconcile" else None
    listed = reconcile.get("steps") if isinstance(reconcile, Mapping) else None
    return [node for node in listed if isinstance(node, Mapping)] if isinstance(listed, list) else []


def _is_sequence(container: RawNode) -> bool:
    """Whether its children lead to each other."""
    kind = kinds.kind_of(container)
    return kind in (kinds.AND, kinds.LOOP) or (kind == kinds.PARALLEL and container.get("fan_out") is not None)
