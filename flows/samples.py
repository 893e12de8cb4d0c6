"""Values made up from a JSON Schema: what a mock answers with before anybody has written an answer.

Pure. A sample is there to be read and changed: short, and with every property, so that nothing has to be looked up.
"""

from collections.abc import Mapping
from math import ceil, floor
from typing import Any, Final

DEEPEST: Final = 8
"""Levels of a sample; a schema that contains itself would never end."""
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2030-01-07",
    "date-time": "2030-01-07T09:00:00Z",
    "time": "09:00:00",
    "email": "ana@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def sample_of(schema: Any, *, depth: int = 0) -> Any:
    """A value of the shape that ``schema`` asks for; null where it asks for nothing, and below :data:`DEEPEST` levels.

    What only a search could find (patterns, conditions, references) is not looked for: the value then is a start, not a fit.
    """
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return None
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    for name in ("examples", "enum"):
        if isinstance(schema.get(name), list) and schema[name]:
            return schema[name][0]
    for name in ("oneOf", "anyOf", "allOf"):
        if isinstance(schema.get(name), list) and schema[name]:
            return _combined(schema, name, depth)
    return _of_type(schema, depth)


def _combined(schema: Mapping[str, Any], name: str, depth: int) -> Any:
    """The first of several choices, all of several parts, together with what the schema says itself."""
    parts = schema[name] if name == "allOf" else schema[name][:1]
    found = [sample_of(part, depth=depth + 1) for part in parts]
    objects = [each for each in found if isinstance(each, Mapping)]
    if not objects:
        return found[0]
    own = _object(schema, depth) if "properties" in schema else {}
    return {key: value for each in [*objects, own] for key, value in each.items()}


def _of_type(schema: Mapping[str, Any], depth: int) -> Any:
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((each for each in declared if each != "null"), None)
    match declared or ("object" if "properties" in schema else None):
        case "object":
            return _object(schema, depth)
        case "array":
            return _array(schema, depth)
        case "string":
            return _text(schema)
        case "integer" | "number":
            return _number(schema, whole=declared == "integer")
        case "boolean":
            return True
        case _:
            return None


def _object(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    found = properties if isinstance(properties, Mapping) else {}
    return {str(key): sample_of(part, depth=depth + 1) for key, part in found.items()}


def _array(schema: Mapping[str, Any], depth: int) -> list[Any]:
    items, least = schema.get("items"), schema.get("minItems")
    if not isinstance(items, Mapping):
        return []
    count = least if isinstance(least, int) and 1 <= least <= DEEPEST else 1
    return [sample_of(items, depth=depth + 1) for _ in range(count)]


def _text(schema: Mapping[str, Any]) -> str:
    known = _FORMATS.get(str(schema.get("format")))
    if known is not None:
        return known
    text, least, most = str(schema.get("title") or "text"), schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(text) < least <= 200:
        text = text.ljust(least, "-")
    return text[:most] if isinstance(most, int) else text


def _number(schema: Mapping[str, Any], *, whole: bool) -> int | float:
    """The smallest allowed value, else 1, else the largest."""
    least, above = _bound(schema, "minimum"), _bound(schema, "exclusiveMinimum")
    most, below = _bound(schema, "maximum"), _bound(schema, "exclusiveMaximum")
    if least is not None:
        return ceil(least) if whole else least
    if above is not None:
        return floor(above) + 1
    if most is not None and most < 1:
        return floor(most) if whole else most
    return ceil(below) - 1 if below is not None and below <= 1 else 1


def _bound(schema: Mapping[str, Any], name: str) -> int | float | None:
    found = schema.get(name)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None
