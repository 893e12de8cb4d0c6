from typing import Any

import pytest

from flows.doctor import Known, check
from tests.flows.doctor.cases import LIBRARY, Node, box, flow, step


def unsafe(*nodes: Node, library: Known = LIBRARY, **keys: Any) -> list[str]:
    return [each.node for each in check(flow(*nodes, **keys), library=library) if each.code == "REDO_NOT_SAFE"]


def group(redo: str, *children: Node, **recovery: Any) -> Node:
    return box("group", "and", *children, recovery={"redo": redo, **recovery})


def reading(id: str, **properties: Any) -> Node:
    return step(id, function_ref="/lib/read", **properties)


def test_the_whole_group_means_every_step_in_it():
    deep = box("deep", "and", step("b"))
    assert unsafe(step("before"), group("whole_group", reading("a"), deep), step("after")) == ["b"]


def test_this_and_after_means_what_can_follow_a_failure():
    assert unsafe(group("this_and_after", step("a", must_succeed=True), reading("b"), step("c"))) == ["c"]


@pytest.mark.parametrize(
    "handled", [{"error_edge": "end"}, {"continue_on_fail": True}, {"optional": True}, {"must_succeed": True}]
)
def test_a_failure_that_is_handled_starts_no_redo(handled):
    assert unsafe(group("this_and_after", step("a", **handled))) == []


def test_a_step_whose_failure_the_loop_around_it_takes_starts_no_redo():
    loop = box("loop", "loop", step("b"), loop={"times": 2}, on_error="continue", optional=True)
    assert unsafe(group("this_and_after", loop)) == []
    stopping = {**loop, "on_error": "stop", "optional": False}
    assert unsafe(group("this_and_after", stopping)) == ["b"]  # the loop fails as a whole and brings what it holds


def test_error_strategy_continue_keeps_calls_from_starting_a_redo():
    calls = group("this_and_after", step("a"))
    assert unsafe(calls, error_strategy="continue") == []
    declared = group("this_and_after", step("a", continue_on_fail=False))
    assert unsafe(declared, error_strategy="continue") == ["a"]


def test_an_inner_scope_keeps_its_failures_unless_it_escalates():
    def inner(**then: str) -> Node:
        held = box("inner", "and", reading("a"), recovery={"redo": "this_step", **then}, must_succeed=True)
        return group("this_and_after", held, step("b", must_succeed=True))

    assert unsafe(inner()) == []
    assert unsafe(inner(then="escalate")) == ["b"]


def test_alternatives_do_not_follow_each_other():
    rules = [{"condition": "true", "next_step": "a"}, {"condition": "true", "next_step": "b"}]
    choice = box("choice", "or", reading("a"), step("b", must_succeed=True), rules=rules, must_succeed=True)
    assert unsafe(group("this_and_after", choice)) == []


def test_branches_follow_each_other_by_what_they_read():
    b = step("b", must_succeed=True, arguments={"x": "${steps.a.id}"})
    both = box("both", "parallel", reading("a"), b, must_succeed=True)
    assert unsafe(group("this_and_after", both)) == ["b"]


def test_what_a_reference_to_all_steps_reads_follows_every_step():
    b = step("b", must_succeed=True, arguments={"x": "${steps}"})
    both = box("both", "parallel", reading("a"), b, must_succeed=True)
    assert unsafe(group("this_and_after", both)) == ["b"]


def test_a_jump_forward_is_followed_and_a_jump_back_is_not():
    rules = [{"condition": "true", "next_step": "d"}, {"condition": "true", "next_step": "b"}]
    jump = step("d", step_type="decision", condition="input.n", yes_branch="c", no_branch="end")
    either = box("either", "or", jump, step("b", must_succeed=True), rules=rules, must_succeed=True)
    assert unsafe(group("this_and_after", either, step("c", must_succeed=True))) == ["c"]
    back = step("d", step_type="decision", condition="input.n", yes_branch="a", no_branch="a")
    assert unsafe(group("this_and_after", step("a", must_succeed=True), back)) == []


def test_nothing_outside_the_scope_is_redone():
    assert unsafe(step("x"), group("this_and_after", reading("a")), step("y")) == []


def test_the_flow_itself_can_be_the_scope():
    assert unsafe(step("a", must_succeed=True), reading("b"), step("c"), recovery={"redo": "this_and_after"}) == ["c"]


def test_each_unsafe_step_is_named_once_however_many_scopes_hold_it():
    assert unsafe(group("whole_group", step("a")), recovery={"redo": "whole_group"}) == ["a"]


def test_probes_of_a_reconcile_are_no_members():
    reconcile = {"steps": [step("probe")], "outcome": "true"}
    keyed = step("a", function_ref="/lib/keyed", idempotency_key="k", on_unknown="reconcile", reconcile=reconcile)
    assert unsafe(group("whole_group", keyed)) == []


@pytest.mark.parametrize(
    "safe",
    [
        reading("a"),
        step("a", function_ref="/lib/keyed", idempotency_key="k"),
        step("a", undo={"function_ref": "/lib/plain"}),
        step("a", disabled=True),
        step("a", step_type="stop"),
        step("a", step_type="ai_agent", agent_ref="/agents/clerk"),
        step("a", step_type="sub_flow", flow_ref="/flows/child"),
        step("a", function_ref="/lib/keyed", idempotency_key="k", retry_strategy="none"),
    ],
)
def test_what_can_be_repeated_is_safe(safe):
    assert unsafe(group("whole_group", safe)) == []


def test_an_agent_is_as_safe_as_its_tools():
    library = Known(
        {"/lib/write": {"effect": "write"}, "/lib/read": {"effect": "read"}}, {"/agents/w": ["/lib/read", "/lib/write"]}
    )
    agent = step("a", step_type="ai_agent", agent_ref="/agents/w")
    sequence = box("s", "ai_sequence", ai_config={"agent_ref": "/agents/w"})
    assert unsafe(group("whole_group", agent, sequence), library=library) == ["a", "s"]


def test_a_sub_flow_is_as_safe_as_its_steps_even_when_flows_call_each_other():
    calls = step("x", step_type="sub_flow", flow_ref="/flows/b")
    flows = {
        "/flows/a": flow(calls, reading("y")),
        "/flows/b": flow({**calls, "properties": {**calls["properties"], "flow_ref": "/flows/a"}}),
    }
    library = Known(dict(LIBRARY.functions), {}, flows)
    child = step("c", step_type="sub_flow", flow_ref="/flows/a")
    assert unsafe(group("whole_group", child), library=library) == []
    flows["/flows/b"]["nodes"].append(step("z"))
    assert unsafe(group("whole_group", child), library=library) == ["c"]
