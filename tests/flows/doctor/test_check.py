from typing import Any

import pytest

from flows.doctor import Known, Library, NothingKnown, check, check_document, errors
from flows.loader import load
from tests.flows import corpus
from tests.flows.doctor.cases import LIBRARY, Node, box, flow, step, task


def codes(*nodes: Node, library: Library = LIBRARY, **keys: Any) -> list[tuple[str, str]]:
    found = check(flow(*nodes, **keys), library=library)
    return [(each.node, each.code) for each in found if each.severity != "suggestion"]


def test_findings_stand_in_document_order():
    inner = step("b", error_edge="gone")
    found = codes(box("a", "and", inner, step("c", action="")), step("d", function_ref="/lib/nowhere"), on_failure="x")
    assert found == [
        ("", "UNKNOWN_ON_FAILURE"),
        ("b", "INVALID_ERROR_EDGE"),
        ("c", "MISSING_ACTION"),
        ("d", "FUNCTION_NOT_FOUND"),
    ]


def test_what_only_the_library_knows_is_not_reported_without_one():
    nodes = [
        step("a", function_ref="/lib/nowhere", on_unknown="retry", idempotency_key="k", compensation_when="always"),
        box("b", "and", step("c"), recovery={"redo": "whole_group", "notify": "nobody"}),
    ]
    assert codes(*nodes, library=NothingKnown()) == []
    assert {code for _, code in codes(*nodes)} == {
        "FUNCTION_NOT_FOUND",
        "ON_UNKNOWN_RETRY_NOT_IDEMPOTENT",
        "IDEMPOTENCY_KEY_WITHOUT_PARAM",
        "COMPENSATION_WHEN_WITHOUT_REF",
        "REDO_NOT_SAFE",
        "UNKNOWN_NOTIFY_TARGET",
    }


def test_a_finding_knows_its_line():
    document = load("nodes:\n  - id: a\n    node_type: raisin:FlowStep\n    properties:\n      error_edge: gone\n")
    found = {each.code: each.line for each in check_document(document)}
    assert found["INVALID_ERROR_EDGE"] == 5
    assert found["MISSING_ACTION"] == 2


def test_what_stands_around_the_definition_is_checked_too():
    text = "node_type: raisin:Flow\nproperties:\n  enabled: maybe\n  colour: red\n  workflow_data: {nodes: []}\n"
    found = [(each.code, each.field, each.line) for each in check_document(load(text))]
    assert found == [
        ("INVALID_VALUE", "properties.enabled", 3),
        ("UNKNOWN_PROPERTY", "properties.colour", 4),
        ("EMPTY_FLOW", "nodes", 5),
    ]


@pytest.mark.parametrize("path", corpus.EXAMPLES, ids=lambda path: path.stem)
def test_an_example_flow_has_no_errors_and_no_warnings(path):
    found = check_document(load(path.read_bytes()))
    assert [str(each) for each in found if each.severity != "suggestion"] == []


def test_a_step_of_the_default_type_without_a_function_is_a_suggestion():
    (found,) = check(flow(step("a", step_type="default", function_ref=None)))
    assert (found.code, found.severity) == ("MISSING_FUNCTION_REF", "suggestion")


def test_a_deadline_for_the_whole_flow_is_a_suggestion():
    (found,) = check(flow(step("a"), timeout_ms=5))
    assert (found.code, found.severity) == ("UNSUPPORTED_PROPERTY", "suggestion")


def test_errors_are_picked_out():
    found = check(flow(step("a", function_ref="/lib/nowhere", error_edge="gone")), library=LIBRARY)
    assert [each.code for each in errors(found)] == ["INVALID_ERROR_EDGE"]


@pytest.mark.parametrize("value", [None, 5, "nodes", [], True, {"nodes": 5}, {"nodes": [None]}, {"nodes": {"a": 1}}])
def test_a_definition_of_the_wrong_shape_gets_a_finding(value):
    found = check(value)
    assert [each.code for each in errors(found)] == ["INVALID_VALUE"]
    assert found[0].message.endswith(".")


