"""One string with markers (reference/expressions.md, section 10)."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from flows.expressions.errors import ExpressionError, Fault, Lines, located
from flows.expressions.expression import CACHED_LENGTH, CACHED_TEXTS, Expression, read
from flows.expressions.limits import MAX_TEMPLATE, Compute, Evaluation, refuse_too_long
from flows.expressions.markers import Split, has_opening, split
from flows.expressions.references import Reference, references
from flows.expressions.texts import interpolated, utf8_size

Placed: TypeAlias = tuple[int, Expression]
"""An expression and where it begins in the string."""

MOST_ERRORS = 10


@dataclass(frozen=True, eq=False)
class StringTemplate:
    """A string that has or may have markers. ``compute`` is None when it resolves to itself or has ``errors``.

    ``compute`` raises :class:`ExpressionError` with the place in the whole string. Reading stops at ``MOST_ERRORS``.
    """

    text: str
    errors: tuple[ExpressionError, ...]
    is_unbalanced: bool
    expressions: tuple[Placed, ...] = ()
    compute: Compute | None = field(repr=False, default=None)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """What its markers look up, placed in the whole string."""
        lines = Lines(self.text)
        return tuple(
            reference
            for at, expression in self.expressions
            for reference in references(expression.tree, self.text, lines, at)
        )


def read_string(text: str) -> StringTemplate | None:
    """The template in ``text``; None when no marker begins in it."""
    if not has_opening(text):
        return None
    return _read_cached(text) if len(text) <= CACHED_LENGTH else _read(text)


def _read(text: str) -> StringTemplate:
    if len(text) > MAX_TEMPLATE:
        error = located("evaluation", f"a string with markers has at most {MAX_TEMPLATE} characters", text, 0)
        return StringTemplate(text, (error,), is_unbalanced=False)
    parts = split(text)
    expressions: list[Placed] = []
    errors: list[ExpressionError] = []
    for marker in parts.markers:
        try:
            expressions.append((marker.at, read(marker.text)))
        except Fault as fault:
            errors.append(located("parse", fault.message, text, marker.at + fault.at))
            if len(errors) == MOST_ERRORS:
                break
    found = tuple(expressions)
    compute = None if errors or not found else _compute(text, parts, found)
    return StringTemplate(text, tuple(errors), parts.is_unbalanced, found, compute)


_read_cached = lru_cache(maxsize=CACHED_TEXTS)(_read)


def _compute(text: str, parts: Split, expressions: tuple[Placed, ...]) -> Compute:
    if parts.is_whole:
        [(at, expression)] = expressions
        return _whole(text, at, expression)
    return _mixed(text, parts.literals, expressions)


def _whole(text: str, at: int, expression: Expression) -> Compute:
    """One marker alone: the value itself, with its type."""
    compute, finish = expression.compute, expression.finish

    def whole(run: Evaluation) -> Any:
        try:
            return finish(compute(run))
        except Fault as fault:
            raise located("evaluation", fault.message, text, at + run.at) from None

    return whole


def _mixed(text: str, literals: tuple[str, ...], expressions: tuple[Placed, ...]) -> Compute:
    """Text and markers: a string, whose size is known before it is made."""
    first, *following = literals
    size_of_literals = sum(map(utf8_size, literals))

    def mixed(run: Evaluation) -> str:
        pieces = [first]
        size = size_of_literals
        at = 0
        try:
            for (begin, expression), literal in zip(expressions, following, strict=True):
                at = begin
                value = expression.compute(run)
                run.at = 0
                written = interpolated(value, run)
                size += utf8_size(written)
                refuse_too_long(size)
                pieces += (written, literal)
            run.make(size)
        except Fault as fault:
            raise located("evaluation", fault.message, text, at + run.at) from None
        return "".join(pieces)

    return mixed
