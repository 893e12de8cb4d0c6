"""Conditions: what decides a branch (reference/expressions.md, sections 5 and 11)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from flows.expressions.errors import ExpressionError, Fault, Lines, located
from flows.expressions.expression import CACHED_LENGTH, CACHED_TEXTS, Expression, read
from flows.expressions.limits import MAX_TEMPLATE, Evaluation
from flows.expressions.markers import has_opening, split
from flows.expressions.references import Reference, references
from flows.expressions.values import NUMBERS, is_true, type_name


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition, read. ``expression`` is None when the field held a plain value, whose truth is ``constant``.

    ``at`` is the offset of the expression in ``text``, which is the whole field.
    """

    text: str
    at: int = 0
    expression: Expression | None = None
    constant: bool = False

    def holds(self, context: Mapping[str, Any]) -> bool:
        """Its truth; ``context`` as for :meth:`Expression.evaluate`. One that fails is not false: it raises."""
        if self.expression is None:
            return self.constant
        run = Evaluation(context)
        try:
            return is_true(self.expression.compute(run))
        except Fault as fault:
            raise located("evaluation", fault.message, self.text, self.at + run.at) from None

    def references(self) -> tuple[Reference, ...]:
        """What it looks up, in the order of the text."""
        return self._references

    @cached_property
    def _references(self) -> tuple[Reference, ...]:
        if self.expression is None:
            return ()
        return tuple(references(self.expression.tree, self.text, Lines(self.text), self.at))


def parse_condition(field: Any) -> Condition:
    """The condition in ``field``: a text, bare or wrapped in one marker, or a boolean, null or number as it is.

    Raises :class:`ExpressionError` of kind ``parse``.
    """
    if isinstance(field, str):
        return _read_cached(field) if len(field) <= CACHED_LENGTH else _read(field)
    if field is None or isinstance(field, NUMBERS):  # booleans are among them
        return Condition("", constant=is_true(field))
    raise ExpressionError("parse", f"a condition is a text, true or false, not {type_name(field)}", 1, 1)


def holds(field: Any, context: Mapping[str, Any]) -> bool:
    """Whether the condition in ``field`` holds, as :meth:`Condition.holds` says."""
    return parse_condition(field).holds(context)


def _read(text: str) -> Condition:
    bare, at = _unwrapped(text)
    try:
        return Condition(text, at, read(bare))
    except Fault as fault:
        raise located("parse", fault.message, text, at + fault.at) from None


_read_cached = lru_cache(maxsize=CACHED_TEXTS)(_read)


def _unwrapped(text: str) -> tuple[str, int]:
    """``text`` without the one marker around the whole of it, and where that begins. Anything else stays as it is."""
    if has_opening(text) and len(text) <= MAX_TEMPLATE:
        parts = split(text)
        if parts.is_whole:
            return parts.markers[0].text, parts.markers[0].at
    return text, 0
