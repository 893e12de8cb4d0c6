"""Templated values (reference/expressions.md, section 10): any JSON value with markers in its strings."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flows.expressions.errors import ExpressionError, Fault, Within
from flows.expressions.limits import MAX_DEPTH, Compute, Evaluation, too_deep
from flows.expressions.references import Reference
from flows.expressions.strings import StringTemplate, read_string
from flows.expressions.values import CONTAINERS

Parts: TypeAlias = tuple[tuple[Any, Compute], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A templated value, read. Immutable as long as nobody changes the value it was read from; safe among threads.

    ``errors`` are the markers that do not parse, in the order of the value; :meth:`resolve` raises the first.
    ``unbalanced`` says that a string holds a marker that begins and never ends, which makes it ordinary text.
    """

    value: Any
    errors: tuple[ExpressionError, ...]
    unbalanced: bool
    _compute: Compute | None = field(repr=False)
    _strings: tuple[tuple[Within, StringTemplate], ...] = field(repr=False)

    @property
    def is_constant(self) -> bool:
        """Whether it resolves to itself, whatever the context."""
        return self._compute is None and not self.errors

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """The value with its markers resolved; ``context`` as for :meth:`Expression.evaluate`.

        The arrays and objects around markers are new. What holds no marker is shared with the template, and what a
        marker gives is shared with the context: copy the result before changing anything inside it.
        Raises :class:`ExpressionError`, whose ``within`` leads to the string that failed.
        """
        if self.errors:
            raise copy(self.errors[0])
        if self._compute is None:
            return self.value
        return self._compute(Evaluation(context))

    def references(self) -> tuple[Reference, ...]:
        """What its markers look up, in the order of the value; those of markers that do not parse are missing."""
        return tuple(found.inside(within) for within, string in self._strings for found in string.references)


def parse_template(value: Any) -> Template:
    """Read ``value``, any JSON value. Never raises: what is wrong is in :attr:`Template.errors`."""
    strings: list[tuple[Within, StringTemplate]] = []
    try:
        compute = _read(value, (), strings)
    except Fault as fault:
        return Template(value, (ExpressionError("evaluation", fault.message, 1, 1),), False, None, ())
    errors = tuple(error.inside(within) for within, string in strings for error in string.errors)
    return Template(value, errors, any(string.is_unbalanced for _, string in strings), compute, tuple(strings))


def resolve(value: Any, context: Mapping[str, Any]) -> Any:
    """``value`` with its markers resolved, as :meth:`Template.resolve` gives it."""
    return parse_template(value).resolve(context)


def _read(value: Any, within: Within, strings: list[tuple[Within, StringTemplate]]) -> Compute | None:
    """The function that resolves ``value``, or None when nothing in it changes. Collects its ``strings``."""
    if isinstance(value, str):
        string = read_string(value)
        if string is None:
            return None
        strings.append((within, string))
        return string.compute
    if not isinstance(value, CONTAINERS):
        return None
    if len(within) >= MAX_DEPTH:
        raise too_deep()
    parts: list[tuple[Any, Compute]] = []
    for key, part in _parts(value):
        compute = _read(part, (*within, key), strings)
        if compute is not None:
            parts.append((key, compute))
    return _container(value.copy(), tuple(parts)) if parts else None


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, dict) else enumerate(value)


def _container(pattern: Any, parts: Parts) -> Compute:
    """Resolves ``parts`` of an array or object. Copying the pattern first keeps the order of its members."""

    def container(run: Evaluation) -> Any:
        result = pattern.copy()
        key: Any = None
        try:
            for key, compute in parts:
                result[key] = compute(run)
        except ExpressionError as error:
            raise error.inside((key,)) from None
        return result

    return container
