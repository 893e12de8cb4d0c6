"""Samples made from schemas: they fit, they show everything, and they always end."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.samples import sample_of

SCHEMAS = [
    {"type": "string", "title": "Tracking number"},
    {"type": "string", "minLength": 12},
    {"type": "string", "maxLength": 2},
    {"type": "string", "format": "date"},
    {"type": "integer", "minimum": 2.5},
    {"type": "integer", "exclusiveMinimum": 3},
    {"type": "number", "maximum": -1.5},
    {"type": "integer", "exclusiveMaximum": 1},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": ["null", "boolean"]},
    {"type": "array", "items": {"type": "string"}, "minItems": 3},
    {"type": "array"},
    {"enum": ["a", "b"]},
    {"const": 7},
    {"type": "integer", "default": 3},
    {"type": "string", "examples": ["C-1"]},
    {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}], "properties": {"b": {"type": "string"}}},
    {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "object", "properties": {"b": {"type": "number"}}}},
    },
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_a_sample_fits_its_schema(schema) -> None:
    Draft202012Validator(schema).validate(sample_of(schema))


def test_every_property_is_shown_needed_or_not() -> None:
    schema = {"properties": {"charge": {"type": "string", "title": "Number"}, "paid": {"type": "boolean"}}}
    assert sample_of(schema) == {"charge": "Number", "paid": True}


@pytest.mark.parametrize("schema", [None, True, {}, {"type": "null"}, "text"], ids=str)
def test_where_nothing_is_asked_for_there_is_nothing(schema) -> None:
    assert sample_of(schema) is None


def test_a_schema_without_an_end_gives_a_sample_with_one() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["inner"] = schema
    assert str(sample_of(schema)).count("inner") < 12
