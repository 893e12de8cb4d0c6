"""JSON Schemas that people write into flows and manifests."""

import json
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from flows.text import is_shallow

MAX_DEPTH: Final = 32
"""Levels of a schema; deeper ones would exhaust the validator's call stack."""


def schema_problem(schema: Any) -> str | None:
    """What is wrong with ``schema`` as a JSON Schema (draft 2020-12), in a sentence; ``None`` when it is one."""
    if not isinstance(schema, dict | bool):
        return "a schema is a map."
    if not is_shallow(schema, MAX_DEPTH):
        return f"it is nested more than {MAX_DEPTH} levels deep."
    return _problem(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=512)
def _problem(text: str) -> str | None:
    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path))
        return f"{place or 'schema'}: {error.message[:200]}."
    return None
