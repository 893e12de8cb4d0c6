"""Which node can come after which: the ways a run can take, without the way back of a loop."""

from collections.abc import Sequence
from typing import Final

from flows import kinds
from flows.doctor.outline import Outline, Place

_EDGES: Final = ("error_edge", "timeout_edge")
_ARMS: Final = ("yes_branch", "no_branch")


def exit_of(place: Place) -> Place | None:
    """Where the flow goes when ``place`` is done: its next sibling, or out of the containers it ends."""
    while place.parent is not None and (place.following is None or not follows_siblings(place.parent)):
        place = place.parent
    return place.following


def follows_siblings(container: Place) -> bool:
    """Whether its children run one after the other. Those of a fan-out do: together they are one branch."""
    if container.kind == kinds.PARALLEL:
        return container.raw.get("fan_out") is not None
    return container.kind not in (kinds.OR, kinds.COMPETITION)


def jump_targets(place: Place, outline: Outline) -> list[Place]:
    """The nodes its jumps name."""
    known = outline.within(place)
    named = [place.get(field) for field in _EDGES]
    named += [place.properties.get(field) for field in _ARMS] if place.kind == kinds.DECISION else []
    return [known[name] for name in named if isinstance(name, str) and name in known]


def successors(place: Place, outline: Outline) -> list[Place]:
    """Every node that can be entered next after ``place`` was."""
    targets = jump_targets(place, outline)
    if place.kind == kinds.STOP:
        return targets
    if place.children:
        targets += place.children[:1] if follows_siblings(place) else place.children
    arms = [place.properties.get(field) for field in _ARMS] if place.kind == kinds.DECISION else [None]
    leaving = exit_of(place) if any(arm is None for arm in arms) else None
    return [*targets, leaving] if leaving is not None else targets


def circles(outline: Outline) -> Sequence[int]:
    """For each node a number that it shares with exactly the nodes it can reach and be reached from."""
    forward = [[target.index for target in successors(place, outline)] for place in outline.places]
    backward: list[list[int]] = [[] for _ in forward]
    for source, targets in enumerate(forward):
        for target in targets:
            backward[target].append(source)
    found = [-1] * len(forward)
    for start in reversed(_finished(forward)):
        stack = [start] if found[start] < 0 else []
        while stack:
            index = stack.pop()
            if found[index] < 0:
                found[index] = start
                stack.extend(backward[index])
    return found


def _finished(forward: Sequence[Sequence[int]]) -> list[int]:
    """The nodes in the order in which a depth-first walk leaves them."""
    order: list[int] = []
    seen = [False] * len(forward)
    for root in range(len(forward)):
        if seen[root]:
            continue
        seen[root] = True
        stack = [(root, iter(forward[root]))]
        while stack:
            index, targets = stack[-1]
            for target in targets:
                if not seen[target]:
                    seen[target] = True
                    stack.append((target, iter(forward[target])))
                    break
            else:
                stack.pop()
                order.append(index)
    return order
