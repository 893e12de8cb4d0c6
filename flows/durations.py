"""Durations as people write them, ``500ms``, ``5s``, ``30m``, ``1h``, ``1d``, ``2 hours``, and moments.

A bare number is milliseconds.

Pure. reference/flow-format.md, section 5, *Wait*.
"""

import re
from datetime import datetime, timedelta
from typing import Any, Final

_PATTERN: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_MILLISECONDS: Final = {
    **dict.fromkeys(("", "ms", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
    **dict.fromkeys(("w", "week", "weeks"), 604_800_000),
}
LONGEST: Final = timedelta(days=36_500)


class InvalidDuration(ValueError):
    """The text is no duration or no point in time; the message says what one looks like."""


def parse_duration(value: Any) -> timedelta:
    """The time span that ``value`` says. Raises :class:`InvalidDuration`; the message never shows the value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _bounded(value)
    match = _PATTERN.fullmatch(value) if isinstance(value, str) else None
    unit = _MILLISECONDS.get(match.group(2).lower()) if match else None
    if match is None or unit is None:
        raise InvalidDuration("This is no duration. Write it as 500ms, 5s, 30m, 1h, 1d or 2 hours.")
    return _bounded(float(match.group(1)) * unit)


def parse_moment(value: Any) -> datetime:
    """The point in time that ``value`` names in RFC 3339, with its offset. Raises :class:`InvalidDuration`."""
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidDuration("This is no point in time with its offset. Write it as 2030-01-07T09:00:00Z.")
    return moment


def _bounded(milliseconds: float) -> timedelta:
    if not 0 <= milliseconds <= LONGEST.total_seconds() * 1000:
        raise InvalidDuration("A duration is at least 0 and at most 100 years.")
    return timedelta(milliseconds=milliseconds)
