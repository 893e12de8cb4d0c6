"""What a function's manifest may say (design/semantics.md, "Manifests"; patterns of failures: design/recovery.md).

Pure: no database, no Django. Manifests come from code (:mod:`flows.registry`) and from administrators; both are
checked here and both get the same words back.
"""

import json
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

FUNCTION_PATH = r"^(/[^/\s]+)+$"
"""An absolute path without empty parts or blanks: what :func:`flows.registry.function` takes."""

FAILURE_PATTERN = r"^(?![06-9]xx$)(?![0-9]XX$)\S+$"
"""A code, an exception's name, three digits, or a family from 1xx to 5xx, written in small letters."""

_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}
_SCHEMA = {"type": ["object", "boolean"]}
_FAILURES = {
    "type": "array",
    "items": {
        "anyOf": [{"type": "string", "pattern": FAILURE_PATTERN}, {"type": "integer", "minimum": 100, "maximum": 599}]
    },
}


def _closed(properties: dict[str, Any], *, required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


MANIFEST_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Manifest of a function",
    **_closed(
        {
            "title": _TEXT,
            "description": _TEXT,
            "category": _TEXT,
            "input_schema": _SCHEMA,
            "output_schema": _SCHEMA,
            "effect": {"enum": ["read", "write"], "default": "write"},
            "idempotent": _FLAG,
            "idempotency_param": {"type": "string", "minLength": 1},
            "retry": _closed(
                {
                    "max_retries": _COUNT,
                    "base_delay_ms": _COUNT,
                    "max_delay_ms": _COUNT,
                    "jitter": {"type": "number", "minimum": 0, "maximum": 1},
                }
            ),
            "errors": _closed({"fatal": _FAILURES, "transient": _FAILURES}),
            "resources": {"type": "object", "additionalProperties": _TEXT},
            "compensation": _closed(
                {
                    "function_ref": {"type": "string", "pattern": FUNCTION_PATH},
                    "input": {"type": "object"},
                    "missing_ok": _FLAG,
                },
                required=("function_ref",),
            ),
        }
    ),
}
"""The JSON Schema of a manifest. Every key is optional; what is absent has the default that semantics.md gives."""

_VALIDATOR = Draft202012Validator(MANIFEST_SCHEMA)
_TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


def validate_manifest(manifest: object) -> list[str]:
    """The problems of ``manifest`` in words, each beginning with the key it is about. Empty: it is valid.

    Never raises, whatever it is given: code under development must not stop the library from loading.
    """
    try:
        data = json.loads(json.dumps(manifest, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return [f"The manifest must be made of plain JSON values: {error}."]
    shape = sorted(_VALIDATOR.iter_errors(data), key=lambda error: [str(part) for part in error.absolute_path])
    problems = [f"{_key(error)}: {_words(error)}" for error in shape]
    return problems or list(_meaning(data))


def _meaning(manifest: dict[str, Any]) -> Iterator[str]:
    """What a schema cannot say, of a manifest whose shape is right."""
    for key in ("input_schema", "output_schema"):
        try:
            Draft202012Validator.check_schema(manifest.get(key, {}))
        except SchemaError as error:
            yield f"{_key(error, key)}: this is no valid JSON Schema. {error.message}."
    parameter = manifest.get("idempotency_param")
    if parameter is not None and parameter not in _arguments(manifest, default=parameter):
        yield f"idempotency_param: {parameter!r} is not among the properties of input_schema."


def _arguments(manifest: dict[str, Any], *, default: str) -> list[str]:
    """The names the input schema lists; where it lists none, any name is as good as ``default``."""
    schema = manifest.get("input_schema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return list(properties) if properties else [default]


def _key(error: ValidationError | SchemaError, prefix: str = "") -> str:
    parts = [prefix] if prefix else []
    parts += [str(part) for part in error.absolute_path]
    return ".".join(parts) or "manifest"


def _words(error: ValidationError) -> str:
    """One problem as a person would say it. ``error.message`` would quote the whole value and, at times, a regex."""
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "additionalProperties":
            unknown = ", ".join(sorted(repr(key) for key in value if key not in schema["properties"]))
            return f"{unknown} is not known here. Known: {', '.join(schema['properties'])}."
        case "required":
            missing = ", ".join(key for key in limit if key not in value)
            return f"{missing} is missing."
        case "type":
            names = [limit] if isinstance(limit, str) else limit
            return f"this must be {' or '.join(_TYPES[name] for name in names)}, not {_short(value)}."
        case "enum":
            return f"this must be {' or '.join(limit)}, not {_short(value)}."
        case "minimum":
            return f"this must be at least {limit}, not {_short(value)}."
        case "maximum":
            return f"this must be at most {limit}, not {_short(value)}."
        case "pattern":
            return f"this must be a path like /area/name, not {_short(value)}."
        case "anyOf":
            return (
                f"{_short(value)} is no class of failures. Write a code (card_declined), a status (429), "
                "a family (5xx) or an exception's name."
            )
    return f"{error.message}."


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
