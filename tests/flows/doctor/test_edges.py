from flows.doctor import check
from tests.flows.doctor.cases import RECONCILE, Node, box, flow, step


def codes(*nodes: Node) -> list[tuple[str, str]]:
    found = check(flow(*nodes))
    return [(each.node, each.code) for each in found if each.severity != "suggestion"]


def decision(id: str, **arms: str) -> Node:
    return step(id, step_type="decision", condition="input.n > 1", **arms)


def test_a_jump_may_lead_to_the_end_and_out_of_groups_and_loops():
    inner = box("inner", "and", step("a", error_edge="end"), step("b", error_edge="last"))
    loop = box("loop", "loop", inner, step("c", timeout_edge="last"), loop={"times": 3})
    assert codes(loop, step("last")) == []


def test_a_jump_may_stay_in_its_branch_and_lead_into_a_group():
    branch = box(
        "branch",
        "and",
        step("a", error_edge="c"),
        box("group", "or", step("c"), rules=[{"condition": "true", "next_step": "c"}]),
    )
    assert codes(box("all", "parallel", branch, step("other"))) == []


def test_no_jump_leads_from_one_branch_to_another():
    assert codes(box("all", "parallel", step("a", error_edge="b"), step("b"))) == [("a", "EDGE_LEAVES_BRANCH")]


def test_the_steps_of_a_fan_out_are_one_branch():
    together = box("all", "parallel", step("a", error_edge="b"), step("b"), fan_out={"over": "${input.xs}"})
    assert codes(together) == []


def test_no_jump_leads_into_a_branch():
    assert codes(step("a", error_edge="b"), box("all", "parallel", step("b"))) == [("a", "EDGE_LEAVES_BRANCH")]


def test_no_jump_leads_into_a_loop_from_outside_even_from_the_loop_itself():
    loop = box("loop", "loop", step("b"), loop={"times": 3})
    assert codes(step("a", error_edge="b"), loop) == [("a", "EDGE_LEAVES_BRANCH")]
    assert codes({**loop, "error_edge": "b"}) == [("loop", "EDGE_LEAVES_BRANCH")]


def test_a_jump_inside_an_inner_loop_may_lead_to_the_outer_body():
    inner = box("inner", "loop", step("a", error_edge="b"), loop={"times": 3})
    assert codes(box("outer", "loop", inner, step("b"), loop={"times": 3})) == []


def test_the_steps_of_a_reconcile_are_a_graph_of_their_own():
    out = {**RECONCILE, "steps": [step("probe", error_edge="b")]}
    writes = {"on_unknown": "reconcile", "reconcile": out}
    assert codes(step("a", **writes), step("b")) == [("probe", "EDGE_LEAVES_BRANCH")]
    within = {**RECONCILE, "steps": [step("probe", error_edge="second"), step("second")]}
    assert codes(step("a", **{**writes, "reconcile": within})) == []
    assert codes(step("a", error_edge="probe", **{**writes, "reconcile": within})) == [("a", "EDGE_LEAVES_BRANCH")]


def test_an_edge_on_the_node_wins_over_one_in_its_properties():
    assert codes({**step("a", error_edge="gone"), "error_edge": "end"}) == []


def test_an_edge_to_what_comes_later_is_no_cycle():
    assert codes(step("a", error_edge="c"), step("b"), step("c")) == []


def test_the_way_back_of_the_loop_around_it_does_not_count():
    loop = box("loop", "loop", step("a", error_edge="b"), step("b"), loop={"times": 3})
    assert codes(loop) == []


def test_an_edge_to_the_step_itself_is_a_cycle():
    assert codes(step("a", error_edge="a")) == [("a", "POSSIBLE_CYCLE")]


def test_an_edge_back_is_a_cycle_through_containers_and_decisions():
    deep = box("deep", "and", step("b", timeout_edge="top"))
    assert codes(step("top"), decision("d", yes_branch="deep", no_branch="end"), deep) == [("b", "POSSIBLE_CYCLE")]


def test_a_decision_that_never_leads_to_the_step_breaks_the_cycle():
    away = decision("d", yes_branch="last", no_branch="last")
    assert codes(step("top"), away, step("b", error_edge="top"), step("last")) == []


def test_a_stop_breaks_the_cycle():
    halt = step("halt", step_type="stop")
    assert codes(step("top"), halt, step("b", error_edge="top")) == []


def test_two_reconciles_may_use_the_same_ids():
    writes = {"on_unknown": "reconcile", "reconcile": RECONCILE}
    assert codes(step("a", **writes), step("b", **writes)) == []
    assert codes(step("probe"), step("b", **writes)) == [("probe", "DUPLICATE_NODE_ID")]


def test_a_jump_that_is_no_text_is_refused():
    assert codes(step("a", error_edge=["b"]), step("b")) == [("a", "INVALID_ERROR_EDGE")]
