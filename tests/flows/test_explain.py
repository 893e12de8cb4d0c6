from flows.explain import Way, as_mermaid, as_text, explain
from flows.explain.words import retries
from flows.graph import RetryPolicy
from flows.lowering import lower
from tests.flows.doctor.cases import Node, box, flow, step


def lines(*nodes: Node, **keys: object) -> dict[str, list[tuple[str, str]]]:
    """Each line's ways out, as label and target."""
    explained = explain(lower(flow(*nodes, **keys), lambda path: None))
    return {line.id: [(way.label, way.to) for way in line.ways] for line in explained.lines}


def test_a_group_passes_through_and_its_last_step_leads_out():
    assert lines(box("g", "and", step("a"), step("b")), step("c")) == {
        "g": [("", "a")],
        "a": [("", "b")],
        "b": [("", "c")],
        "c": [("", "end")],
    }


def test_rules_become_decisions_and_the_router_comes_last():
    rules = [{"condition": "input.n > 1", "next_step": "a"}, {"condition": "true", "next_step": "b"}]
    choice = box("o", "or", step("a"), step("b"), rules=rules, router={"agent_ref": "/agents/x", "default_branch": "b"})
    found = lines(choice, step("c"))
    assert found["o"] == [("yes", "a"), ("no", "o__rule1")]
    assert found["o__rule1"] == [("yes", "b"), ("no", "o__router")]
    assert found["o__router"] == [("a", "a"), ("b", "b"), ("not sure", "b")]
    assert found["a"] == found["b"] == [("", "c")]


def test_a_router_alone_stands_under_the_containers_own_id():
    assert lines(box("o", "or", step("a"), router={"agent_ref": "/agents/x"})) == {
        "o": [("a", "a"), ("not sure", "end")],
        "a": [("", "end")],
    }


def test_conditions_of_children_are_rules():
    choice = box("o", "or", step("a", condition="input.n", function_ref="/lib/x"), step("b"))
    assert lines(choice)["o"] == [("yes", "a"), ("no", "end")]


def test_a_loops_body_leads_back_and_a_branch_to_its_own_end():
    found = lines(box("l", "loop", box("p", "parallel", step("a"), step("b")), step("c"), loop={"times": 3}))
    assert found["l"] == [("each time", "p"), ("done", "end")]
    assert found["p"] == [("branch", "a"), ("branch", "b"), ("all done", "c")]
    assert found["a"] == found["b"] == [("", "end of branch")]
    assert found["c"] == [("", "l")]


def test_a_choice_at_the_end_of_a_branch_ends_the_branch():
    choice = box("o", "or", step("a"), rules=[{"condition": "true", "next_step": "a"}])
    assert lines(box("p", "parallel", choice))["o"] == [("yes", "a"), ("no", "end of branch")]


def test_arms_and_edges_are_ways_out():
    decision = step("d", step_type="decision", condition="true", yes_branch="b")
    found = lines(decision, step("a", error_edge="end", timeout_edge="b"), step("b"))
    assert found["d"] == [("yes", "b"), ("no", "a")]
    assert found["a"] == [("", "b"), ("error", "end"), ("timeout", "b")]


def test_retries_are_said_in_words():
    assert retries(RetryPolicy()) == ""
    assert retries(RetryPolicy(1, 500)) == "1 retry after 0.5 s"
    assert retries(RetryPolicy(10, 5_000, 120_000)) == "10 retries after 5 s, 10 s, 20 s, 40 s, 80 s, ..."
    assert retries(RetryPolicy(2, jitter=0.2)) == "2 retries after 10 s, 30 s, up to 20% longer"


def test_what_undoes_a_step_is_listed_manifests_included():
    undone = {
        "/lib/x": {"effect": "write", "compensation": {"function_ref": "/lib/undo-x", "input": {"id": "${output.id}"}}}
    }
    nodes = [step("a", function_ref="/lib/x"), step("b", compensation_ref="/lib/undo-b")]
    text = as_text(explain(lower(flow(*nodes), undone.get)))
    assert text.endswith(
        "Undone when a later step fails, newest first:\n"
        "  a: /lib/undo-x with id\n"
        "  b: /lib/undo-b with the step's own arguments\n"
    )


def test_policies_are_said_in_words():
    nodes = [step("a", must_succeed=True, when="input.n"), step("b", continue_on_fail=True), step("c", disabled=True)]
    recovery = {"redo": "whole_group", "stop_after": {"failures": 3, "within": "5m"}, "then": "hold"}
    text = as_text(explain(lower(flow(*nodes, recovery=recovery, on_failure="keep"), lambda path: None)))
    for words in (
        "a failed run is kept, to be resumed; recovery: redo whole_group, more than 3 failures within 5m: hold.",
        "must succeed: a failure fails the run",
        "only when input.n",
        "a failure does not stop the flow",
        "disabled: passed over",
    ):
        assert words in text


def test_nothing_in_a_flow_can_break_the_diagram():
    diagram = as_mermaid(explain(lower(flow(step("end-1", action='"] --> x; <b>#\n')), lambda path: None)))
    assert diagram.splitlines()[4] == '  n0["#quot;] --#gt; x; #lt;b#gt;#35; "]'


def test_an_empty_flow_ends_at_once():
    explained = explain(lower(flow(), lambda path: None))
    assert (explained.first, explained.lines) == ("end", ())
    assert Way("", "end").to == explained.first
