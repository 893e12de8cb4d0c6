"""The failure document's JSON Schema as OpenAPI 3.0 can say it: no references, constants, conditions or lists of types."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from engine import failure

FILE = Path(failure.__file__).with_name("schema.json")


@cache
def failure_schema() -> dict[str, Any]:
    """The schema for the API's description; the full one lies beside the code that makes the document."""
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    described: dict[str, Any] = _plain(schema, schema["$defs"])
    return described


def _plain(schema: Any, named: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(named[schema["$ref"].rpartition("/")[2]], named)
    found = {
        key: _plain(value, named) for key, value in schema.items() if key not in ("$schema", "$defs", "if", "then")
    }
    if "const" in found:
        found = {"type": "string", "enum": [found.pop("const")], **found}
    elif "enum" in found:
        found = {"type": "string", **found}
    if isinstance(found.get("type"), list):
        found["oneOf"] = [{"type": each} for each in found.pop("type")]
    return found
