"""What an expression may cost (reference/expressions.md, section 9), and the purse that an evaluation pays from.

With these limits no expression needs a time-out. Nothing here leaves it to the interpreter's recursion limit to decide:
the parser takes at most 8 frames for each nesting level, evaluation too, and a template one, so the deepest expression
inside the deepest template stays below 700 frames.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from flows.expressions.errors import Fault

MAX_TEXT = 65_536  # characters of one expression
MAX_NESTING = 64  # brackets, call arguments and stacked prefix operators along one path
MAX_MADE = 8 * 1024 * 1024  # bytes of UTF-8 in a string that an expression or a template makes
MAX_TEMPLATE = 1_048_576  # characters of a string with markers
MAX_DEPTH = 128  # nesting of a value that is compared or written, and of a template structure
MAX_WORK = 262_144  # units for one value


class Evaluation:
    """One value being worked out: the names it may see, the work it may still do, and where it is in the text.

    A template shares one among all its markers: the limit holds for the value as a whole. ``at`` is set before each
    operation that can fail, so an operation raises a bare :class:`Fault` and need not know where it stands.
    """

    __slots__ = ("at", "context", "left")

    def __init__(self, context: Mapping[str, Any]) -> None:
        self.context = context
        self.left = MAX_WORK
        self.at = 0

    def spend(self, units: int) -> None:
        """Pay for ``units`` elements or members compared, joined or written; raises :class:`Fault` at the end."""
        self.left -= units
        if self.left < 0:
            raise Fault(f"this value takes too much work (more than {MAX_WORK} units); make the texts or lists smaller")

    def search(self, size: int) -> None:
        """Pay for ``size`` bytes of string read or made: one unit for each 64."""
        self.spend(size >> 6)

    def make(self, size: int) -> None:
        """Ask, before a string of ``size`` bytes is made, whether it may be; and pay for it."""
        refuse_too_long(size)
        self.spend(size >> 6)


Compute: TypeAlias = Callable[[Evaluation], Any]
"""A part of an expression or template, ready to give its value."""


def refuse_too_long(size: int) -> None:
    """Raise :class:`Fault` when a string of ``size`` bytes may not be made."""
    if size > MAX_MADE:
        raise Fault("this makes a string of more than 8 MiB")


def too_deep() -> Fault:
    """The fault of a value or template with more levels of arrays and objects than allowed."""
    return Fault(f"the value is nested deeper than {MAX_DEPTH} levels")
