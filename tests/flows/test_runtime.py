"""raisin's runtime format: when a definition is in it, what the doctor asks of it, and where its nodes stand."""

import json
import random

import pytest

from flows.doctor import CODES, Known, check, errors
from flows.explain.lines import explain
from flows.graph import END_INDEX, from_json, to_json
from flows.loader import dump, load
from flows.lowering import lower
from flows.overview import rows
from flows.runtime import is_runtime
from tests.flows.drawing_flat import END, call, decision, flat, loop, node, parallel, start
from tests.flows.mutations import mutated

LIBRARY = Known(functions={"/lib/a": None, "/lib/b": None, "/lib/c": None}, agents={"/agents/x": ()})


def graph_of(*nodes):
    return lower(flat(*nodes), lambda path: None)


def ways(graph):
    """For each node its container and what follows it."""

    def name(index):
        return "end" if index in (None, END_INDEX) else graph.nodes[index].id

    return {each.id: (None if each.parent is None else name(each.parent), name(each.next)) for each in graph.nodes}


def found(*nodes):
    return [(each.node, each.code, each.field) for each in check(flat(*nodes), library=LIBRARY)]


# --- what it is ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (flat(start("a"), call("a")), True),
        ({"nodes": [{"id": "a", "node_type": "raisin:FlowStep", "step_type": "wait"}]}, False),
        ({"nodes": [{"id": "a", "node_type": "raisin:FlowStep"}, {"id": "b", "step_type": "wait"}]}, False),
        ({"nodes": []}, False),
        ({"nodes": "x"}, False),
        ([], False),
    ],
)
def test_it_is_told_by_its_step_types(data, expected) -> None:
    assert is_runtime(data) is expected


def test_the_two_formats_are_never_mixed() -> None:
    mixed = {"nodes": [{"id": "a", "node_type": "raisin:FlowStep", "properties": {}}, call("b")]}
    assert any("never mixed" in each.message for each in check(mixed))


def test_it_survives_the_way_through_text() -> None:
    data = flat(start("a"), call("a", odd={"kept": [1]}), END)
    assert load(dump(load(json.dumps(data)))).workflow_data == data


# --- the doctor ------------------------------------------------------------------------------------------------------


def test_a_sound_flow_has_no_findings() -> None:
    nodes = [
        start("l"),
        loop("l", "a", next_node="d"),
        call("a", "l"),
        decision("d", "b", "end"),
        call("b", "end"),
        END,
    ]
    assert found(*nodes) == []


def test_keys_that_mean_nothing_and_labels_that_lack_are_not_asked_about() -> None:
    assert found(start("a"), call("a", whatever=1)) == []


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([call("a")], ("", "INVALID_VALUE", "nodes")),
        ([start("a"), start("a", id="again"), call("a")], ("again", "INVALID_VALUE", "nodes")),
        ([node("start", "start"), call("a")], ("start", "INVALID_BRANCH_TARGET", "next_node")),
        ([start("a"), call("a"), call("b", id="")], ("", "EMPTY_NODE_ID", "id")),
        ([start("a"), call("a"), call("a")], ("a", "DUPLICATE_NODE_ID", "id")),
        ([start("a"), call("a"), call("b", id="a b")], ("a b", "INVALID_VALUE", "id")),
        ([start("a"), node("a", "magic")], ("a", "UNKNOWN_STEP_TYPE", "step_type")),
        ([start("a"), call("a", "nowhere")], ("a", "INVALID_BRANCH_TARGET", "next_node")),
        ([start("a"), call("a", "start")], ("a", "INVALID_BRANCH_TARGET", "next_node")),
        ([start("a"), call("a", error_edge="nowhere")], ("a", "INVALID_ERROR_EDGE", "error_edge")),
        ([start("a"), call("a", timeout_edge=5)], ("a", "INVALID_TIMEOUT_EDGE", "timeout_edge")),
        ([start("d"), decision("d", "end", None)], ("d", "INVALID_BRANCH_TARGET", "no_branch")),
        ([start("l"), loop("l", None)], ("l", "INVALID_BRANCH_TARGET", "body_step")),
        ([start("l"), loop("l", "a"), call("a")], ("l", "EDGE_LEAVES_BRANCH", "body_step")),
        (
            [start("d"), decision("d", "l", "a"), loop("l", "a"), call("a", "l")],
            ("l", "EDGE_LEAVES_BRANCH", "body_step"),
        ),
        ([start("l"), loop("l", "a", error_edge="b"), call("a", "b"), call("b", "l")], ("l", "EDGE_LEAVES_BRANCH", "")),
        ([start("a"), call("a", function_ref=None)], ("a", "MISSING_FUNCTION_REF", "function_ref")),
        ([start("a"), call("a", function_ref=5)], ("a", "INVALID_REFERENCE", "function_ref")),
        ([start("a"), call("a", function_ref="/lib/none")], ("a", "FUNCTION_NOT_FOUND", "function_ref")),
        ([start("a"), call("a", function_ref="/agents/x")], ("a", "FUNCTION_NOT_A_FUNCTION", "function_ref")),
        ([start("s"), node("s", "sub_flow")], ("s", "MISSING_FLOW_REF", "flow_ref")),
        ([start("p"), parallel("p")], ("p", "EMPTY_CONTAINER", "")),
        ([start("p"), parallel("p", {"id": "x"})], ("p", "MISSING_FLOW_REF", "branches.0")),
        ([start("r"), node("r", "agent_decision", agent_ref="/agents/x")], ("r", "INVALID_BRANCH_TARGET", "branches")),
        (
            [start("r"), node("r", "agent_decision", agent_ref="/agents/x", branches=["end"], default_branch="b")],
            ("r", "INVALID_DEFAULT_BRANCH", "default_branch"),
        ),
        ([start("c"), node("c", "competition", children=[{"id": "x"}])], ("c", "INVALID_VALUE", "children.0")),
    ],
)
def test_each_fault_is_found_and_nothing_else(nodes, expected) -> None:
    assert found(*nodes) == [expected]
    assert expected[1] in CODES


