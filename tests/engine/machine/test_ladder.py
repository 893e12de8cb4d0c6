"""Which row of the ladder decides about a failed visit (design/semantics.md; design/recovery.md, "Ladder, in detail")."""

import pytest

from engine.states import Status
from tests.engine.drawing import call, decision, either, event, group, loop, pause, step, stop, task
from tests.engine.machine.walking import fails, walk

NONE = {"max_retries": 0}


def failing(*nodes, **more):
    """A run in which ``/lib/a`` fails at its only attempt."""
    return walk(*nodes, answers={"a": [fails()]}, **more).go()


def bad(**more):
    return call("a", retry=NONE, **more)


def test_without_a_policy_the_run_fails_and_stays_at_the_step() -> None:
    done = failing(bad(), call("b"))
    assert (done.status, done.error["step_id"], done.called()) == ("failed", "a", ["a"])
    assert done.run.position.leaf is not None


def test_must_succeed_beats_the_strategy_of_the_flow() -> None:
    assert failing(bad(must_succeed=True), call("b"), error_strategy="continue").status == Status.FAILED


def test_must_succeed_in_a_container_that_passes_still_fails_the_run() -> None:
    assert failing(group("g", bad(must_succeed=True), optional=True), call("b")).status == Status.FAILED


def test_retries_of_a_plain_container_are_none() -> None:
    done = failing(group("g", bad(), retry={"max_retries": 2}, continue_on_fail=True), call("b"))
    assert done.called() == ["a", "b"]


def test_an_error_edge_comes_before_continue_on_fail() -> None:
    done = failing(bad(error_edge="c", continue_on_fail=True), call("b"), call("c"))
    assert done.called() == ["a", "c"]
    assert "continued" not in done.run.position.error


@pytest.mark.parametrize("policy", [{"continue_on_fail": True}, {"optional": True}, {"on_error": "skip"}])
def test_a_step_that_passes_leads_on_and_says_so(policy) -> None:
    done = failing(bad(**policy), call("b", arguments={"told": "${error.continued}"}))
    assert done.calls[-1].arguments == {"told": True}
    assert done.outcomes() == {"a": "failed", "b": "succeeded"}


def test_the_strategy_of_the_flow_leaves_decisions_alone() -> None:
    done = walk(decision("d", "missing.x"), call("b"), error_strategy="continue").go()
    assert done.status == Status.FAILED


def test_the_strategy_of_the_flow_leaves_a_step_alone_that_says_continue_on_fail_false() -> None:
    assert failing(bad(continue_on_fail=False), error_strategy="continue").status == Status.FAILED


def test_a_loop_that_goes_on_gives_null_for_the_failed_iteration() -> None:
    done = walk(loop("l", bad(), times=3, on_error="continue"), answers={"a": [{"n": 1}, fails(), {"n": 3}]}).go()
    assert done.output["results"] == [{"n": 1}, None, {"n": 3}]


def test_the_innermost_loop_with_on_error_decides() -> None:
    inner = loop("inner", bad(), times=2, on_error="stop", optional=True)
    done = failing(loop("outer", inner, times=2, on_error="continue"))
    assert done.outcomes() == {"outer": "succeeded", "inner": "failed", "a": "failed"}
    assert done.called() == ["a", "a"]


def test_a_loop_without_on_error_passes_the_failure_to_the_loop_around_it() -> None:
    done = failing(loop("outer", loop("inner", bad(), times=2), times=2, on_error="continue"))
    assert done.called() == ["a", "a"]
    assert done.output["results"] == [None, None]


def test_on_error_stop_fails_the_loop_whose_own_error_edge_is_taken() -> None:
    done = failing(loop("l", bad(), times=3, on_error="stop", error_edge="c"), call("b"), call("c"))
    assert done.called() == ["a", "c"]
    assert done.outcomes()["l"] == "failed"


def test_a_group_is_a_construct_only_with_a_policy_of_its_own() -> None:
    assert failing(group("g", bad(), call("x")), call("b")).status == Status.FAILED
    done = failing(group("g", bad(), call("x"), continue_on_fail=True), call("b"))
    assert done.outcomes() == {"g": "failed", "a": "failed", "b": "succeeded", "x": "not_run"}


def test_a_loop_with_retries_starts_anew_from_its_first_iteration() -> None:
    retried = loop("l", bad(), times=2, retry={"max_retries": 1, "base_delay_ms": 1000})
    found = walk(retried, answers={"a": [{"n": 1}, fails(), {"n": 3}, {"n": 4}]}).go()
    assert found.rests == "retry"
    assert found.wake().output["results"] == [{"n": 3}, {"n": 4}]


def test_an_evaluation_fault_uses_no_retries_of_the_loop_around_it() -> None:
    done = walk(loop("l", call("a", arguments={"x": "${missing}"}), times=2, retry={"max_retries": 3})).go()
    assert (done.status, done.error["error_type"]) == ("failed", "evaluation")


def test_a_timeout_edge_comes_first_even_for_a_step_that_must_succeed() -> None:
    done = walk(task("t", due_in_seconds=60, timeout_edge="c", optional=True), call("b"), call("c")).go().wake()
    assert (done.called(), done.run.position.error["error_type"]) == (["c"], "timeout")


def test_the_strategy_of_the_flow_does_not_cover_an_expired_wait() -> None:
    assert walk(event("e", timeout="5m"), error_strategy="continue").go().wake().status == Status.FAILED


def test_an_expired_wait_in_a_loop_is_a_failed_iteration() -> None:
    done = walk(loop("l", event("e", timeout="5m"), times=2, on_error="continue")).go().wake().wake()
    assert (done.status, done.output["results"]) == ("completed", [None, None])


@pytest.mark.parametrize(
    "node",
    [
        decision("x", "missing"),
        pause("x", "${missing}"),
        stop("x", reason="${missing}"),
        task("x", assignee="${missing}"),
        call("x", arguments={"y": "${missing}"}),
        either("x", call("y"), rules=[("missing", "y")]),
        loop("x", call("y"), over="${missing}"),
        loop("x", call("y"), **{"while": "missing"}),
        call("x", when="missing"),
        group("x", call("y"), when="missing"),
    ],
    ids=lambda node: node.get("container_type") or node["properties"].get("step_type") or "function",
)
def test_an_evaluation_fault_is_the_first_and_last_attempt_of_its_visit(node) -> None:
    node["retry"] = {"max_retries": 5}
    done = walk({**node, "error_edge": "end"}, call("never")).go()
    assert (done.status, done.outcomes()["x"]) == ("completed", "failed")
    assert done.run.position.error["error_type"] == "evaluation"
    assert done.visits[0]["attempts"] == 1


def test_until_fails_the_loop_not_the_step() -> None:
    done = walk(loop("l", call("a"), times=2, until="missing", optional=True), call("b")).go()
    assert done.outcomes() == {"l": "failed", "a": "succeeded", "b": "succeeded"}


def test_a_function_that_is_not_named_fails_when_it_runs() -> None:
    done = walk(step("x", retry=NONE)).go()
    assert done.error["code"] == "missing_function_ref"


def test_every_failure_names_its_step_its_moment_and_its_attempts() -> None:
    error = failing(bad()).error
    assert error == {
        "error_type": "step_error",
        "message": "no",
        "step_id": "a",
        "timestamp": "2030-01-07T09:00:00Z",
        "attempts": 1,
    }
