"""One expression: read once, evaluated often."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

from flows.expressions.errors import Fault, Lines, located
from flows.expressions.evaluator import compile_tree
from flows.expressions.limits import Compute, Evaluation
from flows.expressions.parser import parse_tree
from flows.expressions.references import Reference, references
from flows.expressions.tree import Constant, Tree, walk
from flows.expressions.values import CONTAINERS, outgoing, outgoing_deep

CACHED_LENGTH = 1024
"""Longer texts are read anew each time: keep the :class:`Expression`. It bounds what the caches can hold."""

CACHED_TEXTS = 1024


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression that is in the language. Immutable, and safe to share among threads.

    A value that it gives is shared with the context: copy it before changing it. Arrays and objects written in the
    expression itself are made anew for each evaluation.
    """

    text: str
    tree: Tree
    compute: Compute = field(repr=False)
    """Evaluates within an :class:`Evaluation`; raises :class:`Fault`. For the package, as is ``finish``."""
    finish: Callable[[Any], Any] = field(repr=False)
    """What becomes of the value on its way out of the language."""

    def evaluate(self, context: Mapping[str, Any]) -> Any:
        """Its value. ``context`` is asked for the top-level names that are needed, and for no other.

        A ``KeyError`` of the context means an unknown name. Raises :class:`ExpressionError` of kind ``evaluation``.
        """
        run = Evaluation(context)
        try:
            return self.finish(self.compute(run))
        except Fault as fault:
            raise located("evaluation", fault.message, self.text, run.at) from None

    def references(self) -> tuple[Reference, ...]:
        """What it looks up in the context, in the order of the text."""
        return self._references

    @cached_property
    def _references(self) -> tuple[Reference, ...]:
        return tuple(references(self.tree, self.text, Lines(self.text)))


def parse(text: str) -> Expression:
    """The expression in ``text``; raises :class:`ExpressionError` of kind ``parse``."""
    try:
        return read(text)
    except Fault as fault:
        raise located("parse", fault.message, text, fault.at) from None


def evaluate_text(text: str, context: Mapping[str, Any]) -> Any:
    """The value of the expression in ``text``, as :meth:`Expression.evaluate` gives it."""
    return parse(text).evaluate(context)


def read(text: str) -> Expression:
    """As :func:`parse`, for the package: raises :class:`Fault` with an offset, as the text may be part of another."""
    return _read_cached(text) if len(text) <= CACHED_LENGTH else _read(text)


def _read(text: str) -> Expression:
    tree = parse_tree(text)
    branches = list(walk(tree))
    finish = outgoing_deep if any(_holds_infinity(branch) for branch, _ in branches) else outgoing
    return Expression(text, tree, compile_tree(branches), finish)


_read_cached = lru_cache(maxsize=CACHED_TEXTS)(_read)


def _holds_infinity(branch: Tree) -> bool:
    return isinstance(branch, Constant) and isinstance(branch.value, CONTAINERS) and _is_infinite(branch.value)


def _is_infinite(value: Any) -> bool:
    if isinstance(value, CONTAINERS):
        return any(map(_is_infinite, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not isfinite(value)
