"""A definition as a table: one row for each step and container, whatever shape it is in. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows import kinds
from flows.doctor.outline import Outline, Place
from flows.runtime import as_steps
from flows.text import MAX_DEPTH, short
from flows.values import is_shallow


@dataclass(frozen=True, slots=True)
class Row:
    """One node. ``depth`` counts the containers around it; empty texts where there is nothing to say."""

    id: str
    depth: int
    kind: str
    action: str
    target: str
    """The function, assignee, agent or flow."""
    error_edge: str
    timeout_edge: str
    compensation: str


def rows(workflow_data: Any) -> list[Row]:
    """Every node of ``workflow_data`` in document order; none for what is no definition."""
    if not isinstance(workflow_data, Mapping) or not is_shallow(workflow_data, MAX_DEPTH):
        return []
    return [_row(place) for place in Outline(as_steps(workflow_data)).places]


def _row(place: Place) -> Row:
    return Row(
        id=place.id,
        depth=sum(1 for _ in place.ancestors()) + (1 if place.owner else 0),
        kind=place.kind or _text(place.raw.get("node_type")),
        action=_text(place.get("action")),
        target=_target(place),
        error_edge=_text(place.get("error_edge")),
        timeout_edge=_text(place.get("timeout_edge")),
        compensation=kinds.reference_path(place.get("compensation_ref")) or "",
    )


def _target(place: Place) -> str:
    references = (
        ("function_ref",),
        ("flow_ref",),
        ("agent_ref",),
        ("ai_config", "agent_ref"),
        ("chat_config", "agent_ref"),
    )
    if place.kind == kinds.HUMAN_TASK:
        return _text(place.get("assignee"))
    return next((path for path in (kinds.reference_path(place.at(field)) for field in references) if path), "")


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else short(value)
