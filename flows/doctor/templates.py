"""Do templates and conditions read what is there when they are evaluated? (reference/flow-format.md, section 8)"""

from collections.abc import Iterator, Mapping
from typing import Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_nodes
from flows.doctor.guards import missing_guard
from flows.doctor.outline import LOOP_NAMES, Place
from flows.doctor.uses import Use, uses
from flows.expressions import Reference

NAMESPACES: Final = frozenset({"input", "steps", "trigger", "error", "visits", "history", "flow", "__human_response"})
_BY_STEP: Final = ("steps", "visits", "history")
_SCOPE_NAMES: Final = {"own": {"output"}, "answer": {"response", "responses"}}


@checks_nodes()
def readable(place: Place, exam: Examination) -> Iterator[Found]:
    """Every expression is in the language."""
    for use in uses(exam)[place.index]:
        name = str(use.field[-1])
        if use.is_empty:
            words = f"{name} of {place.name} is blank. Write a condition, or true."
            yield Found("EMPTY_CONDITION", place, use.field, words)
        if use.is_unbalanced:
            words = f"{name} of {place.name} holds a ${{ or {{{{ that never ends, so it stays text. Close it."
            yield Found("TEMPLATE_UNBALANCED", place, use.field, words)
        for error in use.errors:
            words = f"{name} of {place.name} cannot be read: {error}."
            yield Found("INVALID_CONDITION", place, (*use.field, *error.within), words)


@checks_nodes()
def lookups(place: Place, exam: Examination) -> Iterator[Found]:
    """Every name that is read exists and has its value by then."""
    for use in uses(exam)[place.index]:
        yield from dict.fromkeys(_lookups(use, exam))


def _lookups(use: Use, exam: Examination) -> Iterator[Found]:
    torn: set[str] = set()
    for reference in use.references:
        field = (*use.field, *reference.within)
        if reference.root not in _BY_STEP:
            if reference.root not in torn and not _is_name(reference, use):
                yield Found("TEMPLATE_UNKNOWN_ROOT", use.place, field, _root_words(reference, exam))
            continue
        hyphenated = _hyphenated(reference, use, exam)
        if hyphenated:
            torn.update(hyphenated.split("-"))
            words = f"{reference.root}.{hyphenated} subtracts. Write {reference.root}['{hyphenated}']."
            yield Found("TEMPLATE_HYPHENATED_STEP_PATH", use.place, field, words)
        elif reference.path:
            for code, words in _step_problem(reference, use, exam):
                yield Found(code, use.place, field, words)


def _is_name(reference: Reference, use: Use) -> bool:
    return (
        reference.is_forgiven
        or reference.root in NAMESPACES
        or reference.root in _SCOPE_NAMES.get(use.scope, ())
        or reference.root in loop_names(use.place, use.scope == "body")
    )


def loop_names(place: Place, inside: bool = False) -> set[str]:
    """The loop variables that can be read at ``place``; of its own loop too when ``inside``."""
    around = [*place.ancestors(), *([place] if inside else [])]
    if place.owner is not None:
        around += [place.owner, *place.owner.ancestors()]
    return {name for loop in around if loop.kind == kinds.LOOP for name in _variables(loop)}


def _variables(loop: Place) -> set[str]:
    own = loop.raw.get("loop")
    if not isinstance(own, Mapping):
        return set()
    if own.get("over") is None:
        return set(LOOP_NAMES)
    return {str(own.get("item") or "item"), str(own.get("index") or "")}


def _known(place: Place, exam: Examination) -> Mapping[str, Place]:
    """The ids whose steps can be read at ``place`` itself."""
    probes = exam.outline.by_owner.get(place.owner.index, {}) if place.owner else {}
    return {**exam.outline.by_id, **probes} if probes else exam.outline.by_id


def _target(name: str, use: Use, exam: Examination) -> Place | None:
    if use.scope == "probes":
        probe = exam.outline.by_owner.get(use.place.index, {}).get(name)
        if probe is not None:
            return probe
    return _known(use.place, exam).get(name)


def _hyphenated(reference: Reference, use: Use, exam: Examination) -> str | None:
    """The id that was meant by a subtraction such as ``steps.create-user``."""
    if reference.hyphen is None or len(reference.path) != 1 or reference.path[0].is_bracket:
        return None
    parts = reference.hyphen.name.split("-")
    for length in range(len(parts), 1, -1):
        name = "-".join(parts[:length])
        if _target(name, use, exam) and (reference.hyphen.is_tight or not _target(parts[0], use, exam)):
            return name
    unknown = reference.hyphen.is_tight and _target(parts[0], use, exam) is None
    return reference.hyphen.name if unknown else None


def _step_problem(reference: Reference, use: Use, exam: Examination) -> Iterator[tuple[str, str]]:
    name = str(reference.path[0].name)
    target, place = _target(name, use, exam), use.place
    router = _routed(name, exam) if target is None else None
    if router is not None:
        if reference.root == "steps" and router.index >= place.index:
            yield "TEMPLATE_FORWARD_REF", _forward_words(name, router, use)
    elif target is None:
        yield _unknown_step(name, use, exam)
    elif reference.root == "steps":
        if not _is_before(target, use):
            yield "TEMPLATE_FORWARD_REF", _forward_words(name, target, use)
        elif not reference.is_forgiven and target is not place:
            guard = missing_guard(target, place, exam)
            if guard:
                yield (
                    "MAYBE_NOT_RUN_REF",
                    f"'{name}' may not have run when {place.name} reads it ({guard}): it is then null.",
                )


def _routed(name: str, exam: Examination) -> Place | None:
    """The ``or`` whose router's choice is recorded under ``name``: from then on the chosen branch can read it, too."""
    owner = exam.outline.by_id.get(name.removesuffix("__router")) if name.endswith("__router") else None
    has_router = owner is not None and owner.kind == kinds.OR and owner.raw.get("router") is not None
    return owner if has_router else None


def _unknown_step(name: str, use: Use, exam: Examination) -> tuple[str, str]:
    for index, probes in exam.outline.by_owner.items():
        if name in probes:
            owner = exam.outline.places[index]
            return "RECONCILE_ID_USED_OUTSIDE", f"'{name}' exists only inside the reconcile of {owner.name}."
    known = _known(use.place, exam)
    words = f"There is no step '{name}'.{exam.did_you_mean(name, known)}"
    return ("LOOP_CONDITION_UNKNOWN_STEP" if use.scope == "body" else "TEMPLATE_UNKNOWN_STEP"), words


def _is_before(target: Place, use: Use) -> bool:
    """Whether ``target`` can have an output when the use is evaluated, by the order of the document."""
    place = use.place
    if target is place:
        return use.scope == "own"
    if use.scope == "body" and place.holds(target):
        return True
    if use.scope == "probes" and target.owner is place:
        return True
    around = place if target.owner is place.owner else place.owner
    return around is not None and target.index < around.index and not target.holds(around)


def _forward_words(name: str, target: Place, use: Use) -> str:
    if target is use.place or target.holds(use.place):
        return f"{use.place.name} reads '{name}', which has no output yet. Read history['{name}'] for earlier ones."
    return f"{use.place.name} reads '{name}', which runs later. Read a step before it."


def _root_words(reference: Reference, exam: Examination) -> str:
    words = f"'{reference.root}' is no namespace and no loop variable: the step fails unless an earlier output has that key."
    return words + exam.did_you_mean(reference.root, NAMESPACES)
