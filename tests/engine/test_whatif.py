"""The ladder told in advance, in the order in which it would be climbed."""

import pytest

from engine.whatif import Undo, foresee
from flows.lowering import lower
from tests.engine.machine.scene import container, function, step

WRITE = {"effect": "write"}
REPEATABLE = {"effect": "write", "idempotent": True}
READ = {"effect": "read"}


def graph_of(*nodes, manifests=None, **flow):
    return lower({"nodes": list(nodes), **flow}, (manifests or {}).get)


def rows(graph, node, how="failure"):
    return [rung.row for rung in foresee(graph, node, how)]


def undoes(name):
    return function(name, compensation_ref=f"/lib/un{name}", retry_strategy="none")


def plain(name, **properties):
    return function(name, **{"retry_strategy": "none", **properties})


def test_retries_come_first_with_their_delays_and_at_last_the_rollback_newest_first():
    graph = graph_of(undoes("a"), undoes("b"), plain("c", retry={"max_retries": 2, "base_delay_ms": 500}), undoes("d"))
    retries, end = foresee(graph, "c")
    assert (retries.row, retries.delays_ms, retries.failures) == ("retries", (500, 1000), 2)
    assert (end.row, end.undo) == ("rolls_back", (Undo("b", "/lib/unb"), Undo("a", "/lib/una")))


def test_a_run_that_is_kept_says_so():
    assert rows(graph_of(undoes("a"), plain("b"), on_failure="keep"), "b") == ["kept"]


@pytest.mark.parametrize(
    ("properties", "row"),
    [
        ({"error_edge": "z"}, "error_edge"),
        ({"optional": True}, "goes_on"),
        ({"continue_on_fail": True}, "goes_on"),
    ],
)
def test_a_step_that_handles_its_failure_ends_the_ladder(properties, row):
    assert rows(graph_of(plain("a", **properties), plain("z")), "a") == [row]


def test_a_jump_names_where_it_leads():
    graph = graph_of(plain("a", error_edge="z", timeout_edge="t"), plain("t"), plain("z"))
    assert [rung.to for how in ("failure", "timeout") for rung in foresee(graph, "a", how)] == ["z", "t"]


def test_the_strategy_of_the_flow_covers_calls():
    graph = graph_of(plain("a"), plain("b"), error_strategy="continue")
    assert rows(graph, "a") == ["goes_on"]


def test_what_must_succeed_fails_the_run_past_everything_around():
    inner = container("l", "loop", plain("a", must_succeed=True), loop={"times": 2}, on_error="continue")
    assert rows(graph_of(inner), "a") == ["must_succeed", "rolls_back"]


def test_an_iteration_that_may_fail_goes_on_with_the_next():
    assert rows(graph_of(container("l", "loop", plain("a"), loop={"times": 2}, on_error="continue")), "a") == [
        "next_iteration"
    ]


def test_a_loop_with_retries_starts_anew_before_the_run_fails():
    loop = container("l", "loop", plain("a"), loop={"times": 2}, retry={"max_retries": 1, "base_delay_ms": 100})
    again, end = foresee(graph_of(loop), "a")
    assert (again.row, again.node, again.delays_ms) == ("starts_anew", "l", (100,))
    assert end.row == "rolls_back"


def scope(name, *children, **recovery):
    return container(name, "and", *children, recovery=recovery)


def test_a_scope_redoes_and_then_holds():
    undo = {"function_ref": "/lib/back"}
    group = scope(
        "g",
        plain("a", undo=undo),
        plain("b", undo=undo),
        plain("c"),
        redo="whole_group",
        stop_after={"failures": 3, "within": "1h"},
        then="hold",
        notify="night-desk",
    )
    redo, hold = foresee(graph_of(group), "c")
    assert (redo.row, redo.node, redo.members, redo.failures, redo.within) == ("redo", "g", ("a", "b", "c"), 3, "1h")
    assert redo.undo == (Undo("b", "/lib/back"), Undo("a", "/lib/back"))
    assert (hold.row, hold.node, hold.notify) == ("hold", "g", "night-desk")


def test_a_scope_that_endures_no_failure_never_redoes():
    bound = {"failures": 0, "within": "1h"}
    assert rows(graph_of(scope("g", plain("a"), stop_after=bound, then="hold")), "a") == ["hold"]


def test_a_scope_without_a_bound_fails_in_the_end():
    assert rows(graph_of(scope("g", plain("a"))), "a") == ["redo", "scope_fails", "rolls_back"]


