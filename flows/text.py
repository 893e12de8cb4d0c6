"""YAML and JSON text to plain JSON values and back, keeping the line each value stands on.

Pure. Text comes from people and from other systems, so nothing in it may cost more than it is worth: size, nesting and
aliases are bounded, and what JSON cannot say (tags, dates, NaN, keys that are no text) is refused with its place.

Plain scalars follow YAML 1.2's core schema, as raisin reads them: ``yes``, ``on`` and ``2030-01-07`` are text. Digits
with a leading zero (``0123``) are text as well. What :func:`write_yaml` writes reads the same under YAML 1.1 and 1.2.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import yaml

MAX_BYTES: Final = 5 * 1024 * 1024
"""Of a text, and of what it grows to when its aliases are written out."""
MAX_DEPTH: Final = 128
MAX_VALUES: Final = 200_000
MAX_DIGITS: Final = 300
"""Of an integer: more would not fit into a float either."""

Format: TypeAlias = Literal["yaml", "json"]
Path: TypeAlias = tuple[str | int, ...]
Lines: TypeAlias = Mapping[Path, int]
"""The line (1-based) on which the value at a path begins."""

_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[-+.\w]+')


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


@dataclass(frozen=True, slots=True)
class Parsed:
    """One value out of a text, and where its parts stand."""

    value: Any
    lines: Lines = field(default_factory=dict)


def read(text: str | bytes, *, format: Format | None = None, max_bytes: int = MAX_BYTES) -> Parsed:
    """The one value in ``text``. Without ``format``, text that begins like JSON and is JSON is read as JSON, all else
    as YAML. Raises :class:`DocumentError`.
    """
    decoded = _decoded(text, max_bytes)
    if format == "json" or (format is None and decoded.lstrip().startswith(("{", "["))):
        try:
            return _read_json(decoded)
        except DocumentError as error:
            if format == "json" or error.code != "syntax":
                raise
    found = list(_yaml_documents(decoded))
    if len(found) > 1:
        raise DocumentError("This text holds several documents (---). Write one.", code="several_documents")
    return found[0] if found else Parsed(None)


def read_all(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> list[Parsed]:
    """Every document of a YAML text. Raises :class:`DocumentError`."""
    return list(_yaml_documents(_decoded(text, max_bytes)))


def write_yaml(value: Any) -> str:
    """``value`` (plain JSON values) as YAML in block style; members keep their order."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


def write_json(value: Any) -> str:
    """``value`` as indented JSON; members keep their order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def short(value: Any) -> str:
    """``value`` for a message: as JSON, cut to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _decoded(text: str | bytes, max_bytes: int) -> str:
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        size = len(text) if isinstance(text, bytes) else len(text.encode())
    except UnicodeError as error:
        raise DocumentError("This text is not UTF-8. Save the file as UTF-8.", code="encoding") from error
    if size > max_bytes:
        raise DocumentError(
            f"This text has {size:,} bytes; at most {max_bytes:,} are read. Split the flow into sub-flows.",
            code="too_large",
        )
    return decoded.removeprefix("\ufeff")


# --- building values ---------------------------------------------------------------------------------------------


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


class _Builder:
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


# --- YAML --------------------------------------------------------------------------------------------------------


def _yaml_documents(text: str) -> Iterator[Parsed]:
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                builder = _Builder()
            elif isinstance(event, yaml.DocumentEndEvent):
                yield Parsed(builder.value, builder.lines)
            else:
                _take(builder, event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (None, None)
        code = "too_deep" if "nesting depth" in str(error.problem) else "syntax"
        raise DocumentError(f"This is no YAML: {error.problem or error.context}.", *place, code=code) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError(f"This is no YAML: {error.reason}.", line, code="syntax") from error


def _take(builder: _Builder, event: Any) -> None:
    mark = event.start_mark
    line, column = mark.line + 1, mark.column + 1
    if isinstance(event, yaml.AliasEvent):
        builder.alias(str(event.anchor), line, column)
    elif isinstance(event, yaml.CollectionEndEvent):
        builder.end()
    elif isinstance(event, yaml.NodeEvent):
        _take_value(builder, event, line, column)


def _take_value(builder: _Builder, event: Any, line: int, column: int) -> None:
    if event.tag is not None:
        raise DocumentError(f"The tag {event.tag} is not read. Remove it.", line, column, code="tag")
    if isinstance(event, yaml.SequenceStartEvent):
        builder.begin([], line, column, event.anchor)
    elif isinstance(event, yaml.MappingStartEvent):
        builder.begin({}, line, column, event.anchor)
    else:
        plain = event.implicit[0]
        value = _plain(event.value, line, column) if plain else event.value
        if plain and value == "<<":
            raise DocumentError("Merge keys (<<) are not read. Write the members out.", line, column, code="tag")
        builder.scalar(value, 1 + len(event.value), line, column, event.anchor)


def _plain(text: str, line: int, column: int) -> Any:
    """What a scalar without quotes means."""
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if _INTEGER.fullmatch(text):
        return _integer(text, line, column)
    if _FLOAT.fullmatch(text) or _NO_NUMBER.fullmatch(text):
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


class _Dumper(yaml.CSafeDumper):
    """Quotes whatever YAML 1.1 or 1.2 would read as something else than text, and writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text_node)
for _pattern in (_INTEGER, _FLOAT, _NO_NUMBER):
    _Dumper.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(f"^(?:{_pattern.pattern})$"), list("-+.0123456789")
    )


# --- JSON --------------------------------------------------------------------------------------------------------


def _read_json(text: str) -> Parsed:
    """JSON through the same builder, so that the same limits hold and lines are known."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refused_constant)
    except json.JSONDecodeError as error:
        raise DocumentError(f"This is no JSON: {error.msg}.", error.lineno, error.colno, code="syntax") from error
    except RecursionError as error:
        raise DocumentError(f"This is nested more than {MAX_DEPTH} levels deep.", code="too_deep") from error
    builder, line, seen = _Builder(), 1, 0
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        _take_token(builder, token.group(), line, seen - text.rfind("\n", 0, seen))
    return Parsed(builder.value, builder.lines)


def _take_token(builder: _Builder, token: str, line: int, column: int) -> None:
    match token[0]:
        case "{":
            builder.begin({}, line, column)
        case "[":
            builder.begin([], line, column)
        case "}" | "]":
            builder.end()
        case '"':
            builder.scalar(json.loads(token), len(token), line, column)
        case _:
            builder.scalar(_plain(token, line, column), len(token), line, column)


def _refused_constant(name: str) -> None:
    raise DocumentError(f"{name} is no number that can be kept.", code="not_a_number")
