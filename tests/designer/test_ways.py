"""The ways that a run went along, told from its visits alone."""

from typing import Any

from designer.presenters.ways import Passed, ways
from flows.graph import Graph
from flows.lowering import lower
from tests.engine.drawing import call, decision, either, group, loop, parallel

CONTINUED = {"message": "No.", "continued": True}


def drawn(*nodes: dict[str, Any]) -> Graph:
    return lower({"nodes": list(nodes)}, lambda _: None)


def gone(graph: Graph, *visits: str | Passed, **more: Any) -> list[str]:
    found = [Passed(seq, each) if isinstance(each, str) else each for seq, each in enumerate(visits, 1)]
    return [way.name for way in ways(graph, found, **more)]


def failed(node: str, **error: Any) -> Passed:
    return Passed(2, node, "failed", error={"message": "No.", **error})


def test_steps_in_order_are_reached_one_from_the_other():
    assert gone(drawn(call("a"), call("b")), "a", "b", is_left=True) == ["a:in", "b:in", ":out"]


def test_a_run_on_its_way_has_not_gone_the_way_ahead():
    assert gone(drawn(call("a"), call("b")), "a") == ["a:in"]


def test_a_container_is_entered_at_its_top_and_left_at_its_bottom():
    graph = drawn(group("g", call("a"), call("b")), call("c"))
    assert gone(graph, "g", "a", "b", "c") == ["g:in", "a:in", "b:in", "g:out", "c:in"]


def test_of_alternatives_one_is_gone_along():
    graph = drawn(either("o", call("a"), call("b"), rules=[("true", "b")]), call("c"))
    assert gone(graph, "o", "b", "c") == ["o:in", "b:fan", "b:join", "c:in"]


def test_a_decision_tells_its_arm():
    graph = drawn(decision("d", "true", yes="c"), call("b"), call("c"))
    assert gone(graph, Passed(1, "d", arm="yes"), Passed(2, "c")) == ["d:in", "d:yes"]
    assert gone(graph, Passed(1, "d", arm="no"), Passed(2, "b"), Passed(3, "c")) == ["d:in", "b:in", "c:in"]


def test_a_jump_back_is_counted_each_time():
    graph = drawn(call("a"), decision("d", "true", yes="a"), call("b"))
    round_: list[str | Passed] = ["a", Passed(2, "d", arm="yes")]
    names = gone(graph, *round_, *round_, "a", Passed(6, "d", arm="no"), "b")
    assert names.count("d:yes") == 2
    assert names.count("d:in") == 3
    assert names.count("a:in") == 1


def test_an_arm_that_leads_to_the_end_is_gone_along_at_the_end():
    graph = drawn(decision("d", "true", yes="end"), call("b"))
    assert gone(graph, Passed(1, "d", arm="yes"), is_left=True) == ["d:in", "d:yes"]


def test_a_failure_tells_which_step_dealt_with_it():
    graph = drawn(group("g", call("a"), error_edge="c"), call("b"), call("c"))
    jump = {"jump": {"from": "g", "by": "error"}}
    assert gone(graph, Passed(1, "g", "failed", error=jump), failed("a", **jump), "c") == ["g:in", "a:in", "g:error"]


def test_a_failure_whose_way_leads_to_the_next_step_went_along_that_way_alone():
    graph = drawn(call("a", error_edge="b"), call("b"))
    assert gone(graph, failed("a", jump={"from": "a", "by": "error"}), "b") == ["a:in", "a:error"]


def test_a_jump_into_a_container_enters_nothing_at_its_top():
    graph = drawn(call("a", error_edge="c"), group("g", call("b"), call("c")), call("d"))
    names = gone(graph, failed("a", jump={"from": "a", "by": "error"}), "g", "c", "d")
    assert names == ["a:in", "a:error", "g:out", "d:in"]


def test_a_failure_that_is_passed_over_goes_on_in_order():
    graph = drawn(call("a", continue_on_fail=True), call("b"))
    assert gone(graph, failed("a", continued=True), "b") == ["a:in", "b:in"]


def test_a_container_that_is_passed_over_is_not_left_at_its_bottom():
    graph = drawn(group("g", call("a"), call("x"), continue_on_fail=True), call("b"))
    assert gone(graph, Passed(1, "g", "failed", error=CONTINUED), failed("a", continued=True), "b") == [
        "g:in",
        "a:in",
        "b:in",
    ]


def test_a_failure_that_ends_the_run_leads_nowhere():
    assert gone(drawn(call("a"), call("b")), failed("a")) == ["a:in"]


def test_what_a_redo_begins_at_is_reached_on_no_way():
    graph = drawn(call("a"), call("b"), call("c"))
    assert gone(graph, "a", "b", failed("c"), "b") == ["a:in", "b:in", "c:in"]


def test_a_turn_of_a_loop_is_left_at_its_bottom():
    graph = drawn(loop("l", group("g", call("a")), call("b"), times=2), call("c"))
    assert gone(graph, "g", "a", "b", around="l", is_left=True) == ["g:in", "a:in", "g:out", "b:in", "l:out"]
    assert gone(graph, "l", "c") == ["l:in", "c:in"]


def test_a_failure_with_which_the_loop_around_dealt_is_told_outside_of_it():
    graph = drawn(loop("l", call("a"), times=2, error_edge="c"), call("b"), call("c"))
    jump = {"jump": {"from": "l", "by": "error"}}
    assert gone(graph, failed("a", **jump), around="l") == ["a:in"]
    assert gone(graph, failed("l", **jump), "c") == ["l:in", "l:error"]


def test_a_branch_is_entered_and_left_beside_the_others():
    graph = drawn(parallel("p", call("a"), call("b")))
    assert gone(graph, "b", around="p", is_left=True) == ["b:fan", "b:join"]


def test_what_the_diagram_does_not_draw_stands_between_nothing():
    assert gone(drawn(call("a"), call("b")), "a", "a__router", "b") == ["a:in", "b:in"]
