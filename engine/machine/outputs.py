"""What a function promises about its output, and whether a value keeps it.

Pure.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable

from engine.machine.turn import Turn
from flows import kinds
from flows.graph import Node
from flows.schemas import schema_problem
from flows.values import dumps


def manifest_of(turn: Turn, node: Node) -> Mapping[str, Any] | None:
    """The manifest's policy part of the function that ``node`` calls, as its version was published with it."""
    return turn.graph.manifests.get(kinds.reference_path(node.settings.get("function_ref")) or "")


def output_problem(manifest: Mapping[str, Any] | None, output: Any) -> str | None:
    """What is wrong with an output under the function's ``output_schema``, in words; ``None`` when it fits."""
    schema = (manifest or {}).get("output_schema")
    if schema is None:
        return None
    validator = _validator(dumps(schema))
    if isinstance(validator, str):
        return f"The output cannot be checked, its schema is none: {validator}"
    try:
        error = next(validator.iter_errors(output), None)
    except (Unresolvable, RecursionError) as problem:
        return f"The output cannot be checked, its schema leads nowhere: {problem}"
    if error is None:
        return None
    place = "/".join(map(str, error.absolute_path)) or "the output"
    return f"The output does not fit its schema at {place}: {error.message}"


@lru_cache(maxsize=512)
def _validator(schema: str) -> Validator | str:
    """What checks against the schema, or what is wrong with the schema itself."""
    found = json.loads(schema)
    return schema_problem(found) or Draft202012Validator(found)
