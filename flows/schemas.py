"""JSON Schemas that people write into flows: are they ones that a value can be checked against, at any time?"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from flows.values import is_shallow

MAX_DEPTH: Final = 32
"""Levels of a schema; deeper ones would exhaust the validator's call stack."""


def schema_problem(schema: Any) -> str | None:
    """What is wrong with ``schema`` as a JSON Schema (draft 2020-12), in a sentence; ``None`` when it is one.

    Beyond the meta-schema: each ``$ref`` leads to something inside the schema, so that no check of an answer can fail
    for the schema's sake or read from the network.
    """
    if not isinstance(schema, dict | bool):
        return "a schema is a map."
    if not is_shallow(schema, MAX_DEPTH):
        return f"it is nested more than {MAX_DEPTH} levels deep."
    return _problem(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=512)
def _problem(text: str) -> str | None:
    schema = json.loads(text)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path))
        return f"{place or 'schema'}: {error.message[:200]}."
    return next(_dead_references(schema), None)


def _dead_references(schema: Any) -> Iterator[str]:
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for part in _maps(schema):
        reference = part.get("$ref")
        if isinstance(reference, str):
            try:
                resolver.lookup(reference)
            except Unresolvable:
                yield f"$ref {reference!r} leads to nothing in this schema."


def _maps(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
