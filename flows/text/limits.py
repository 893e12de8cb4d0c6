"""How much a text may be, and the one error that says what is wrong with it."""

from typing import Final

MAX_BYTES: Final = 5 * 1024 * 1024
"""Of a text, and of what it grows to when its aliases are written out."""
MAX_DEPTH: Final = 128
MAX_VALUES: Final = 200_000
MAX_DIGITS: Final = 300
"""Of an integer: more would not fit into a float either."""


class DocumentError(Exception):
    """A text that is no usable document. ``line`` and ``column`` are 1-based, ``None`` where there is no place to name.

    ``code`` is one of ``too_large``, ``encoding``, ``syntax``, ``too_deep``, ``too_many_values``, ``alias``, ``tag``,
    ``duplicate_key``, ``key_not_text``, ``not_a_number``, ``several_documents``, ``not_a_flow``, ``no_name``.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None, *, code: str) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.code = message, line, column, code

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{place}{self.message}"
