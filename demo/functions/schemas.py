"""Short words for the JSON Schemas and the policy parts that the demo's manifests share."""

from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

_POLICY: Schema = {
    "retry": {"max_retries": 3, "base_delay_ms": 1000, "max_delay_ms": 10000, "jitter": 0.1},
    "errors": {"fatal": ["4xx"], "transient": ["429", "5xx", "timeout", "connection_lost"]},
}
READ: Schema = {"effect": "read", "idempotent": True, **_POLICY}
WRITE: Schema = {"effect": "write", "idempotent": True, **_POLICY}
"""Idempotent: the effect's row keeps the call's key, or the effect is a status that is reached once."""


def text(title: str) -> Schema:
    return {"type": "string", "title": title}


def amount(title: str) -> Schema:
    return {"type": "number", "title": title, "minimum": 0, "maximum": 1_000_000_000}


def count(title: str, minimum: int = 0) -> Schema:
    return {"type": "integer", "title": title, "minimum": minimum, "maximum": 1_000_000}


def flag(title: str) -> Schema:
    return {"type": "boolean", "title": title}


def listing(title: str, items: Schema) -> Schema:
    return {"type": "array", "title": title, "items": items}


def optional(schema: Schema) -> Schema:
    """The same, or null: what a step that did not run gives."""
    return {**schema, "type": [schema["type"], "null"]}


def takes(properties: dict[str, Schema], *, more: bool = False) -> Schema:
    """An input schema. Required is what may not be null; a name not listed is a misspelling, unless ``more``."""
    required = [name for name, schema in properties.items() if not _is_optional(schema)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": more}


def gives(properties: dict[str, Schema]) -> Schema:
    """An output schema, or an object in one: all members are there, at times null."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def undone_by(path: str, **arguments: str) -> Schema:
    """A manifest's ``compensation``: ``path``, called with templates over ``output``; what is gone counts as undone."""
    return {"function_ref": path, "input": arguments, "missing_ok": True}


def _is_optional(schema: Schema) -> bool:
    return isinstance(schema.get("type"), list) and "null" in schema["type"]
