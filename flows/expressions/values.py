"""What a value is (reference/expressions.md, sections 1, 4 and 5): types, truth, equality, integers of 64 bits.

Values are JSON as Python reads it: ``None``, ``bool``, ``int``, ``float``, ``str``, ``list``, ``dict``. Subclasses
count as what they derive from; anything else has a type name of its own and fits no operator.
"""

from collections.abc import Iterator
from itertools import islice
from math import inf, isfinite
from typing import Any

from flows.expressions.limits import MAX_DEPTH, Evaluation, too_deep
from flows.expressions.tokens import LARGEST, SMALLEST

TOLERANCE = 2.0**-52

NUMBERS = (int, float)  # and bool, which Python derives from int
CONTAINERS = (list, dict)  # tuples: isinstance() takes several times as long for a union

_TYPE_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),  # before int, of which Python derives it
    (int, "integer"),
    (float, "float"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
    (type(None), "null"),
)


def type_name(value: Any) -> str:
    """The language's word for the type of ``value``."""
    for kind, name in _TYPE_NAMES:
        if isinstance(value, kind):
            return name
    return type(value).__name__


def is_true(value: Any) -> bool:
    """Truth: ``null``, ``false``, ``0``, ``0.0``, ``''``, ``[]`` and ``{}`` are false, all else is true."""
    return bool(value)


def is_number(value: Any) -> bool:
    """Whether ``value`` is an integer or a float. A boolean is neither."""
    return isinstance(value, NUMBERS) and not isinstance(value, bool)


def as_float(number: float) -> float:
    """``number`` (an ``int`` too) as a float; infinite when it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def incoming(value: Any) -> Any:
    """``value`` as the language sees it: an integer beyond 64 bits is a float."""
    return as_float(value) if type(value) is int and not SMALLEST <= value <= LARGEST else value


def outgoing(value: Any) -> Any:
    """``value`` as it leaves the language: a float that is not finite is null."""
    return None if type(value) is float and not isfinite(value) else value


def outgoing_deep(value: Any, depth: int = 0) -> Any:
    """As :func:`outgoing`, in elements and members too. For results that may hold part of an infinite literal."""
    if not isinstance(value, CONTAINERS):
        return outgoing(value)
    if depth >= MAX_DEPTH:
        raise too_deep()
    result = value.copy()
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        result[key] = outgoing_deep(part, depth + 1)
    return result


def equal(left: Any, right: Any, run: Evaluation) -> bool:
    """``left == right``. Takes every two values; raises :class:`Fault` for a limit alone.

    Types are told apart except integer and float; numbers of which one is a float are equal within 2^-52. Costs a unit
    for the pair and for each pair of elements or members looked at. The levels are kept in a list: a value may be as
    deep as it likes without touching the call stack.
    """
    run.spend(1)
    if not isinstance(left, CONTAINERS):
        return _same_scalar(left, right, run)
    levels: list[Iterator[tuple[Any, Any]]] = [iter([(left, right)])]
    while levels:
        for one, other in levels[-1]:
            run.spend(1)
            if isinstance(one, CONTAINERS):
                if not _same_shape(one, other):
                    return False
                if len(levels) > MAX_DEPTH:
                    raise too_deep()
                levels.append(_pairs(one, other))
                break
            if not _same_scalar(one, other, run):
                return False
        else:
            levels.pop()
    return True


def position_of(wanted: Any, elements: list[Any], run: Evaluation) -> int:
    """Index of the first of ``elements`` that is equal to ``wanted``, or -1."""
    if isinstance(wanted, CONTAINERS):
        return next((index for index, element in enumerate(elements) if equal(wanted, element, run)), -1)
    for index, element in enumerate(islice(elements, run.left + 1)):
        if _same_scalar(wanted, element, run):
            run.spend(index + 1)
            return index
    run.spend(len(elements))
    return -1


def _same_scalar(left: Any, right: Any, run: Evaluation) -> bool:
    if type(left) is int and type(right) is int:
        return left == right if _fit(left, right) else _same_float(left, right)
    if isinstance(left, str):
        if not isinstance(right, str) or len(left) != len(right):
            return False
        run.search(len(left))
        return left == right
    if left is None or isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return isinstance(left, NUMBERS) and isinstance(right, NUMBERS) and _same_float(left, right)


def _same_float(left: float, right: float) -> bool:
    return abs(as_float(left) - as_float(right)) < TOLERANCE


def _fit(left: int, right: int) -> bool:
    """Whether both are integers of the language, and not floats written without a point."""
    return SMALLEST <= left <= LARGEST and SMALLEST <= right <= LARGEST


def _same_shape(left: Any, right: Any) -> bool:
    return isinstance(right, list if isinstance(left, list) else dict) and len(left) == len(right)


def _pairs(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """The elements or members that must be equal, side by side. A key that ``right`` lacks is paired with no value."""
    if isinstance(left, list):
        return zip(left, right, strict=True)
    return ((member, right.get(key, _NO_VALUE)) for key, member in left.items())


_NO_VALUE = object()
