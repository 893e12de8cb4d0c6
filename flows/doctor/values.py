"""Small questions about values that several checks ask."""

from collections.abc import Collection
from typing import Any, TypeGuard

from flows.lowering import MAX_NUMBER


def is_number(value: Any) -> TypeGuard[int | float]:
    """A JSON number of a size one can count with; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MAX_NUMBER


def is_count(value: Any, *, least: int = 0) -> TypeGuard[int]:
    """A whole number from ``least``."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < MAX_NUMBER


def is_blank(value: Any) -> bool:
    """Missing, or text without anything in it."""
    return value is None or (isinstance(value, str) and not value.strip())


def is_template(value: Any) -> bool:
    """Text that may hold a marker."""
    return isinstance(value, str) and ("${" in value or "{{" in value)


def one_of(value: Any, names: Collection[str]) -> TypeGuard[str]:
    """Whether ``value`` is one of ``names``; safe for a value of any type."""
    return isinstance(value, str) and value in names
