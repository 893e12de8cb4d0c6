"""Forms made from a JSON Schema: what a page shows, and the value that comes back from it.

Knows objects, texts, numbers, yes/no, choices, dates, lists of one value a line, and lists of objects as rows. A part it does
not know becomes a field for JSON, so nothing a schema asks for is lost. The schema itself judges the value afterwards; what is
found here is only what could not even be read (a number that is none).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

ABSENT: Final = object()
INPUT_TYPES: Final = {"date": "date", "date-time": "datetime-local", "time": "time", "email": "email", "uri": "url"}
LONG_TEXT: Final = 200
MOST_ROWS: Final = 200
_MISSING: Final = re.compile(r"'(.+)' is a required property")

Schema = Mapping[str, Any]
Problems = dict[str, list[str]]


@dataclass(slots=True)
class Part:
    """One field, or a group of them, as ``_schema_field.html`` shows it.

    ``kind`` is ``text``, ``long``, ``number``, ``check``, ``choice``, ``lines``, ``json``, ``group`` or ``rows``. ``blank`` is an
    empty row that the page copies when a row is added; its names hold ``__row__``.
    """

    name: str
    label: str
    kind: str
    required: bool
    value: Any = ""
    help_text: str = ""
    input_type: str = "text"
    step: str = ""
    choices: Sequence[tuple[str, str]] = ()
    parts: list["Part"] = field(default_factory=list)
    blank: "Part | None" = None
    errors: list[str] = field(default_factory=list)

    @property
    def html_id(self) -> str:
        return "field-" + re.sub(r"[^A-Za-z0-9_-]", "-", self.name)


def form_for(
    schema: Schema | None, value: Any = ABSENT, problems: Problems | None = None, *, name: str = "input"
) -> Part:
    """The form for a schema, filled with ``value`` (else the schema's defaults). ``problems`` are messages by field name."""
    return _part(schema or {}, name, "", True, value, problems or {})


def read(schema: Schema | None, sent: QueryDict, *, name: str = "input") -> tuple[Any, Problems]:
    """The value that a sent form holds, and what of it could not be read, by field name. Empty optional fields are left out."""
    problems: Problems = {}
    value = _read(schema or {}, sent, name, True, problems)
    return ({} if value is ABSENT else value), problems


def problems_of(error_list: Sequence[Mapping[str, Any]], *, name: str = "input") -> Problems:
    """The engine's problems (``{field: "input/lines/0/sku", message}``) by the form's field names."""
    found: Problems = {}
    for each in error_list:
        path = [step for step in str(each.get("field") or name).split("/") if step]
        path = path if path and path[0] == name else [name, *path]
        message = str(each["message"])
        if missing := _MISSING.fullmatch(message):
            path, message = [*path, missing[1]], _("This is needed.")
        found.setdefault(".".join(path), []).append(message)
    return found


# --- showing -----------------------------------------------------------------------------------------------------------


def _part(schema: Schema, name: str, key: str, required: bool, value: Any, problems: Problems) -> Part:
    if value is ABSENT:
        value = schema.get("default", ABSENT)
    kind = _kind(schema)
    part = Part(
        name=name,
        label=str(schema.get("title") or key.replace("_", " ").capitalize()),
        kind=kind,
        required=required,
        help_text=str(schema.get("description") or ""),
        errors=problems.get(name, []),
    )
    if kind == "group":
        _fill_group(part, schema, value, problems)
    elif kind == "rows":
        _fill_rows(part, schema, value, problems)
    else:
        _fill_field(part, schema, value)
    return part


def _fill_group(part: Part, schema: Schema, value: Any, problems: Problems) -> None:
    held = value if isinstance(value, Mapping) else {}
    for key, inner in _properties(schema).items():
        name = f"{part.name}.{key}"
        part.parts.append(_part(inner, name, key, key in _required(schema), held.get(key, ABSENT), problems))


def _fill_rows(part: Part, schema: Schema, value: Any, problems: Problems) -> None:
    rows = value if isinstance(value, list) else []
    items = schema["items"]
    shown = rows or ([{}] if part.required else [])
    part.parts = [_part(items, f"{part.name}.{index}", "", True, row, problems) for index, row in enumerate(shown)]
    part.blank = _part(items, f"{part.name}.__row__", "", True, ABSENT, {})


def _fill_field(part: Part, schema: Schema, value: Any) -> None:
    part.value = _shown(part.kind, value)
    if part.kind == "number":
        part.input_type, part.step = "number", "1" if _type(schema) == "integer" else "any"
    elif part.kind == "text":
        part.input_type = INPUT_TYPES.get(str(schema.get("format")), "text")
    elif part.kind == "choice":
        part.choices = [(json.dumps(each), str(each)) for each in schema["enum"]]
        part.value = "" if value is ABSENT else json.dumps(value)


def _shown(kind: str, value: Any) -> Any:
    if kind == "check":
        return value is True
    if value is ABSENT or value is None:
        return ""
    if kind == "lines":
        return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    if kind == "json":
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return value


def _kind(schema: Schema) -> str:
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return "choice"
    match _type(schema):
        case "object" if _properties(schema):
            return "group"
        case "array":
            return _list_kind(schema.get("items"))
        case "string":
            return "long" if schema.get("format") == "textarea" or schema.get("maxLength", 0) > LONG_TEXT else "text"
        case "number" | "integer":
            return "number"
        case "boolean":
            return "check"
        case _:
            return "json"


def _list_kind(items: Any) -> str:
    if not isinstance(items, Mapping):
        return "json"
    if _type(items) == "object" and _properties(items):
        return "rows"
    return "lines" if _type(items) in ("string", "number", "integer") and "enum" not in items else "json"


def _type(schema: Schema) -> str:
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((each for each in declared if each != "null"), None)
    return str(declared or ("object" if "properties" in schema else ""))


def _properties(schema: Schema) -> Mapping[str, Schema]:
    found = schema.get("properties")
    return {key: each for key, each in found.items() if isinstance(each, Mapping)} if isinstance(found, Mapping) else {}


def _required(schema: Schema) -> Sequence[str]:
    found = schema.get("required")
    return found if isinstance(found, list) else []


# --- reading -----------------------------------------------------------------------------------------------------------


def _read(schema: Schema, sent: QueryDict, name: str, required: bool, problems: Problems) -> Any:
    match _kind(schema):
        case "group":
            return _read_group(schema, sent, name, required, problems)
        case "rows":
            return _read_rows(schema, sent, name, required, problems)
        case "check":
            return name in sent
        case kind:
            text = sent.get(name, "")
            if not text.strip():
                return "" if required and kind in ("text", "long") and name in sent else ABSENT
            return _read_text(kind, schema, text, name, problems)


def _read_group(schema: Schema, sent: QueryDict, name: str, required: bool, problems: Problems) -> Any:
    required_keys = _required(schema)
    values = {
        key: _read(inner, sent, f"{name}.{key}", key in required_keys, problems)
        for key, inner in _properties(schema).items()
    }
    kept = {key: value for key, value in values.items() if value is not ABSENT}
    said = {key: value for key, value in kept.items() if value not in ("", False)}
    return kept if required or said else ABSENT


def _read_rows(schema: Schema, sent: QueryDict, name: str, required: bool, problems: Problems) -> Any:
    pattern = re.compile(re.escape(name) + r"\.(\d+)\.")
    indexes = sorted({int(match.group(1)) for key in sent if (match := pattern.match(key))})[:MOST_ROWS]
    rows = [_read(schema["items"], sent, f"{name}.{index}", False, problems) for index in indexes]
    kept = [row for row in rows if row is not ABSENT]
    return kept if kept or required else ABSENT


def _read_text(kind: str, schema: Schema, text: str, name: str, problems: Problems) -> Any:
    match kind:
        case "number":
            return _number(text, _type(schema) == "integer", name, problems)
        case "choice":
            return _chosen(schema, text, name, problems)
        case "lines":
            return _lines(schema, text, name, problems)
        case "json":
            return _json(text, name, problems)
        case _:
            return text


def _number(text: str, whole: bool, name: str, problems: Problems) -> Any:
    clean = text.strip().replace("\u00a0", "")
    try:
        return int(clean) if whole or re.fullmatch(r"-?\d{1,18}", clean) else float(clean.replace(",", "."))
    except ValueError:
        problems.setdefault(name, []).append(_("This is no whole number.") if whole else _("This is no number."))
        return text


def _chosen(schema: Schema, text: str, name: str, problems: Problems) -> Any:
    for each in schema["enum"]:
        if json.dumps(each) == text:
            return each
    problems.setdefault(name, []).append(_("Choose one of the answers."))
    return text


def _lines(schema: Schema, text: str, name: str, problems: Problems) -> list[Any]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kind = _type(schema["items"])
    return lines if kind == "string" else [_number(line, kind == "integer", name, problems) for line in lines]


def _json(text: str, name: str, problems: Problems) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        problems.setdefault(name, []).append(_("This is not JSON. Texts stand in double quotes, names too."))
        return text
