"""What a redo runs again, as the engine and the doctor work it out."""

import pytest

from flows.closure import order_edges, redo_set
from flows.lowering import lower
from tests.engine.drawing import call, decision, group, loop, parallel

SAFE = {"recovery": {"redo": "this_and_after"}}


def graph_of(*nodes, **data):
    return lower({"nodes": list(nodes), **SAFE, **data}, lambda path: None)


def members(graph, scope, failed, redo="this_and_after"):
    place = None if scope is None else graph.find(scope).index
    return [graph.nodes[each].id for each in redo_set(graph, place, graph.find(failed).index, redo)]


def test_this_step_is_the_step_alone_and_a_construct_brings_its_inside() -> None:
    graph = graph_of(call("a"), loop("l", call("b"), call("c"), times=2), call("d"))
    assert members(graph, None, "a", "this_step") == ["a"]
    assert members(graph, None, "l", "this_step") == ["l", "b", "c"]


def test_whole_group_is_everything_in_the_scope() -> None:
    graph = graph_of(call("a"), group("g", call("b"), group("h", call("c"))), call("d"))
    assert members(graph, "g", "c", "whole_group") == ["b", "h", "c"]
    assert members(graph, None, "c", "whole_group") == ["a", "g", "b", "h", "c", "d"]


def test_what_comes_after_is_a_member_and_nothing_outside_the_scope() -> None:
    graph = graph_of(call("a"), group("g", call("b"), call("c"), group("h", call("d"))), call("e"))
    assert members(graph, "g", "c") == ["c", "h", "d"]
    assert members(graph, None, "d") == ["d", "e"]


def test_both_arms_of_a_decision_and_its_jumps_are_members_but_none_goes_back() -> None:
    graph = graph_of(call("a"), decision("d", "true", yes="x", no="a"), call("b"), call("x"))
    assert members(graph, None, "d") == ["d", "b", "x"]


def test_a_sibling_in_a_parallel_is_no_member_unless_it_reads() -> None:
    graph = graph_of(parallel("p", call("a"), call("b"), call("c", arguments={"x": "${steps.a.y}"})), call("d"))
    assert members(graph, None, "a") == ["a", "c", "d"]


def test_who_reads_a_member_is_one_and_so_is_the_inside_of_a_container_that_does() -> None:
    graph = graph_of(
        parallel("p", call("a"), loop("l", call("b"), call("c"), over="${history.a}")), call("d", when="steps.b.x > 1")
    )
    assert members(graph, "p", "a") == ["a", "l", "b", "c"]


@pytest.mark.parametrize("template", ["${steps}", "${steps[input.name].x}"])
def test_who_reads_any_step_reads_each_before_it(template) -> None:
    graph = graph_of(parallel("p", call("a"), call("b", arguments={"all": template})))
    assert members(graph, "p", "a") == ["a", "b"]


def test_the_last_child_leads_to_what_follows_the_container() -> None:
    graph = graph_of(group("g", group("h", call("a"))), call("b"))
    assert [graph.nodes[each].id for each in order_edges(graph, graph.find("a"))] == ["b"]