def test_each_graph_has_ids_of_its_own() -> None:
    inner = flat(start("a", id="start"), call("a"))
    assert found(start("p"), parallel("p", {"id": "x", "flow_definition": inner}), call("a")) == []


def test_a_fault_inside_a_branch_is_found_with_its_line() -> None:
    inner = flat(start("a"), call("a", "nowhere"))
    document = load(dump(load(json.dumps(flat(start("p"), parallel("p", {"id": "x", "flow_definition": inner}))))))
    (finding,) = check(document.workflow_data, library=LIBRARY, line_of=document.line_of)
    assert (finding.node, finding.field) == ("a", "next_node")
    assert "nowhere" in dump(document).splitlines()[(finding.line or 0) - 1]


def test_a_damaged_definition_never_crashes_the_doctor_nor_what_follows() -> None:
    inner = flat(start("a"), call("a"))
    router = node("r", "agent_decision", agent_ref="/agents/x", branches=["l", {"id": "end"}])
    whole = flat(
        start("l"), loop("l", "m", next_node="p"), loop("m", "a", next_node="d"), call("a", "m"), decision("d", "l", "r"), router,
        parallel("p", {"id": "x", "flow_definition": inner}, {"flow_path": "/flows/f"}), END,
    )  # fmt: skip
    chance = random.Random(20300108)
    passed = 0
    for _ in range(2_000):
        definition = mutated(whole, chance)
        faults = errors(check(definition, library=LIBRARY))
        rows(definition)
        if not faults:
            passed += 1
            explain(lower(definition, lambda path: None))
    assert passed > 100


# --- where the nodes stand -------------------------------------------------------------------------------------------


def test_a_step_leads_to_its_next_node_backwards_too() -> None:
    graph = graph_of(call("b", "end"), start("d"), decision("d", "b", "a"), call("a", "d"), END)
    assert graph.nodes[graph.first].id == "d"
    assert ways(graph) == {"b": (None, "end"), "d": (None, "end"), "a": (None, "d")}


def test_a_flow_that_leads_from_start_to_end_is_empty() -> None:
    assert graph_of(start("end"), END).first is None


def test_a_loop_holds_what_leads_back_to_it() -> None:
    graph = graph_of(start("l"), loop("l", "a", next_node="c"), call("a", "b"), call("b", "l"), call("c", "end"), END)
    assert ways(graph) == {"l": (None, "c"), "a": ("l", "b"), "b": ("l", "end"), "c": (None, "end")}
    assert [graph.nodes[each].id for each in graph.find("l").children] == ["a", "b"]


def test_a_loop_inside_a_loop_belongs_to_it() -> None:
    graph = graph_of(start("l"), loop("l", "m"), loop("m", "a", next_node="b"), call("a", "m"), call("b", "l"))
    assert ways(graph) == {"l": (None, "end"), "m": ("l", "b"), "a": ("m", "end"), "b": ("l", "end")}


def test_a_jump_back_to_the_loop_ends_the_iteration() -> None:
    graph = graph_of(start("l"), loop("l", "d"), decision("d", "l", "a"), call("a", "l"))
    assert graph.nodes[graph.find("d").edges["yes_branch"]].id == "l__turn"
    assert graph.find("l__turn").parent == graph.find("l").index


def test_a_way_out_of_the_body_leaves_the_loop() -> None:
    graph = graph_of(start("l"), loop("l", "d", next_node="c"), decision("d", "a", "c"), call("a", "l"), call("c"))
    assert ways(graph)["c"][0] is None
    assert graph.nodes[graph.find("d").edges["no_branch"]].id == "c"


def test_retries_and_labels_are_taken_as_written() -> None:
    retry = {"max_retries": 2, "retry_base_delay_ms": 500, "retry_max_delay_ms": 700}
    graph = graph_of(start("a"), call("a", "t", **retry), node("t", "human_task", title="Look", description="Well"))
    policy = graph.find("a").policy.retry
    assert (policy.max_retries, policy.base_ms, policy.max_ms) == (2, 500, 700)
    settings = graph.find("t").settings
    assert (settings["action"], settings["task_description"]) == ("Look", "Well")


def test_its_graph_is_kept_as_json() -> None:
    inner = flat(start("a"), call("a"))
    graph = graph_of(
        start("p"), parallel("p", {"id": "x", "flow_definition": inner}, {"id": "y", "flow_path": "/flows/f"})
    )
    assert from_json(json.loads(json.dumps(to_json(graph)))) == graph


def test_it_is_shown_step_by_step() -> None:
    shown = rows(flat(start("a"), call("a", "t"), node("t", "human_task", title="Look", assignee="/users/ana")))
    assert [(each.id, each.kind, each.action, each.target) for each in shown] == [
        ("a", "function", "", "/lib/a"),
        ("t", "human_task", "Look", "/users/ana"),
    ]
