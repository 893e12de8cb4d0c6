"""Values as text (reference/expressions.md, sections 7 and 10): bytes, white space, compact JSON, plain decimals."""

from collections.abc import Iterator
from decimal import Decimal
from json import JSONEncoder
from math import isfinite
from typing import Any

from flows.expressions.errors import Fault
from flows.expressions.limits import MAX_DEPTH, Evaluation, refuse_too_long, too_deep
from flows.expressions.values import CONTAINERS, NUMBERS, incoming, outgoing, type_name

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space. Python's bare ``strip()`` would take U+001C to U+001F too."""

_CONSTANTS = {None: "null", True: "true", False: "false"}
_quoted = JSONEncoder(ensure_ascii=False).encode


def utf8_size(text: str) -> int:
    """Bytes of ``text`` in UTF-8. Lone surrogates, which JSON can bring in, count three."""
    return len(text) if text.isascii() else len(encoded(text))


def encoded(text: str) -> bytes:
    """``text`` in UTF-8; :func:`decoded` is the inverse."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    """The text of ``data``, whole characters in UTF-8."""
    return data.decode("utf-8", "surrogatepass")


def number_text(number: float) -> str:
    """The fewest digits that read back: ``5.0``, ``1e21``; an exponent from 1e16 up and below 1e-5.

    A number that is not finite is ``null``.
    """
    if isinstance(number, int):
        return str(number)
    if not isfinite(number):
        return "null"
    text = repr(float(number))
    if "e" not in text:
        return text
    digits, exponent = text.split("e")
    return plain_decimal(number) if exponent == "-05" else f"{digits}e{int(exponent)}"


def plain_decimal(number: float) -> str:
    """``number`` written out without exponent and without ``.0``, as ``join`` writes floats."""
    if not isfinite(number):
        return str(number)
    return format(Decimal(repr(float(number))), "f").removesuffix(".0")


def element_text(element: Any) -> str:
    """``element`` as ``join`` writes it: a string raw, a float in plain decimal, an array or object ``[object]``."""
    if isinstance(element, str):
        return element
    if element is None or isinstance(element, bool):
        return _CONSTANTS[element]
    if isinstance(element, NUMBERS):
        number = incoming(element)
        return plain_decimal(number) if isinstance(number, float) else str(number)
    return "[object]"


def interpolated(value: Any, run: Evaluation) -> str:
    """``value`` as a marker among other text writes it: a string raw, null as nothing, all else compact JSON."""
    if isinstance(value, str):
        return value
    return "" if outgoing(value) is None else json_text(value, run)


def json_text(value: Any, run: Evaluation) -> str:
    """``value`` as compact JSON: no blanks, non-ASCII as it is, members in their order.

    Raises :class:`Fault` beyond 8 MiB or 128 levels, at a unit for each part, and for what is no JSON value.
    """
    written: list[str] = []
    size = 0
    for chunk in _chunks(value, run):
        size += utf8_size(chunk)
        refuse_too_long(size)
        written.append(chunk)
    run.make(size)
    return "".join(written)


def _chunks(value: Any, run: Evaluation) -> Iterator[str]:
    """The text of ``value`` in pieces. Levels are kept in a list and not on the call stack."""
    levels = [iter([("", value)])]
    closings = [""]
    while levels:
        for before, part in levels[-1]:
            yield before
            if isinstance(part, CONTAINERS):
                if len(levels) > MAX_DEPTH:
                    raise too_deep()
                opening, closing = "[]" if isinstance(part, list) else "{}"
                yield opening
                levels.append(_parts(part, run))
                closings.append(closing)
                break
            yield _scalar(part)
        else:
            levels.pop()
            yield closings.pop()


def _parts(container: Any, run: Evaluation) -> Iterator[tuple[str, Any]]:
    """Each element or member with what is written before it."""
    comma = ""
    for key in container if isinstance(container, dict) else range(len(container)):
        run.spend(1)
        yield comma + (_key(key) if isinstance(container, dict) else ""), container[key]
        comma = ","


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise Fault(f"an object with a key that is no string ({type_name(key)}) has no JSON")
    return f"{_quoted(key)}:"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        refuse_too_long(len(value))
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, NUMBERS):
        return number_text(incoming(value))
    raise Fault(f"a value of type {type_name(value)} has no JSON")