def test_a_definition_nested_too_deep_gets_one_finding():
    nodes: list[object] = []
    for _ in range(100_000):
        nodes = [{"children": nodes}]
    assert [each.code for each in check({"nodes": nodes})] == ["INVALID_VALUE"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 5},
        {"id": "with blank"},
        {"id": "x" * 101},
        {"properties": []},
        {"properties": {"action": 5, "function_ref": "/lib/plain"}},
        {"properties": {"action": "A", "function_ref": "/lib/plain", "arguments": [1]}},
        {"properties": {"action": "A", "function_ref": "/lib/plain", "retry": 3}},
        {"properties": {"action": "A", "function_ref": "/lib/plain", "continue_on_fail": "yes"}},
    ],
)
def test_values_of_the_wrong_type_are_named(wrong):
    found = errors(check(flow({**step("a"), **wrong}), library=LIBRARY))
    assert "INVALID_VALUE" in [each.code for each in found]


def test_unknown_keys_are_suggested_at_every_level():
    odd = step("a", retires=3, retry={"max_retires": 3}, undo={"function_ref": "/lib/plain", "args": {}})
    found = check(flow({**odd, "colour": "red"}, shape="round", recovery={"redone": "x"}), library=LIBRARY)
    unknown = [each.field for each in found if each.code == "UNKNOWN_PROPERTY"]
    assert unknown == ["shape", "recovery.redone", "colour", "retires", "retry.max_retires", "undo.args"]


def test_a_block_on_a_step_is_no_container_block():
    found = check(flow(step("a", loop={"times": 3})))
    assert [(each.code, each.field) for each in found] == [("UNKNOWN_PROPERTY", "loop")]


def test_a_human_task_with_a_function_is_a_human_task():
    assert codes(task(function_ref="/lib/plain")) == []


def test_templates_may_stand_for_numbers():
    assert codes(task(due_in_seconds="${input.seconds}", priority="{{ input.urgent }}")) == []
    assert codes(step("a", step_type="wait", duration="{{ input.pause }}")) == []


def test_a_wait_in_words_is_read():
    for duration in ("500ms", "2 hours", 1500, "1 minute"):
        assert codes(step("a", step_type="wait", duration=duration)) == []
    for cron in ("@daily", "@weekly(Friday)", "*/15 * * * *"):
        assert codes(step("a", step_type="wait", wait_type="cron", cron=cron, timezone="Europe/Berlin")) == []


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"wait_type": "cron", "cron": "0 0 31 2 *"}, "INVALID_CRON"),
        ({"wait_type": "cron", "cron": "@daily", "timezone": "Mars/Olympus"}, "INVALID_CRON"),
        ({"wait_type": "until", "until": "tomorrow"}, "INVALID_DURATION"),
        ({"wait_type": "until", "until": "2030-01-07T09:00:00"}, "INVALID_DURATION"),
        ({"wait_type": "event", "event_type": "paid", "timeout": "-1h"}, "INVALID_DURATION"),
        ({"wait_type": "delay"}, "MISSING_WAIT_TARGET"),
        ({"duration": 10**400}, "INVALID_DURATION"),
    ],
)
def test_a_wait_that_cannot_be_read_is_refused(properties, code):
    assert codes(step("a", step_type="wait", **properties)) == [("a", code)]


def test_a_key_counts_as_the_argument_it_becomes():
    schema = {"type": "object", "required": ["external_id", "amount"]}
    manifest = {"idempotent": True, "idempotency_param": "external_id", "input_schema": schema}
    library = Known({"/lib/pay": manifest})
    pay = step("pay", function_ref="/lib/pay", idempotency_key="${input.id}", arguments={"amount": 5})
    assert codes(pay, library=library) == []
    assert codes(step("pay", function_ref="/lib/pay"), library=library) == [("pay", "MISSING_REQUIRED_ARGUMENT")] * 2


def test_a_compensation_gets_what_it_requires():
    mapped = step("a", compensation_ref="/lib/needs", compensation_input_mapping={"n": 1})
    assert codes(mapped) == [("a", "MISSING_REQUIRED_ARGUMENT")]
    assert codes(step("a", compensation_ref="/lib/needs")) == []  # gets the forward arguments


def test_a_schema_that_is_nested_too_deep_is_refused():
    schema: object = {}
    for _ in range(60):
        schema = {"properties": {"a": schema}}
    assert codes(task(task_type="input", input_schema=schema)) == [("ask", "INVALID_INPUT_SCHEMA")]


def test_optional_on_a_shield_and_its_on_error_are_different_things():
    loop = box("a", "loop", step("b"), loop={"times": 2}, must_succeed=True, on_error="continue")
    assert codes(loop) == []
    assert codes({**step("a", must_succeed=True), "on_error": "skip"}) == [("a", "MUST_SUCCEED_WITH_HANDLER")]
