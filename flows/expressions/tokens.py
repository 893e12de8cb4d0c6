"""Text of an expression to tokens (reference/expressions.md, section 2)."""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from flows.expressions.errors import Fault
from flows.expressions.limits import MAX_TEXT

TokenKind: TypeAlias = Literal["number", "string", "name", "word", "member", "sign", "end"]

WORDS = frozenset({"and", "or", "not", "in"})
"""Operators written as words. After a dot and as keys of an object they are ordinary names."""

SMALLEST, LARGEST = -(2**63), 2**63 - 1

_TOKEN = re.compile(
    r"""
    [ \t\r\n]*+ (?:
      (?P<float>   [0-9]+ (?: \.[0-9]+ (?:[eE][+-]?[0-9]+)? | [eE][+-]?[0-9]+ ) )
    | (?P<integer> [0-9]+ )
    | (?P<name>    [A-Za-z_][A-Za-z0-9_]* )
    | (?P<member>  \.[A-Za-z0-9_]+ )
    | (?P<string>  '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" )
    | (?P<sign>    && | \|\| | == | != | <= | >= | [-+*/%<>!|()\[\]{},:] )
    | (?P<end>     \Z )
    | (?P<wrong>   . )
    )""",
    re.VERBOSE | re.DOTALL,
)
_NAME_START = re.compile("[A-Za-z_]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_HINTS = {
    "'": "this string is never closed",
    '"': "this string is never closed",
    ".": "a dot is followed directly by a name",
    "=": "'=' compares as '==' only, and nothing is assigned",
    "&": "write '&&' or 'and'",
    "?": "there is no '?'; use the filter default(...) for a missing value",
    "~": "join strings with '+'",
    "$": "a marker has no place inside an expression",
    "#": "there are no comments",
}


class Token(NamedTuple):
    """One token. ``value`` is a number, the characters of a string, or the text of anything else.

    ``is_sign`` says that it is an operator or a bracket, written as a word or not.
    """

    kind: TokenKind
    value: Any
    at: int
    end: int
    is_sign: bool = False


def tokens(text: str) -> Iterator[Token]:
    """The tokens of ``text`` one by one, closed by one of kind ``end``; raises :class:`Fault` at what is none.

    They are made on demand, so that the first thing wrong in the text is the one that is told.
    """
    if len(text) > MAX_TEXT:
        raise Fault(f"an expression has at most {MAX_TEXT} characters", 0)
    for match in _TOKEN.finditer(text):
        group = str(match.lastgroup)
        found, at, end = match[group], match.start(group), match.end()
        match group:
            case "name":
                is_word = found in WORDS
                yield Token("word" if is_word else "name", found, at, end, is_word)
            case "sign":
                yield Token("sign", found, at, end, True)
            case "member":
                yield Token("member", found[1:], at, end)
            case "string":
                yield Token("string", _unescaped(found[1:-1]), at, end)
            case "float" | "integer":
                if _NAME_START.match(text, end):
                    raise Fault("a number runs into a name", at)
                yield Token("number", float(found) if group == "float" else _integer(found, at), at, end)
            case "end":
                yield Token("end", "", at, at)
            case _:
                raise Fault(_HINTS.get(found, f"unexpected character {found!r}"), at)


def _integer(digits: str, at: int) -> int:
    """The integer; 2^63 passes here because a minus sign may still make it fit."""
    digits = digits.lstrip("0") or "0"
    if len(digits) > 19 or (value := int(digits)) > LARGEST + 1:
        raise too_large(at)
    return value


def too_large(at: int) -> Fault:
    """The fault of an integer literal beyond 64 bits."""
    return Fault("this integer does not fit 64 bits; write a point or an exponent to make it a float", at)


def _unescaped(characters: str) -> str:
    if "\\" not in characters:
        return characters
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), characters)
