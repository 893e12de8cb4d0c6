"""How an expected value meets the one that was seen.

Pure. A map matches when each of its keys does, a list when it has the same length and each element matches, a scalar
when it is equal, ``null`` matches null or absent, and a text ``~/regex/`` matches by search.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

LONGEST: Final = 400
"""Characters of a seen value that a report shows."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One value that is not what was expected; ``at`` is the dotted way to it."""

    at: str
    expected: Any
    seen: Any

    def __str__(self) -> str:
        return f"{self.at}: expected {show(self.expected)}, saw {show(self.seen)}"


def mismatches(expected: Any, seen: Any, at: str) -> Iterator[Mismatch]:
    """Every place in which ``seen`` is not what ``expected`` asks for, in the order of ``expected``."""
    if isinstance(expected, Mapping):
        yield from _in_map(expected, seen, at)
    elif isinstance(expected, list):
        yield from _in_list(expected, seen, at)
    elif not _is_equal(expected, seen):
        yield Mismatch(at, expected, seen)


def matches(expected: Any, seen: Any) -> bool:
    """Whether ``seen`` is what ``expected`` asks for."""
    return next(mismatches(expected, seen, ""), None) is None


def pattern(expected: Any) -> "re.Pattern[str] | None":
    """The regular expression of a text ``~/.../``, else ``None``. Raises :class:`re.error` for a broken one."""
    if isinstance(expected, str) and len(expected) > 3 and expected.startswith("~/") and expected.endswith("/"):
        return re.compile(expected[2:-1])
    return None


def broken_patterns(expected: Any, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The way to each text ``~/.../`` whose regular expression is broken, and why it is."""
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            yield from broken_patterns(value, (*at, str(key)))
    elif isinstance(expected, list):
        for index, value in enumerate(expected):
            yield from broken_patterns(value, (*at, index))
    else:
        try:
            pattern(expected)
        except re.error as error:
            yield at, f"{expected!r} is no regular expression: {error}"


def show(value: Any) -> str:
    """The value as compact JSON on one line, cut where it gets long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _in_map(expected: Mapping[str, Any], seen: Any, at: str) -> Iterator[Mismatch]:
    if not isinstance(seen, Mapping):
        yield Mismatch(at, expected, seen)
        return
    for key, value in expected.items():
        yield from mismatches(value, seen.get(key), f"{at}.{key}" if at else str(key))


def _in_list(expected: list[Any], seen: Any, at: str) -> Iterator[Mismatch]:
    if not isinstance(seen, list) or len(seen) != len(expected):
        yield Mismatch(at, expected, seen)
        return
    if not any(isinstance(value, Mapping | list) for value in expected):
        if not all(map(_is_equal, expected, seen)):
            yield Mismatch(at, expected, seen)  # of plain values the whole list says more than one place in it
        return
    for index, (value, found) in enumerate(zip(expected, seen, strict=True)):
        yield from mismatches(value, found, f"{at}[{index}]")


def _is_equal(expected: Any, seen: Any) -> bool:
    searched = pattern(expected)
    if searched is not None:
        return isinstance(seen, str) and searched.search(seen) is not None
    if isinstance(expected, bool) or isinstance(seen, bool):
        return expected is seen
    return bool(expected == seen)