def test_an_escalation_leads_to_the_scope_around():
    bound = {"failures": 1, "within": "1h"}
    inner = scope("inner", plain("a"), stop_after=bound, then="escalate", notify="desk")
    outer = scope("outer", inner, stop_after=bound, then="hold")
    found = foresee(graph_of(outer), "a")
    assert [(rung.row, rung.node) for rung in found] == [
        ("redo", "inner"),
        ("escalate", "inner"),
        ("redo", "outer"),
        ("hold", "outer"),
    ]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, ["branch_fails", "branches_suffice"]),
        ({"merge_strategy": "first_success"}, ["branch_fails", "branches_suffice"]),
        ({"merge_strategy": "all_success"}, ["branch_fails", "rolls_back"]),
        ({"merge_strategy": "all_success", "error_edge": "z"}, ["branch_fails", "error_edge"]),
    ],
)
def test_a_branch_fails_first_and_the_join_decides(keys, expected):
    both = container("p", "parallel", plain("a"), plain("b"), retry_strategy="none", **keys)
    assert rows(graph_of(both, plain("z")), "a") == expected


def test_the_other_branches_are_undone_as_well():
    both = container("p", "parallel", plain("a"), undoes("b"), retry_strategy="none", merge_strategy="all_success")
    [_, end] = foresee(graph_of(both), "a")
    assert end.undo == (Undo("b", "/lib/unb"),)


@pytest.mark.parametrize(
    ("manifest", "properties", "expected"),
    [
        (None, {}, ["never_unknown", "rolls_back"]),
        (READ, {}, ["never_unknown", "rolls_back"]),
        (WRITE, {}, ["held_unknown"]),
        (REPEATABLE, {}, ["asked_again", "rolls_back"]),
        (
            WRITE,
            {"on_unknown": "reconcile", "reconcile": {"steps": [plain("probe")], "outcome": "true"}},
            ["reconcile", "rolls_back"],
        ),
    ],
)
def test_what_nobody_can_know_is_held_asked_again_or_found_out(manifest, properties, expected):
    graph = graph_of(plain("a", **properties), manifests={"/lib/a": manifest})
    assert rows(graph, "a", "unknown") == expected


def test_a_call_whose_time_is_up_may_have_had_its_effect():
    assert rows(graph_of(plain("a"), manifests={"/lib/a": WRITE}), "a", "timeout") == ["held_unknown"]


def test_a_person_who_does_not_answer_is_not_asked_again():
    ask = step("ask", step_type="human_task", assignee="/users/ana", due_in_seconds=10)
    assert rows(graph_of(ask), "ask", "timeout") == ["rolls_back"]


def test_a_probe_that_fails_leaves_its_step_held():
    reconcile = {"steps": [plain("probe")], "outcome": "true"}
    graph = graph_of(plain("a", on_unknown="reconcile", reconcile=reconcile), manifests={"/lib/a": WRITE})
    [probe] = [node.id for node in graph.nodes if node.owner is not None]
    assert rows(graph, probe) == ["held_unknown"]


def test_an_unknown_step_is_refused():
    with pytest.raises(KeyError):
        foresee(graph_of(plain("a")), "b")


def two_branches(*, step=None, **keys):
    return container("p", "parallel", step or plain("a"), plain("b"), retry_strategy="none", **keys)


def test_a_step_that_must_succeed_fails_the_run_out_of_its_branch():
    graph = graph_of(two_branches(step=plain("a", must_succeed=True), on_error="continue"))
    assert rows(graph, "a") == ["must_succeed", "rolls_back"]


def test_on_error_stop_lets_no_other_branch_suffice():
    assert rows(graph_of(two_branches(on_error="stop")), "a") == ["branch_fails", "rolls_back"]


def test_a_scope_around_a_parallel_redoes_the_step_before_its_branch_fails():
    group = container("g", "and", two_branches(), recovery={"stop_after": {"failures": 1, "within": "1h"}})
    assert rows(graph_of(group), "a") == ["redo", "scope_fails", "rolls_back"]


def test_a_scope_in_a_branch_escalates_to_one_around_it():
    inner = container(
        "i", "and", plain("a"), recovery={"stop_after": {"failures": 1, "within": "1h"}, "then": "escalate"}
    )
    outer = {"stop_after": {"failures": 3, "within": "1h"}, "then": "hold"}
    assert rows(graph_of(two_branches(step=inner), recovery=outer), "a") == ["redo", "escalate", "redo", "hold"]
