"""Tree to closures (reference/expressions.md, sections 4 to 7 and 11).

Compiling happens once, evaluating on every step of every run, so each branch becomes one function that knows its parts
already. A chain is a loop inside one function; only nesting calls deeper.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from flows.expressions.filters import FILTERS
from flows.expressions.limits import Compute, Evaluation
from flows.expressions.lookups import Step, access, call, index, member, path
from flows.expressions.operators import ARITHMETIC, COMPARISONS, negative
from flows.expressions.tree import (
    DEFAULT_FILTERS,
    Access,
    Arithmetic,
    Call,
    Comparison,
    Constant,
    Filter,
    Filtered,
    Index,
    Logic,
    Member,
    Name,
    Negative,
    Not,
    Tree,
)
from flows.expressions.values import CONTAINERS

Compiled: TypeAlias = dict[int, Compute]  # by id() of the branch


def compile_tree(branches: Sequence[tuple[Tree, bool]]) -> Compute:
    """The function that evaluates the first of ``branches``, all of a tree as :func:`walk` gives them.

    It raises :class:`Fault` with its place in :attr:`Evaluation.at`. Parts come before what they are part of, in a
    loop: a deep tree costs no call stack here.
    """
    compiled: Compiled = {}
    for tree, forgiven in reversed(branches):
        compiled[id(tree)] = _compute(tree, forgiven, compiled)
    return compiled[id(branches[0][0])]


def _compute(tree: Tree, forgiven: bool, compiled: Compiled) -> Compute:
    match tree:
        case Constant(value):
            return _literal(value)
        case Name(name, at):
            return path(name, (), at, forgiven)
        case Access(Name(name, at), steps) if all(isinstance(step, Member) for step in steps):
            return path(name, tuple(step.name for step in steps if isinstance(step, Member)), at, forgiven)
        case Access():
            return access(
                compiled[id(tree.base)],
                tuple(_step(step, forgiven, compiled) for step in tree.steps),
            )
        case Negative(operand, at):
            return _negative(compiled[id(operand)], at)
        case Not(operand):
            return _not(compiled[id(operand)])
        case Arithmetic():
            return _arithmetic(tree, compiled)
        case Comparison():
            return _comparison(tree, compiled)
        case Logic(operator, operands):
            logic = _all if operator == "and" else _any
            return logic(tuple(compiled[id(operand)] for operand in operands))
        case Filtered():
            return _filtered(tree, compiled)


def _literal(value: Any) -> Compute:
    """An array or object is made anew each time: the expression is shared, and its value is the caller's."""
    if isinstance(value, CONTAINERS):
        return lambda run: _copied(value)
    return lambda run: value


def _copied(value: Any) -> Any:
    result = value.copy()
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, CONTAINERS):
            result[key] = _copied(part)
    return result


def _step(step: Member | Index | Call, forgiven: bool, compiled: Compiled) -> Step:
    match step:
        case Member(name):
            return member(name)
        case Index(key, at):
            return index(compiled[id(key)], at, forgiven)
        case Call(method, arguments, at):
            return call(method, tuple(compiled[id(argument)] for argument in arguments), at)


def _negative(operand: Compute, at: int) -> Compute:
    def minus(run: Evaluation) -> Any:
        value = operand(run)
        run.at = at
        return negative(value)

    return minus


def _not(operand: Compute) -> Compute:
    return lambda run: not operand(run)


def _arithmetic(tree: Arithmetic, compiled: Compiled) -> Compute:
    first = compiled[id(tree.first)]
    rest = tuple((ARITHMETIC[part.operator], compiled[id(part.operand)], part.at) for part in tree.rest)

    def arithmetic(run: Evaluation) -> Any:
        value = first(run)
        for operate, operand, at in rest:
            other = operand(run)
            run.at = at
            value = operate(value, other, run)
        return value

    return arithmetic


def _comparison(tree: Comparison, compiled: Compiled) -> Compute:
    left, right, at = compiled[id(tree.left)], compiled[id(tree.right)], tree.at
    test = COMPARISONS[tree.operator]

    def comparison(run: Evaluation) -> bool:
        one, other = left(run), right(run)
        run.at = at
        return test(one, other, run)

    return comparison


def _all(operands: tuple[Compute, ...]) -> Compute:
    def every(run: Evaluation) -> bool:
        for operand in operands:  # noqa: SIM110 - a generator costs a frame on each level of nesting
            if not operand(run):
                return False
        return True

    return every


def _any(operands: tuple[Compute, ...]) -> Compute:
    def some(run: Evaluation) -> bool:
        for operand in operands:  # noqa: SIM110
            if operand(run):
                return True
        return False

    return some


def _filtered(tree: Filtered, compiled: Compiled) -> Compute:
    operand = compiled[id(tree.operand)]
    filters = tuple(_filter(part, compiled) for part in tree.filters)

    def filtered(run: Evaluation) -> Any:
        value = operand(run)
        for apply in filters:
            value = apply(value, run)
        return value

    return filtered


def _filter(part: Filter, compiled: Compiled) -> Step:
    arguments = tuple(compiled[id(argument)] for argument in part.arguments)
    if part.name in DEFAULT_FILTERS:
        return _default(arguments)
    transform, at = FILTERS[part.name], part.at

    def apply(value: Any, run: Evaluation) -> Any:
        given = []
        if value is not None:  # as with methods, null does not look at arguments
            for argument in arguments:
                given.append(argument(run))
        run.at = at
        return transform(value, given, run)

    return apply


def _default(arguments: tuple[Compute, ...]) -> Step:
    """``default(v, falsy)``: both are evaluated only when they decide something. The operand forgives by itself."""
    fallback = arguments[0] if arguments else lambda run: ""
    falsy = arguments[1] if len(arguments) > 1 else lambda run: False

    def default(value: Any, run: Evaluation) -> Any:
        if value is None or (not value and falsy(run)):
            return fallback(run)
        return value

    return default
