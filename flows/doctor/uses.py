"""Every template and condition of a definition, read once: where it stands and what it looks up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flows import kinds
from flows.doctor.exam import Examination
from flows.doctor.outline import Place
from flows.doctor.values import is_blank, is_template
from flows.expressions import ExpressionError, Reference, parse_condition, parse_template
from flows.reading import COMMON, CONDITIONS, TEMPLATES, Scope
from flows.text import Path


@dataclass(frozen=True, slots=True)
class Use:
    """One template or condition. ``errors`` are what cannot be read in it, ``within`` them the place in the value."""

    place: Place
    field: Path
    scope: Scope
    references: tuple[Reference, ...] = ()
    errors: tuple[ExpressionError, ...] = ()
    is_unbalanced: bool = False
    is_empty: bool = False


def uses(exam: Examination) -> list[list[Use]]:
    """The uses of each place, by its index."""
    return exam.once("uses", lambda: [list(_of_place(place)) for place in exam.outline.places])


def _of_place(place: Place) -> Iterator[Use]:
    present = place.raw.keys() | place.properties.keys()
    for field, scope in (*COMMON, *TEMPLATES.get(place.kind, ())):
        value = place.at(field) if field[0] in present else None
        if is_template(value) or isinstance(value, list | dict):
            template = parse_template(value)
            if not template.is_constant or template.unbalanced:
                found, errors = template.references(), template.errors
                yield Use(place, field, scope, found, errors, template.unbalanced)
    for field, scope in CONDITIONS:
        value = place.at(field) if field[0] in present else None
        if value is not None:
            yield _condition(place, field, scope, value)
    yield from _decisions(place)


def _decisions(place: Place) -> Iterator[Use]:
    """Conditions that have to be there: a decision's, and those of rules."""
    if place.kind == kinds.DECISION and place.get("condition") is None:
        yield Use(place, ("condition",), "before", is_empty=True)
    rules = place.raw.get("rules") if place.kind == kinds.OR else None
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, Mapping):
            yield _condition(place, ("rules", number, "condition"), "before", rule.get("condition"))


def _condition(place: Place, field: Path, scope: Scope, value: Any) -> Use:
    if is_blank(value):
        return Use(place, field, scope, is_empty=True)
    try:
        return Use(place, field, scope, parse_condition(value).references())
    except ExpressionError as error:
        return Use(place, field, scope, errors=(error,))
