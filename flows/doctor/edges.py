"""Jumps: do they lead somewhere, and may they?"""

from collections.abc import Iterator
from typing import Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.routes import circles
from flows.text import short

_JUMPS: Final = {
    "error_edge": "INVALID_ERROR_EDGE",
    "timeout_edge": "INVALID_TIMEOUT_EDGE",
    "yes_branch": "INVALID_BRANCH_TARGET",
    "no_branch": "INVALID_BRANCH_TARGET",
}


@checks_nodes()
def jumps(place: Place, exam: Examination) -> Iterator[Found]:
    """Every jump names a node of its own graph, or ``end``."""
    for field, code in _JUMPS.items():
        target = place.get(field) if field.endswith("_edge") else place.properties.get(field)
        if target is None or target == kinds.END:
            continue
        aim = exam.outline.within(place).get(target) if isinstance(target, str) else None
        if aim is not None and may_jump(place, aim):
            continue
        if aim is not None or (isinstance(target, str) and _exists(target, place, exam)):
            yield Found("EDGE_LEAVES_BRANCH", place, (field,), _border_words(place, field, str(target)))
        else:
            words = f"{field} of {place.name} leads to {short(target)}, which does not exist. Name a step, or end."
            yield Found(code, place, (field,), words)


def may_jump(source: Place, target: Place) -> bool:
    """Whether a jump stays in its graph and enters no loop from outside."""
    return source.region == target.region and (target.body is None or target.body.holds(source))


@checks_flow
def possible_cycles(exam: Examination) -> Iterator[Found]:
    """An error or timeout edge that can lead back to its own step runs round for ever when the fault stays."""
    circle_of = circles(exam.outline)
    for place in exam.outline.places:
        for field in ("error_edge", "timeout_edge"):
            aim = exam.outline.within(place).get(str(place.get(field)))
            if aim is not None and circle_of[aim.index] == circle_of[place.index]:
                words = f"{field} leads to '{aim.id}', from which the flow comes back to {place.name}: it can go round for ever."
                yield Found("POSSIBLE_CYCLE", place, (field,), f"{words} Bound it with visits.{place.id}.")


def _exists(target: str, place: Place, exam: Examination) -> bool:
    inside = exam.outline.by_owner.get(place.index, {})
    return target in exam.outline.by_id or target in inside


def _border_words(place: Place, field: str, target: str) -> str:
    return (
        f"{field} of {place.name} leads to '{target}' across the border of a parallel branch, a loop or a reconcile. "
        "Name a step on this side, or end."
    )
