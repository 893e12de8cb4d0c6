"""Two-sided operators and the minus sign on values (reference/expressions.md, sections 5 and 11).

Each takes its operands and the :class:`Evaluation`, and raises :class:`Fault` for types that it does not take. Nothing
is turned into a string or a number for anybody.
"""

from collections.abc import Callable
from math import fmod, isinf, nan
from operator import add, gt, lt, mul, sub
from typing import Any, TypeAlias

from flows.expressions.errors import Fault
from flows.expressions.limits import Evaluation
from flows.expressions.texts import utf8_size
from flows.expressions.tokens import LARGEST, SMALLEST
from flows.expressions.values import as_float, equal, is_number, position_of, type_name

Operator: TypeAlias = Callable[[Any, Any, Evaluation], Any]
Test: TypeAlias = Callable[[Any, Any, Evaluation], bool]


def _plus(left: Any, right: Any, run: Evaluation) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        run.make(utf8_size(left) + utf8_size(right))
        return left + right
    return _calculated("+", left, right, add, "two numbers or two strings")


def _minus(left: Any, right: Any, run: Evaluation) -> Any:
    return _calculated("-", left, right, sub)


def _times(left: Any, right: Any, run: Evaluation) -> Any:
    return _calculated("*", left, right, mul)


def _divided(left: Any, right: Any, run: Evaluation) -> Any:
    return _calculated("/", left, right, _quotient)


def _modulo(left: Any, right: Any, run: Evaluation) -> Any:
    return _calculated("%", left, right, _remainder)


def _calculated(
    symbol: str, left: Any, right: Any, calculate: Callable[[Any, Any], Any], takes: str = "two numbers"
) -> Any:
    if not (is_number(left) and is_number(right)):
        raise _mismatch(symbol, takes, left, right)
    if isinstance(left, float) or isinstance(right, float):
        return calculate(as_float(left), as_float(right))
    return _fitting(calculate(left, right))


def _fitting(number: int) -> int:
    if SMALLEST <= number <= LARGEST:
        return number
    raise Fault("the result does not fit an integer of 64 bits; use a float (1.0 instead of 1)")


def _quotient(left: Any, right: Any) -> Any:
    """Integers are cut towards zero, where Python's ``//`` rounds down."""
    _refuse_zero(right)
    if isinstance(left, float):
        return left / right
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: Any, right: Any) -> Any:
    """The remainder has the sign of the left side, where Python's ``%`` takes the right one's."""
    _refuse_zero(right)
    if isinstance(left, float):
        return nan if isinf(left) else fmod(left, right)
    _quotient_must_fit(left, right)
    return abs(left) % abs(right) * (-1 if left < 0 else 1)


def _quotient_must_fit(left: int, right: int) -> None:
    """The smallest integer ``% -1`` aborts in the reference; where that aborts, we fail (section 12)."""
    _fitting(_quotient(left, right))


def _refuse_zero(divisor: float) -> None:
    if divisor == 0:
        raise Fault("division by zero")


def negative(value: Any) -> Any:
    """``-value``."""
    if not is_number(value):
        raise Fault(f"'-' takes a number, not {type_name(value)}{_advice(value)}")
    return -value if isinstance(value, float) else _fitting(-value)


def _less(left: Any, right: Any, run: Evaluation) -> bool:
    return _ordered("<", left, right, lt, run)


def _greater(left: Any, right: Any, run: Evaluation) -> bool:
    return _ordered(">", left, right, gt, run)


def _at_most(left: Any, right: Any, run: Evaluation) -> bool:
    """Not greater, rather than less or equal: so it also holds for what infinity minus infinity gives, as in REL."""
    return not _ordered("<=", left, right, gt, run)


def _at_least(left: Any, right: Any, run: Evaluation) -> bool:
    return not _ordered(">=", left, right, lt, run)


def _ordered(symbol: str, left: Any, right: Any, compare: Callable[[Any, Any], bool], run: Evaluation) -> bool:
    """Numbers exactly, of which one is a float as floats; strings by code point."""
    if isinstance(left, str) and isinstance(right, str):
        run.search(min(len(left), len(right)))
        return compare(left, right)
    if not (is_number(left) and is_number(right)):
        raise _mismatch(symbol, "two numbers or two strings", left, right)
    if isinstance(left, float) or isinstance(right, float):
        return compare(as_float(left), as_float(right))
    return compare(left, right)


def _equals(left: Any, right: Any, run: Evaluation) -> bool:
    return equal(left, right, run)


def _differs(left: Any, right: Any, run: Evaluation) -> bool:
    return not equal(left, right, run)


def contains(container: Any, wanted: Any, run: Evaluation) -> bool | None:
    """Whether a string or array holds ``wanted``; ``None`` when these types do not go together."""
    if isinstance(container, list):
        return position_of(wanted, container, run) >= 0
    if isinstance(container, str) and isinstance(wanted, str):
        run.search(utf8_size(container))
        return wanted in container
    return None


def _is_in(wanted: Any, container: Any, run: Evaluation) -> bool:
    if container is None:
        return False
    if isinstance(container, dict) and isinstance(wanted, str):
        return wanted in container
    found = contains(container, wanted, run)
    if found is None:
        raise _mismatch("in", "something and an array, or a string and a string or object", wanted, container)
    return found


def _is_not_in(wanted: Any, container: Any, run: Evaluation) -> bool:
    return not _is_in(wanted, container, run)


def _mismatch(symbol: str, takes: str, left: Any, right: Any) -> Fault:
    return Fault(f"'{symbol}' takes {takes}, not {type_name(left)} and {type_name(right)}{_advice(left, right)}")


def _advice(*operands: Any) -> str:
    return "; give a missing value with | default(...)" if any(operand is None for operand in operands) else ""


ARITHMETIC: dict[str, Operator] = {"+": _plus, "-": _minus, "*": _times, "/": _divided, "%": _modulo}

COMPARISONS: dict[str, Test] = {
    "==": _equals,
    "!=": _differs,
    "<": _less,
    "<=": _at_most,
    ">": _greater,
    ">=": _at_least,
    "in": _is_in,
    "not in": _is_not_in,
}
