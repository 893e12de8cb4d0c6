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

from flows.schemas import schema_problem
from flows.values import dumps


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
