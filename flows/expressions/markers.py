"""Markers in a string (reference/expressions.md, section 10): where they begin and end, in linear time."""

import re
from array import array
from dataclasses import dataclass
from typing import NamedTuple

from flows.expressions.texts import WHITE_SPACE

_OPENING = re.compile(r"\$\{|\{\{")
_DOLLAR_OPENING = re.compile(r"\$\{")
_BRACE = re.compile(r"[{}]")


class Marker(NamedTuple):
    """The expression between two braces, white space around it taken off, and its offset in the string."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Split:
    """A string taken apart: ``literals`` stand before, between and behind the ``markers``, one more of them.

    ``is_unbalanced`` says that a marker begins somewhere and never ends; it is part of a literal.
    """

    literals: tuple[str, ...]
    markers: tuple[Marker, ...]
    is_unbalanced: bool

    @property
    def is_whole(self) -> bool:
        """Whether there is one marker and nothing but white space around it."""
        return len(self.markers) == 1 and not any(literal.strip(WHITE_SPACE) for literal in self.literals)


def has_opening(text: str) -> bool:
    """Whether ``text`` may hold a marker at all."""
    return "${" in text or "{{" in text


def split(text: str) -> Split:
    """Take ``text`` apart. Every string is fine; what the markers hold is not looked at."""
    ends = _matching_braces(text)
    opening = _OPENING
    literals: list[str] = []
    markers: list[Marker] = []
    is_unbalanced = False
    done = at = 0
    while found := opening.search(text, at):
        begin = found.start()
        if text[begin] == "$":
            end, width = ends[begin + 1], 1
        else:
            end, width = text.find("}}", begin + 2), 2
            if end < 0:
                opening = _DOLLAR_OPENING  # no further }} exists: looking again each time would take quadratic time
        if end <= 0:
            is_unbalanced = True
            at = begin + 1
            continue
        literals.append(text[done:begin])
        markers.append(_marker(text, begin + 2, end))
        done = at = end + width
    literals.append(text[done:])
    return Split(tuple(literals), tuple(markers), is_unbalanced)


def _marker(text: str, begin: int, end: int) -> Marker:
    inner = text[begin:end].lstrip(WHITE_SPACE)
    return Marker(inner.rstrip(WHITE_SPACE), end - len(inner))


def _matching_braces(text: str) -> "array[int]":
    """For each opening brace the offset of the one that balances it, else 0. All braces count, in quotes too.

    Arrays, as a million braces in lists of Python integers take more memory than a value may.
    """
    ends = array("i", bytes(array("i").itemsize * len(text)))
    if "${" not in text:
        return ends
    opened = array("i")
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            ends[opened.pop()] = brace.start()
    return ends
