"""JSON as text, the one way this project writes it, and what of it can be kept. Pure."""

import json
from typing import Any, Final

MAX_DEPTH: Final = 100
"""Levels of lists and maps in a value that is recorded: far from what a call stack carries, far beyond what people need."""


class NotKept(ValueError):
    """The value cannot be recorded; the message goes on from "The output" or "The input" and says why."""


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dumps(value: Any) -> str:
    """Compact JSON. Raises ``ValueError`` or ``TypeError`` for what JSON cannot say, NaN and infinity included."""
    return _encode(value)


def recorded(value: Any, *, most: int) -> Any:
    """``value`` as it reads back once it was recorded, ``most`` bytes of it at most.

    Raises :class:`NotKept` for what is no JSON, too large, or nested more than :data:`MAX_DEPTH` levels deep.
    """
    try:
        text = dumps(value)
        size = len(text.encode())
    except RecursionError:
        raise NotKept(_TOO_DEEP) from None
    except (TypeError, ValueError) as error:
        raise NotKept(f"is not JSON: {_words(error)}.") from error
    if size > most:
        raise NotKept(f"has {size:,} bytes; at most {most:,} can be kept. Store it elsewhere and give its name.")
    found = json.loads(text)
    if size > MAX_DEPTH and not is_shallow(found, MAX_DEPTH):
        raise NotKept(_TOO_DEEP)
    return found


def is_shallow(value: Any, levels: int) -> bool:
    """Whether lists and maps are nested at most ``levels`` deep in ``value``. Safe for any depth."""
    level = [value]
    for _ in range(levels + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
        ]
        if not level:
            return True
    return False


_TOO_DEEP: Final = f"is nested more than {MAX_DEPTH} levels deep. Store it elsewhere and give its name."


def _words(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "it holds half of a surrogate pair"
    return str(error)[:200]
