"""Ids and kinds: does every node have a name of its own, and is it something we know?"""

import re
from collections.abc import Iterator
from typing import Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.outline import Place
from flows.text import short

MAX_LENGTH: Final = 100
_ID: Final = re.compile(r"[\w-]+")


@checks_nodes()
def identity(place: Place, exam: Examination) -> Iterator[Found]:
    """Each node has an id made of letters, digits, ``_`` and ``-`` that the engine does not use itself."""
    found = place.raw.get("id")
    if not isinstance(found, str | None):
        words = f"An id is text, not {short(found)}. Write it in quotes."
        yield Found("INVALID_VALUE", place, ("id",), words)
    elif not place.id:
        words = "This step has no id. Give it one: a short name of letters, digits and _."
        yield Found("EMPTY_NODE_ID", place, ("id",), words)
    elif found in ("start", "end") or place.id.startswith("__"):
        words = f"{place.name} is a name the engine uses itself. Choose another id."
        yield Found("RESERVED_NODE_ID", place, ("id",), words)
    elif not _ID.fullmatch(place.id) or len(place.id) > MAX_LENGTH:
        words = f"An id has letters, digits, _ and -, at most {MAX_LENGTH} of them. {short(found)} does not."
        yield Found("INVALID_VALUE", place, ("id",), words)


@checks_flow
def unique_ids(exam: Examination) -> Iterator[Found]:
    """Ids share one namespace in the whole tree; two ``reconcile`` may use the same ones."""
    tree: set[str] = set()
    probes: dict[int, set[str]] = {}
    for place in exam.outline.places:
        seen = tree if place.owner is None else probes.setdefault(place.owner.index, set())
        taken = place.id in seen or (place.owner is not None and place.id in exam.outline.by_id)
        if place.id and taken:
            words = f"The id {place.name} is used twice. Give one of the two another id."
            yield Found("DUPLICATE_NODE_ID", place, ("id",), words)
        seen.add(place.id)


@checks_nodes()
def node_kind(place: Place, exam: Examination) -> Iterator[Found]:
    """``node_type``, ``step_type`` and ``container_type`` are ones we know."""
    node_type = place.raw.get("node_type")
    if node_type not in (kinds.STEP, kinds.CONTAINER):
        yield Found("UNKNOWN_NODE_TYPE", place, ("node_type",), _node_type_words(place))
    elif place.is_container:
        if place.kind not in kinds.CONTAINER_KINDS:
            words = f"A container is one of {', '.join(kinds.CONTAINER_KINDS)}, not {_given(place, 'container_type')}."
            yield Found("UNKNOWN_CONTAINER_TYPE", place, ("container_type",), words)
    else:
        step_type = place.properties.get("step_type")
        if step_type is not None and not (isinstance(step_type, str) and step_type in kinds.STEP_TYPES):
            words = f"step_type is one of {', '.join(sorted(kinds.STEP_TYPES))}, not {short(step_type)}."
            yield Found("UNKNOWN_STEP_TYPE", place, ("step_type",), words)


@checks_nodes(*kinds.STEP_KINDS, kinds.AI_SEQUENCE)
def action(place: Place, exam: Examination) -> Iterator[Found]:
    """A step has an ``action``: the words people know it by."""
    found = place.properties.get("action")
    if not place.is_container and (found is None or (isinstance(found, str) and not found.strip())):
        words = f"{place.name} has no action. Say in a few words what it does."
        yield Found("MISSING_ACTION", place, ("action",), words)


def _given(place: Place, key: str) -> str:
    return short(place.raw.get(key))


def _node_type_words(place: Place) -> str:
    words = f"node_type is {kinds.STEP} or {kinds.CONTAINER}, not {_given(place, 'node_type')}."
    if "step_type" in place.raw and place.raw.get("node_type") is None:
        return f"{words} A flat list with start, end and next_node is raisin's runtime format; the two are never mixed."
    return words
