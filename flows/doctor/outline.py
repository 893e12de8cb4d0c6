"""The tree of a definition, whatever shape it is in: every node with its place among the others.

The nodes of a ``reconcile`` are in it too, as small graphs of their own inside their step.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

from flows import kinds
from flows.kinds import RawNode
from flows.text import Path

Region: TypeAlias = tuple[int, int]
"""A graph that no jump may leave: a parallel branch or a reconcile, by its container's index and the branch's."""

WHOLE_FLOW: Final[Region] = (-1, -1)

LOOP_NAMES: Final = frozenset({"iteration", "index"})
"""What ``while`` and ``times`` give to the body."""


@dataclass(eq=False, slots=True)
class Place:
    """One node and where it stands. ``id`` is empty for a node that has none.

    ``owner`` is the step in whose ``reconcile`` it stands. ``region`` is the graph it belongs to, ``body`` the innermost
    container around it whose inside can only be entered through the container itself.
    """

    index: int
    raw: RawNode
    properties: RawNode
    id: str
    kind: str
    is_container: bool
    path: Path
    parent: "Place | None"
    owner: "Place | None"
    region: Region
    body: "Place | None"
    number: int
    children: "list[Place]" = field(default_factory=list)
    probes: "list[Place]" = field(default_factory=list)
    """The root nodes of its ``reconcile``."""
    following: "Place | None" = None
    last: int = 0
    """The index of the last node inside it; its own where it holds none."""

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"'{self.id}'" if self.id else "This step"

    def get(self, name: str) -> Any:
        """A value that may stand on the node or in its ``properties``; ``None`` when it is missing."""
        found = self.raw.get(name)
        return found if found is not None else self.properties.get(name)

    def at(self, field: Path) -> Any:
        """The value at ``field``, whose first key :meth:`get` finds; ``None`` when there is none."""
        value = self.get(str(field[0]))
        for key in field[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def ancestors(self) -> "Iterator[Place]":
        """The containers around it, innermost first; of a node in a ``reconcile`` only those inside it."""
        place = self.parent
        while place is not None:
            yield place
            place = place.parent

    def holds(self, other: "Place") -> bool:
        """Whether ``other`` stands inside this container, at any depth."""
        return self.index < other.index <= self.last


class Outline:
    """All places in document order, parents before their children, a ``reconcile``'s nodes after their step."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.places: list[Place] = []
        self.roots = self._build(data)
        self.by_id: dict[str, Place] = {}
        for place in self.places:
            if place.id and place.owner is None:
                self.by_id.setdefault(place.id, place)

    @cached_property
    def by_owner(self) -> dict[int, dict[str, Place]]:
        """The nodes of each ``reconcile`` by id, for its step's index."""
        found: dict[int, dict[str, Place]] = {}
        for place in self.places:
            if place.id and place.owner is not None:
                found.setdefault(place.owner.index, {}).setdefault(place.id, place)
        return found

    def within(self, place: Place | None) -> dict[str, Place]:
        """What the ids of ``place``'s graph name for a jump: the flow's nodes, or those of its ``reconcile``."""
        return self.by_id if place is None or place.owner is None else self.by_owner.get(place.owner.index, {})

    def _build(self, data: Mapping[str, Any]) -> list[Place]:
        roots: list[Place] = []
        # Each entry is either a node still to be placed, or a placed one whose inside is now complete.
        stack: list[_Waiting | Place] = list(reversed(_waiting(data.get("nodes"), ("nodes",), None, None)))
        while stack:
            item = stack.pop()
            if isinstance(item, Place):
                item.last = len(self.places) - 1
                continue
            place = self._place(item)
            if place.parent:
                place.parent.children.append(place)
            else:
                (place.owner.probes if place.owner else roots).append(place)
            stack.append(place)
            stack.extend(reversed(_inside(place)))
        for siblings in [roots, *(group for place in self.places for group in (place.children, place.probes))]:
            for place, following in zip(siblings, siblings[1:], strict=False):
                place.following = following
        return roots

    def _place(self, item: "_Waiting") -> Place:
        raw, parent, owner = item.raw, item.parent, item.owner
        kind = kinds.kind_of(raw) if raw.get("node_type") in (kinds.STEP, kinds.CONTAINER) else ""
        found = raw.get("id")
        identifier = found if isinstance(found, str) and found.strip() else ""
        index = len(self.places)
        region, body = _surroundings(item)
        held, is_container = kinds.properties(raw), kinds.is_container(raw)
        place = Place(
            index, raw, held, identifier, kind, is_container, item.path, parent, owner, region, body, item.number
        )
        self.places.append(place)
        return place


@dataclass(frozen=True, slots=True)
class _Waiting:
    raw: RawNode
    path: Path
    number: int
    parent: Place | None
    owner: Place | None


def _waiting(nodes: Any, path: Path, parent: Place | None, owner: Place | None) -> list[_Waiting]:
    listed = nodes if isinstance(nodes, list) else []
    nodes_only = [(number, raw) for number, raw in enumerate(listed) if isinstance(raw, Mapping)]
    return [_Waiting(raw, (*path, number), place, parent, owner) for place, (number, raw) in enumerate(nodes_only)]


def _inside(place: Place) -> list[_Waiting]:
    if place.is_container:
        return _waiting(place.raw.get("children"), (*place.path, "children"), place, place.owner)
    reconcile = place.properties.get("reconcile")
    if place.owner is not None or not isinstance(reconcile, Mapping):
        return []
    return _waiting(reconcile.get("steps"), (*place.path, "properties", "reconcile", "steps"), None, place)


def _surroundings(item: _Waiting) -> tuple[Region, Place | None]:
    """The graph a node belongs to, and the innermost container that is entered at its front alone."""
    parent = item.parent
    if parent is None:
        return (WHOLE_FLOW, None) if item.owner is None else ((item.owner.index, 0), None)
    if parent.kind == kinds.PARALLEL:
        together = isinstance(parent.raw.get("fan_out"), Mapping)
        return (parent.index, 0 if together else item.number), None
    if parent.kind in (kinds.LOOP, kinds.AI_SEQUENCE, kinds.COMPETITION):
        return parent.region, parent
    return parent.region, parent.body
