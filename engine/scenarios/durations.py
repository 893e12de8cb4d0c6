"""Durations as scenarios tell them."""

from datetime import timedelta


def words(span: timedelta) -> str:
    """The span in the largest unit that divides it."""
    length = round(span.total_seconds() * 1000)
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        if length and length % size == 0:
            return f"{length // size}{unit}"
    return f"{length}ms"
