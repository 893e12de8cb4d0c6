"""What a scalar without quotes means: YAML 1.2's core schema, within the limits."""

import math
import re
from typing import Any

from flows.text.limits import MAX_DIGITS, DocumentError

_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+")
NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def plain(text: str, line: int, column: int) -> Any:
    """What a scalar without quotes means."""
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if INTEGER.fullmatch(text):
        return _integer(text, line, column)
    if FLOAT.fullmatch(text) or NO_NUMBER.fullmatch(text):
        return _float(text, line, column)
    return text


def _integer(text: str, line: int, column: int) -> int:
    if len(text) > MAX_DIGITS:
        raise DocumentError(f"A number has at most {MAX_DIGITS:,} digits.", line, column, code="not_a_number")
    return int(text, 0)


def _float(text: str, line: int, column: int) -> float:
    number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    if not math.isfinite(number):
        raise DocumentError(f"{text} is no number that can be kept.", line, column, code="not_a_number")
    return number
