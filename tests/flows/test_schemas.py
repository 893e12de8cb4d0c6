import pytest

from flows.schemas import schema_problem


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}},
        {"$defs": {"a": {"type": "string"}}, "properties": {"b": {"$ref": "#/$defs/a"}}},
        {"$defs": {"a": {"$anchor": "name", "type": "string"}}, "$ref": "#name"},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}}},
    ],
)
def test_a_schema_that_works_has_no_problem(schema):
    assert schema_problem(schema) is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ([], "a schema is a map"),
        ({"type": "objekt"}, "type: 'objekt'"),
        ({"properties": {"a": {"minimum": "1"}}}, "properties.a.minimum"),
        ({"properties": {"a": {"pattern": "("}}}, "is not a 'regex'"),
        ({"patternProperties": {"(": {}}}, "is not a 'regex'"),
        ({"$ref": "#/$defs/a"}, "leads to nothing"),
        ({"$ref": "http://localhost/schema.json"}, "leads to nothing"),
        ({"items": {"$ref": "file:///etc/passwd"}}, "leads to nothing"),
    ],
)
def test_a_schema_that_would_fail_later_is_refused_now(schema, words):
    assert words in (schema_problem(schema) or "")
