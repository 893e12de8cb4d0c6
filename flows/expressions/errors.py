"""The one error class of the language (reference/expressions.md, section 8)."""

from array import array
from bisect import bisect_right
from re import finditer
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["parse", "evaluation"]
Within: TypeAlias = tuple[str | int, ...]


class ExpressionError(Exception):
    """A text that is not in the language (``parse``) or that fails on these values (``evaluation``).

    ``line`` and ``column`` count from 1 in the text of the expression, or in the whole string when it is a template.
    ``within`` leads to that string inside a templated value: keys and indexes from the outside in.
    ``message`` names types and names out of the text, never the text of a value: a value may be a secret.
    """

    def __init__(self, kind: Kind, message: str, line: int, column: int, within: Within = ()) -> None:
        super().__init__(kind, message, line, column, within)
        self.kind = kind
        self.message = message
        self.line = line
        self.column = column
        self.within = within

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        if self.within:
            place = f"{'.'.join(map(str, self.within))}, {place}"
        return f"{self.message} ({place})"

    def inside(self, within: Within) -> "ExpressionError":
        """The same error, new, seen from a structure in which ``within`` leads to where it was found."""
        return ExpressionError(self.kind, self.message, self.line, self.column, (*within, *self.within))


class Fault(Exception):
    """What goes wrong inside the package; :func:`located` makes an :class:`ExpressionError` of it at the border.

    ``at`` is an offset into the text. Evaluation leaves it out: there the place is :attr:`Evaluation.at`.
    """

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class Lines:
    """Where the lines of a text begin, for many positions in a long one."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = array("i", [0])
        self._starts.extend(match.end() for match in finditer("\n", text))

    def position(self, at: int) -> tuple[int, int]:
        """Line and column of offset ``at``, both from 1."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def located(kind: Kind, message: str, text: str, at: int) -> ExpressionError:
    """The error with ``message`` at offset ``at`` of ``text``."""
    return ExpressionError(kind, message, *Lines(text).position(at))
