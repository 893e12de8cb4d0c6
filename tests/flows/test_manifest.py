"""Manifests are checked in words, and checking never fails itself (design/semantics.md, "Manifests")."""

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from flows.manifest import MANIFEST_SCHEMA, validate_manifest

FULL = {
    "title": "Issue a refund",
    "description": "Pays money back.",
    "category": "Billing",
    "input_schema": {"type": "object", "properties": {"external_id": {"type": "string"}}},
    "output_schema": {"type": "object"},
    "effect": "write",
    "idempotent": False,
    "idempotency_param": "external_id",
    "retry": {"max_retries": 4, "base_delay_ms": 500, "max_delay_ms": 8000, "jitter": 0.2},
    "errors": {"fatal": ["card_declined", "4xx", 451, "httpx.ReadTimeout"], "transient": ["5xx", "429", "timeout"]},
    "resources": {"refund_id": "${output.refund_id}"},
    "compensation": {"function_ref": "/lib/billing/void-refund", "input": {"id": "${output.id}"}, "missing_ok": True},
}


def test_the_schema_of_manifests_is_itself_valid():
    Draft202012Validator.check_schema(MANIFEST_SCHEMA)


@pytest.mark.parametrize("manifest", [{}, FULL, {"errors": {"fatal": ("4xx",)}}], ids=["empty", "full", "tuple"])
def test_a_sound_manifest_has_no_problems(manifest):
    assert validate_manifest(manifest) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"effcet": "read"}, "manifest: 'effcet' is not known here. Known: title, description, "),
        ({"effect": "reads"}, 'effect: this must be read or write, not "reads".'),
        ({"idempotent": "yes"}, 'idempotent: this must be true or false, not "yes".'),
        ({"title": 3}, "title: this must be text, not 3."),
        ({"input_schema": []}, "input_schema: this must be a map or true or false, not []."),
        ({"retry": {"max_retries": -1}}, "retry.max_retries: this must be at least 0, not -1."),
        ({"retry": {"jitter": 2}}, "retry.jitter: this must be at most 1, not 2."),
        ({"retry": {"tries": 2}}, "retry: 'tries' is not known here. Known: max_retries, "),
        ({"errors": {"fatal": "4xx"}}, 'errors.fatal: this must be a list, not "4xx".'),
        ({"resources": {"id": 7}}, "resources.id: this must be text, not 7."),
        ({"compensation": {}}, "compensation: function_ref is missing."),
        ({"compensation": {"function_ref": "void"}}, "compensation.function_ref: this must be a path like /area/name"),
        ({"input_schema": {"type": "objet"}}, "input_schema.type: this is no valid JSON Schema."),
        ({"output_schema": {"pattern": "("}}, "output_schema.pattern: this is no valid JSON Schema."),
        ({"idempotency_param": "ref"}, "idempotency_param: 'ref' is not among the properties of input_schema."),
    ],
)
def test_a_problem_begins_with_its_key(change, problem):
    (said,) = validate_manifest({**FULL, **change})
    assert said.startswith(problem)


@pytest.mark.parametrize("pattern", ["4XX", "9xx", "", "two words", 99, 600, None, True])
def test_what_is_no_class_of_failures_is_named_with_its_place(pattern):
    (problem,) = validate_manifest({"errors": {"transient": ["5xx", pattern]}})
    assert problem.startswith("errors.transient.1: ")


@pytest.mark.parametrize("value", [None, "text", 3, ["effect"]])
def test_what_is_no_map_is_no_manifest(value):
    (problem,) = validate_manifest(value)
    assert problem.startswith("manifest: this must be a map, not ")


CIRCULAR: dict[str, object] = {}
CIRCULAR["input_schema"] = CIRCULAR


@pytest.mark.parametrize(
    "value",
    [{"title": object()}, {"retry": MappingProxyType({})}, {"retry": {"jitter": float("nan")}}, CIRCULAR],
    ids=["object", "proxy", "nan", "circular"],
)
def test_what_is_no_json_is_reported_instead_of_raised(value):
    (problem,) = validate_manifest(value)
    assert problem.startswith("The manifest must be made of plain JSON values: ")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(FULL)), ANYTHING) | ANYTHING)
def test_checking_never_raises(value):
    assert all(isinstance(problem, str) for problem in validate_manifest(value))
