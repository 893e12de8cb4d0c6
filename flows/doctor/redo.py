"""May the steps that a redo repeats be repeated? (design/recovery.md, "Scope recovery" and ``REDO_NOT_SAFE``)"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from flows import kinds
from flows.closure import reach
from flows.doctor.exam import Examination, Found, checks_flow
from flows.doctor.library import Library
from flows.doctor.outline import Place
from flows.doctor.recovery import handles_failure
from flows.doctor.routes import exit_of, jump_targets
from flows.doctor.uses import uses
from flows.doctor.values import is_blank
from flows.kinds import RawNode
from flows.reading import EVERYTHING, names_read

Scope: TypeAlias = Place | None
"""The container that declares ``recovery``; ``None`` for the flow."""


@checks_flow
def safe_redo(exam: Examination) -> Iterator[Found]:
    """Every step that a redo may repeat is safe to repeat; each unsafe one is named once."""
    safety = _Safety(exam.library)
    named: set[int] = set()
    for scope, recovery in _scopes(exam):
        redo = recovery.get("redo")
        if redo not in ("this_and_after", "whole_group"):
            continue
        inside = [place for place in _inside(scope, exam) if place.owner is None]
        members = inside if redo == "whole_group" else _closure(scope, inside, exam)
        for place in members:
            if place.index not in named and not safety.is_safe(place.raw):
                named.add(place.index)
                yield Found("REDO_NOT_SAFE", place, (), _words(place, scope))


def _words(place: Place, scope: Scope) -> str:
    group = f"the group '{scope.id}'" if scope else "the flow"
    path = kinds.reference_path(place.get("function_ref"))
    acts = f"its function {path}" if path else "what it calls"
    return (
        f"{place.name} would run again when {group} is redone, but {acts} may act twice. "
        "Give it an undo, or an idempotency_key if its function takes one."
    )


def _scopes(exam: Examination) -> list[tuple[Scope, Mapping[str, Any]]]:
    """Every scope that declares ``recovery``, innermost last."""
    found: list[tuple[Scope, Any]] = [(None, exam.data.get("recovery"))]
    found += [(place, place.get("recovery")) for place in exam.outline.places if place.is_container]
    return [(scope, recovery) for scope, recovery in found if isinstance(recovery, Mapping)]


def _inside(scope: Scope, exam: Examination) -> list[Place]:
    places = exam.outline.places
    return places[scope.index + 1 : scope.last + 1] if scope else places


# --- the redo set of this_and_after ------------------------------------------------------------------------------


def _closure(scope: Scope, inside: list[Place], exam: Examination) -> list[Place]:
    """What a redo may repeat: the closures of all steps whose failure can reach this scope, together."""
    places = exam.outline.places
    readers = exam.once("readers", lambda: _readers(exam))

    def later(index: int) -> Iterator[int]:
        place = places[index]
        found = (*_order_edges(place, exam), *readers.get(place.id, ()), *readers.get(EVERYTHING, ()))
        return (each.index for each in found)

    seen = reach(
        (place.index for place in inside if _reaches(place, scope, exam)),
        later,
        lambda index: (child.index for child in places[index].children),
        within=lambda index: _is_in(places[index], scope),
    )
    return [place for place in inside if place.index in seen]


def _is_in(place: Place, scope: Scope) -> bool:
    return place.owner is None and (scope is None or scope.holds(place))


def _order_edges(place: Place, exam: Examination) -> Iterator[Place]:
    """To the next sibling or out of the container, and along jumps. None between children of an ``or`` or a parallel."""
    yield from jump_targets(place, exam.outline)
    following = exit_of(place)
    if following is not None:
        yield following


def _readers(exam: Examination) -> dict[str, list[Place]]:
    """By id, the nodes that read it: in a field of their own, or because a container around them does."""
    found: dict[str, list[Place]] = {}
    for place in exam.outline.places:
        for use in uses(exam)[place.index]:
            for name in names_read(use.references):
                found.setdefault(name, []).append(place)
    return found


def _reaches(place: Place, scope: Scope, exam: Examination) -> bool:
    """Whether a failure of ``place`` can meet row 6 of the ladder at ``scope``."""
    if place.get("must_succeed") is True or handles_failure(place) or _goes_on(place, exam):
        return False
    for outer in place.ancestors():
        if outer.kind in (kinds.LOOP, kinds.PARALLEL) and outer.get("on_error") in ("continue", "stop"):
            return False
    for outer in place.ancestors():
        recovery = outer.get("recovery")
        if outer is scope:
            return True
        if isinstance(recovery, Mapping) and recovery.get("then") != "escalate":
            return False
    return scope is None


def _goes_on(place: Place, exam: Examination) -> bool:
    """Row 4: ``error_strategy: continue`` for a call that declares no handling of its own."""
    calls = place.kind in (kinds.FUNCTION, kinds.AI_AGENT, kinds.AI_SEQUENCE)
    return exam.continues and calls and place.get("continue_on_fail") is None


# --- safety ------------------------------------------------------------------------------------------------------


class _Safety:
    """Answers whether a step may act twice; what the library cannot say counts as safe."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.flows: dict[str, bool] = {}

    def is_safe(self, raw: RawNode) -> bool:
        """Whether running this node again is safe. A container is judged by its steps, not here."""
        kind, held = kinds.kind_of(raw), kinds.properties(raw)
        if held.get("disabled") is True or isinstance(held.get("undo"), Mapping):
            return True
        if kind == kinds.FUNCTION:
            return self._is_safe_function(held.get("function_ref"), not is_blank(held.get("idempotency_key")))
        if kind in (kinds.AI_AGENT, kinds.AI_SEQUENCE, kinds.CHAT):
            return self._is_safe_agent(_agent(raw))
        return kind != kinds.SUB_FLOW or self._is_safe_flow(kinds.reference_path(held.get("flow_ref")))

    def _is_safe_function(self, reference: Any, has_key: bool) -> bool:
        path = kinds.reference_path(reference)
        if path is None or self.library.has_function(path) is None:
            return True
        manifest = self.library.manifest(path) or {}
        repeatable = manifest.get("idempotent") is True and (has_key or manifest.get("idempotency_param") is None)
        return manifest.get("effect") == "read" or repeatable

    def _is_safe_agent(self, path: str | None) -> bool:
        tools = self.library.agent_tools(path) if path else None
        return all(self._is_safe_function(tool, False) for tool in tools or ())

    def _is_safe_flow(self, path: str | None) -> bool:
        if path is None:
            return True
        if path not in self.flows:
            self.flows[path] = True  # a flow that calls itself is as safe as its other steps
            nodes = (self.library.definition(path) or {}).get("nodes")
            self.flows[path] = all(map(self.is_safe, kinds.walk(nodes if isinstance(nodes, list) else [])))
        return self.flows[path]


def _agent(raw: RawNode) -> str | None:
    held = kinds.properties(raw)
    configs = (held, raw.get("ai_config"), held.get("chat_config"))
    found = (config.get("agent_ref") for config in configs if isinstance(config, Mapping))
    return next((path for path in map(kinds.reference_path, found) if path), None)
