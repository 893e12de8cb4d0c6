"""What has to be true for a node to run at all, so that a reader can be told when it may not have.

A node's guards are those of the containers around it and its own: its ``when``, the rule that chose it, the decisions
that can jump over it, the parallel branch it is in.
"""

from collections.abc import Sequence
from typing import TypeAlias

from flows import kinds
from flows.doctor.exam import Examination
from flows.doctor.outline import Place
from flows.doctor.routes import follows_siblings

Guard: TypeAlias = tuple[int, str]
"""The place that decides and how messages say it."""


def missing_guard(target: Place, reader: Place, exam: Examination) -> str | None:
    """Why ``target`` may not have run although ``reader`` does; ``None`` when it always has."""
    for outer in (reader.owner or reader).ancestors():
        if outer.kind == kinds.PARALLEL and not outer.holds(target):
            return f"a branch of {outer.name} does not see the steps around it"
    guards = exam.once("guards", lambda: _all_guards(exam))
    open_ones = guards[target.index] - guards[reader.index]
    if not open_ones:
        return None
    return min(open_ones)[1]


def _all_guards(exam: Examination) -> list[frozenset[Guard]]:
    found: list[frozenset[Guard]] = []
    skipped = _jumped_over(exam)
    for place in exam.outline.places:
        around = place.parent or place.owner
        own = [*_own(place), *skipped.get(place.index, ())]
        inherited = found[around.index] if around else frozenset()
        found.append(inherited | frozenset(own) if own else inherited)
    return found


def _own(place: Place) -> list[Guard]:
    guards: list[Guard] = []
    if place.get("when") is not None:
        guards.append((place.index, "it has a condition of its own"))
    if place.properties.get("disabled") is True:
        guards.append((place.index, "it is disabled"))
    if place.parent is not None and place.parent.kind == kinds.OR:
        guards.append((place.index, f"'{place.parent.id}' may choose another branch"))
    if place.parent is not None and place.parent.kind == kinds.PARALLEL:
        branch = place.parent if follows_siblings(place.parent) else place
        guards.append((branch.index, f"a branch of '{place.parent.id}' keeps its outputs to itself"))
    return guards


def _jumped_over(exam: Examination) -> dict[int, list[Guard]]:
    """For the siblings between a decision and the farther of its arms: that decision."""
    found: dict[int, list[Guard]] = {}
    groups: list[Sequence[Place]] = [exam.outline.roots, *(place.children for place in exam.outline.places)]
    for siblings in groups:
        number_of = {place.id: number for number, place in enumerate(siblings)}
        for number, place in enumerate(siblings):
            if place.kind != kinds.DECISION:
                continue
            arms = [place.properties.get(arm) for arm in ("yes_branch", "no_branch")]
            targets = [number + 1 if arm is None else number_of.get(str(arm), number) for arm in arms]
            for passed in siblings[number + 1 : max(targets)]:
                found.setdefault(passed.index, []).append((place.index, f"{place.name} may jump over it"))
    return found
