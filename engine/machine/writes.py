"""What a transition wants written: rows by table and key, coalesced.

Pure. A row that is inserted and changed in one transition is written once, as it stands at the end: bounded work for the
database, and one statement can carry it all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Key: TypeAlias = tuple[tuple[str, Any], ...]


@dataclass(slots=True)
class Write:
    """One row: ``values`` by field name, found by ``key`` unless ``new``."""

    table: str
    key: Key
    values: dict[str, Any]
    new: bool
    gone: bool = False


class Writes:
    """The rows of one transition in the order in which they were first touched."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, Key], Write] = {}

    def insert(self, table: str, key: dict[str, Any], **values: Any) -> None:
        """Write a new row."""
        place = tuple(key.items())
        self._rows[table, place] = Write(table, place, values, new=True)

    def update(self, table: str, key: dict[str, Any], **values: Any) -> None:
        """Change a row, whether it is in the database yet or only in this transition."""
        place = tuple(key.items())
        row = self._rows.setdefault((table, place), Write(table, place, {}, new=False))
        row.values.update(values)

    def delete(self, table: str, key: dict[str, Any]) -> None:
        """Remove the rows of that key, those that this transition would insert as well: one statement could not see them."""
        place = tuple(key.items())
        for name, other in list(self._rows):
            if name == table and self._rows[name, other].new and set(place) <= set(other):
                del self._rows[name, other]
        self._rows[table, place] = Write(table, place, {}, new=False, gone=True)

    def __iter__(self) -> Iterator[Write]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)
