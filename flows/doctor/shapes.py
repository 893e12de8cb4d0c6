"""Is every value of the type its place asks for, and every key one that means something?"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.keys import (
    CONTAINER_KEYS,
    CONTAINER_NODE,
    FLOW,
    STEP_KEYS,
    STEP_NODE,
    TYPES,
    UNSUPPORTED,
    Keys,
)
from flows.doctor.outline import Place
from flows.text import Path, short

_OWN_CHECKS: Final = ("loop", "router", "fan_out", "merge_strategy")
"""Keys that have a code of their own where they stand on the wrong container."""


@checks_flow
def flow_shape(exam: Examination) -> Iterator[Found]:
    """``nodes`` is a list of maps, and nothing else stands beside it that means nothing."""
    nodes = exam.data.get("nodes")
    if nodes is not None and not isinstance(nodes, list):
        yield Found("INVALID_VALUE", None, ("nodes",), f"nodes is a list of steps, not {short(nodes)}.")
    elif not nodes:
        yield Found("EMPTY_FLOW", None, ("nodes",), "This flow has no steps: a run of it ends at once. Add one.")
    yield from _no_maps(nodes, None, ("nodes",))
    if exam.data.get("timeout_ms") is not None:
        words = "timeout_ms of the whole flow is kept and not enforced. Give steps their own."
        yield Found("UNSUPPORTED_PROPERTY", None, ("timeout_ms",), words, "suggestion")
    yield from _members(exam.data, FLOW, None, ())


@checks_nodes()
def node_shape(place: Place, exam: Examination) -> Iterator[Found]:
    """The node's own maps and lists."""
    held = place.raw.get("properties")
    if held is not None and not isinstance(held, Mapping):
        yield Found("INVALID_VALUE", place, ("properties",), f"properties is a map, not {short(held)}.")
    children = place.raw.get("children")
    if place.is_container and children is not None and not isinstance(children, list):
        yield Found("INVALID_VALUE", place, ("children",), f"children is a list of steps, not {short(children)}.")
    elif place.is_container:
        yield from _no_maps(children, place, ("children",))
    reconcile = place.properties.get("reconcile")
    if isinstance(reconcile, Mapping):
        yield from _no_maps(reconcile.get("steps"), place, ("reconcile", "steps"))


@checks_nodes()
def known_keys(place: Place, exam: Examination) -> Iterator[Found]:
    """Every key means something on this kind of node, and its value has the right type."""
    known = (CONTAINER_KEYS if place.is_container else STEP_KEYS).get(place.kind)
    if known is None:
        return
    fixed = CONTAINER_NODE if place.is_container else STEP_NODE
    allowed = known if place.is_container else {key: known[key] for key in known if key in fixed}
    own = {key: value for key, value in place.raw.items() if key in allowed or key not in fixed}
    yield from _members(own, allowed, place, ())
    yield from _members(place.properties, known, place, ())
    if place.kind == kinds.SUB_FLOW and place.properties.get("async") is True:
        words = "async changes nothing here: the step always waits for its flow. Remove it."
        yield Found("UNSUPPORTED_PROPERTY", place, ("async",), words)


def _no_maps(nodes: Any, place: Place | None, field: Path) -> Iterator[Found]:
    for number, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        if not isinstance(raw, Mapping):
            yield Found("INVALID_VALUE", place, (*field, number), f"A step is a map, not {short(raw)}.")


def _members(values: Mapping[str, Any], known: Keys, place: Place | None, field: Path) -> Iterator[Found]:
    for key, value in values.items():
        if key in known:
            yield from _value(value, known[key], place, (*field, str(key)))
        elif key in UNSUPPORTED:
            words = f"{key} is kept and has no effect here."
            yield Found("UNSUPPORTED_PROPERTY", place, (*field, key), words)
        elif key not in _OWN_CHECKS or field or place is None or not place.is_container:
            words = f"{short(key)} means nothing here and is kept. Remove it, or check its spelling."
            yield Found("UNKNOWN_PROPERTY", place, (*field, str(key)), words)


def _value(value: Any, type_: str | Keys, place: Place | None, field: Path) -> Iterator[Found]:
    if value is None:
        return
    words, fits = TYPES[type_ if isinstance(type_, str) else "object"]
    if not fits(value):
        yield Found("INVALID_VALUE", place, field, f"{field[-1]} is {words}, not {short(value)}.")
    elif not isinstance(type_, str):
        yield from _members(value, type_, place, field)
