"""Puts a value together from what a parser meets, within the limits, and notes the line of each part."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flows.text.limits import MAX_BYTES, MAX_DEPTH, MAX_VALUES, DocumentError

Path: TypeAlias = tuple[str | int, ...]
Lines: TypeAlias = Mapping[Path, int]
"""The line (1-based) on which the value at a path begins."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """One value out of a text, and where its parts stand."""

    value: Any
    lines: Lines = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """A list or map that is being filled."""

    container: list[Any] | dict[str, Any]
    path: Path
    anchor: str | None
    values_before: int
    size_before: int
    key: str | None = None


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: Any
    values: int
    size: int


class Builder:
    """Puts values together from the events of a parser, within the limits. Never recurses on nesting."""

    def __init__(self) -> None:
        self.value: Any = None
        self.lines: dict[Path, int] = {}
        self.anchors: dict[str, _Anchored] = {}
        self.open: list[_Open] = []
        self.values = self.size = 0

    def begin(self, container: list[Any] | dict[str, Any], line: int, column: int, anchor: str | None = None) -> None:
        """Open ``container``; what follows goes into it until :meth:`end`."""
        if len(self.open) >= MAX_DEPTH:
            raise DocumentError(f"This is nested more than {MAX_DEPTH} levels deep.", line, column, code="too_deep")
        before = (self.values, self.size)
        path = self._put(container, 1, line, column)
        self.open.append(_Open(container, path, anchor, *before))

    def end(self) -> None:
        """Close the innermost container."""
        closed = self.open.pop()
        if closed.anchor:
            grown = (self.values - closed.values_before, self.size - closed.size_before)
            self.anchors[closed.anchor] = _Anchored(closed.container, *grown)

    def scalar(self, value: Any, size: int, line: int, column: int, anchor: str | None = None) -> None:
        """Add a scalar: a member's name where a map waits for one, else a value."""
        if isinstance(value, str) and _SURROGATE.search(value):
            raise DocumentError("This text holds half a character (a lone surrogate).", line, column, code="encoding")
        if self._awaits_key():
            self._key(value, line, column)
        else:
            self._put(value, size, line, column)
        if anchor:
            self.anchors[anchor] = _Anchored(value, 1, size)

    def alias(self, name: str, line: int, column: int) -> None:
        """Add a copy of what ``name`` stands for, counted as if it were written out."""
        anchored = self.anchors.get(name)
        if anchored is None:
            raise DocumentError(f"*{name} stands inside or before what it names.", line, column, code="alias")
        if self._awaits_key():
            raise DocumentError("A name cannot be an alias. Write it out.", line, column, code="alias")
        self._grow(anchored.values - 1, anchored.size - 1, line, column)
        self._put(_copied(anchored.value, MAX_DEPTH - len(self.open), line, column), 1, line, column)

    def _awaits_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].container, dict) and self.open[-1].key is None

    def _key(self, key: Any, line: int, column: int) -> None:
        top = self.open[-1]
        if not isinstance(key, str):
            shown = json.dumps(key)
            raise DocumentError(
                f'The name {shown} is no text. Write it in quotes: "{shown}".', line, column, code="key_not_text"
            )
        if key in top.container:
            raise DocumentError(f"{key!r} stands here twice. Remove one.", line, column, code="duplicate_key")
        top.key = key
        self.lines[(*top.path, key)] = line

    def _put(self, value: Any, size: int, line: int, column: int) -> Path:
        self._grow(1, size, line, column)
        if not self.open:
            self.value = value
            self.lines[()] = line
            return ()
        top = self.open[-1]
        if isinstance(top.container, list):
            path = (*top.path, len(top.container))
            top.container.append(value)
            self.lines[path] = line
            return path
        if top.key is None:
            raise DocumentError("A name must be text, not a list or a map.", line, column, code="key_not_text")
        path = (*top.path, top.key)
        top.container[top.key] = value
        top.key = None
        return path

    def _grow(self, values: int, size: int, line: int, column: int) -> None:
        self.values += values
        self.size += size
        if self.values > MAX_VALUES or self.size > MAX_BYTES:
            raise DocumentError(
                f"With its aliases written out this has more than {MAX_VALUES:,} values or {MAX_BYTES:,} bytes.",
                line,
                column,
                code="too_many_values",
            )


def _copied(value: Any, levels: int, line: int, column: int) -> Any:
    """A deep copy, so that no two places share a value; ``levels`` bounds its nesting."""
    if not isinstance(value, list | dict):
        return value
    if levels <= 0:
        raise DocumentError(f"This is nested more than {MAX_DEPTH} levels deep.", line, column, code="too_deep")
    if isinstance(value, list):
        return [_copied(item, levels - 1, line, column) for item in value]
    return {key: _copied(item, levels - 1, line, column) for key, item in value.items()}
