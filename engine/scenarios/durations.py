"""Durations as scenarios write them: ``500ms``, ``5s``, ``30m``, ``1h``, ``1d``."""

import re
from datetime import timedelta
from typing import Final

_UNITS: Final = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def duration(text: str) -> timedelta:
    """The time span that ``text`` names. Raises ``ValueError`` when it names none."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)", text)
    if found is None:
        raise ValueError(f"{text!r} is no duration; write it like 500ms, 5s, 30m, 1h or 1d.")
    return timedelta(**{_UNITS[found[2]]: float(found[1])})


def words(span: timedelta) -> str:
    """The span in the largest unit that divides it."""
    length = round(span.total_seconds() * 1000)
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        if length and length % size == 0:
            return f"{length // size}{unit}"
    return f"{length}ms"
