"""Ways through containers: jumps in and out, what never ran, loops, branches (design/engine-notes.md, section 11)."""

from typing import Any

import pytest

from engine.outcomes import Succeeded
from engine.states import Status
from tests.engine.drawing import call, child_flow, decision, either, group, loop, parallel, pause, stop, task, undone
from tests.engine.machine.walking import fails, walk

SPENT = {"max_retries": 0}


def branches(found):
    return [child.branch_id for child in found.children]


# --- jumps ---------------------------------------------------------------------------------------------------------


def test_a_jump_out_of_containers_ends_them_as_succeeded() -> None:
    inner = loop("l", call("a"), decision("d", "index == 1", yes="out"), call("b"), over=[1, 2, 3], index="index")
    found = walk(group("g", inner, call("c")), call("out"), answers={"a": [{"n": 1}]}).go()
    assert found.called() == ["a", "b", "a", "out"]
    assert found.outcomes() | {"c": "not_run"} == found.outcomes()
    [row] = (row for row in found.visits if row["node_id"] == "l")
    assert (row["outcome"], row["output"]) == ("succeeded", {"results": [{}], "count": 1})


def test_a_jump_into_a_group_goes_on_there() -> None:
    found = walk(decision("d", "true", yes="b"), group("g", call("a"), call("b"), call("c")), call("e")).go()
    assert found.called() == ["b", "c", "e"]
    assert found.outcomes() == {
        **{"d": "succeeded", "g": "succeeded", "a": "not_run"},
        **dict.fromkeys(("b", "c", "e"), "succeeded"),
    }


def test_a_jump_into_an_or_takes_that_child_alone() -> None:
    found = walk(decision("d", "true", yes="b"), either("o", call("a"), call("b"), call("c")), call("e")).go()
    assert found.called() == ["b", "e"]


def test_a_jump_back_to_the_container_around_enters_it_anew() -> None:
    back = decision("d", "visits.g < 3", yes="g", no="end")
    found = walk(group("g", call("a"), back)).go()
    assert (found.called(), found.run.bindings["g"].visits) == (["a"] * 3, 3)


def test_a_jump_to_the_end_out_of_a_loop_completes_the_run() -> None:
    found = walk(loop("l", decision("d", "true", yes="end"), times=5), call("never")).go()
    assert (found.status, found.called()) == ("completed", [])


def test_a_jump_inside_an_iteration_stays_in_it() -> None:
    again = decision("d", "visits.a < 2", yes="a")
    found = walk(loop("l", call("a"), again, times=2), answers={"a": [{"n": 1}, {"n": 2}, {"n": 3}]}).go()
    assert (found.called(), found.output["count"]) == (["a", "a", "a"], 2)


# --- guards, disabled steps, what never ran -----------------------------------------------------------------------


def test_a_skipped_container_leaves_its_inside_not_run() -> None:
    found = walk(group("g", call("a"), loop("l", call("b"), times=2), when="false"), call("c")).go()
    assert found.outcomes() == {"g": "skipped", "a": "not_run", "l": "not_run", "b": "not_run", "c": "succeeded"}


def test_an_or_without_a_true_rule_is_skipped() -> None:
    found = walk(either("o", call("a"), call("b"), rules=[("false", "a"), ("null", "b")]), call("c")).go()
    assert found.outcomes() == {"o": "skipped", "a": "not_run", "b": "not_run", "c": "succeeded"}


def test_an_or_without_rules_asks_its_childrens_conditions() -> None:
    found = walk(either("o", call("a", condition="false"), call("b", condition="true"), call("c"))).go()
    assert found.called() == ["b"]


def test_what_the_last_iteration_did_not_reach_reads_null_after_the_loop() -> None:
    body = [decision("d", "item == 1", yes="a", no="b"), call("a"), call("b")]
    after = call("c", arguments={"a": "${steps.a}"})
    found = walk(loop("l", *body, over=[1, 2]), after, answers={"a": [{"n": 1}]}).go()
    assert found.calls[-1].arguments == {"a": None}
    missed = [row.get("not_run") for row in found.visits if row.get("iteration") is not None]
    assert missed == [None, ["a"]]


def test_an_iteration_in_which_all_is_skipped_is_recorded_too() -> None:
    body = group("g", call("a"), when="item > 1")
    found = walk(loop("l", body, over=[1, 2]), answers={"a": [{"n": 2}]}).go()
    assert found.output["results"] == [None, {"n": 2}]
    assert [(row["iteration"], row["not_run"]) for row in found.visits if row.get("iteration") is not None] == [
        (0, ["a"]),
        (1, None),
    ]


def test_a_loop_that_starts_anew_forgets_what_its_first_try_gave() -> None:
    body = [call("a", when="visits.b == null"), call("b", retry=SPENT)]
    again = loop("l", *body, times=1, retry={"max_retries": 1, "base_delay_ms": 1})
    found = walk(again, answers={"a": [{"n": 1}], "b": [fails(), {"n": 2}]}).go().wake()
    assert found.output["results"] == [{"n": 2}]


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_every_node_has_one_outcome_at_the_end(status) -> None:
    nodes = [
        call("a", retry=SPENT),
        group("g", loop("l", call("b"), times=2), either("o", call("c"), call("d"))),
        parallel("p", call("e"), call("f")),
        call("z"),
    ]
    found = walk(*nodes, answers={"a": [fails() if status == "failed" else {}]}).go()
    if status == "completed":
        found.end_children("completed", "completed")
    elif status == "cancelled":
        found.cancel().end_children("cancelled", "cancelled")
    names = {"a", "g", "l", "b", "o", "c", "d", "p", "z"}
    own = names if status != "failed" else names | {"e", "f"}
    assert (found.status, set(found.outcomes())) == (status, own)
    assert "" not in found.outcomes().values()


# --- loops ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "results"),
    [
        ({"over": []}, []),
        ({"over": {"k": 5}}, [{"x": {"key": "k", "value": 5}}]),
        ({"over": [1, 2, 3], "max_iterations": 2}, [{"x": 1}, {"x": 2}]),
        ({"over": [1, 2, 3], "until": "steps.a.x == 2"}, [{"x": 1}, {"x": 2}]),
        ({"over": "${input.items}"}, [{"x": "i"}]),
    ],
)
def test_a_loop_over_items_gives_a_result_for_each(shape, results) -> None:
    found = walk(loop("l", call("a", arguments={"x": "${item}"}), **shape), input={"items": ["i"]})
    found.answer = lambda call: _echo(found, call)
    assert found.go().output["results"] == results


def _echo(found, each):
    found.calls.append(each)
    return Succeeded(each.arguments)


@pytest.mark.parametrize(
    "shape",
    [{"over": "${5}"}, {"over": "${null}"}, {"times": -1}, {"times": 1.5}, {"times": "${'x'}"}, {"times": "${true}"}],
)
def test_a_loop_over_nonsense_fails_as_an_evaluation_fault(shape) -> None:
    found = walk(loop("l", call("a"), **shape)).go()
    assert (found.status, found.error["error_type"], found.error["step_id"]) == ("failed", "evaluation", "l")


def test_a_loop_without_a_body_is_over_at_once() -> None:
    assert walk(loop("l", times=10**9)).go().output == {"results": [], "count": 0}


def test_a_while_reads_the_number_of_the_iteration_it_decides_about() -> None:
    found = walk(loop("l", call("a"), **{"while": "iteration < 2 && index == iteration"})).go()
    assert (found.called(), found.status) == (["a", "a"], "completed")


def test_a_while_ends_at_its_thousandth_iteration() -> None:
    assert walk(loop("l", decision("d", "true"), **{"while": "true"})).go().output["count"] == 1000


def test_loops_inside_loops_keep_their_places() -> None:
    inner = loop("inner", call("a", arguments={"at": ["${i}", "${j}"]}), over=[1, 2], index="j", item="y")
    found = walk(loop("outer", inner, over=[1, 2], index="i", item="x")).go()
    assert [each.arguments["at"] for each in found.calls] == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_a_stop_in_a_loop_ends_the_run() -> None:
    found = walk(loop("l", stop("s", reason="enough of ${item}"), over=["x", "y"]), call("b")).go()
    assert (found.status, found.decision.end.reason) == ("stopped", "enough of x")
    assert found.outcomes() == {"l": "succeeded", "s": "succeeded", "b": "not_run"}


# --- branches and child flows ---------------------------------------------------------------------------------------


def test_each_child_is_a_branch_with_the_parents_input() -> None:
    found = walk(parallel("p", call("a"), group("g", call("b"))), input={"x": 1}).go()
    assert [(child.branch_id, child.input) for child in found.children] == [("a", {"x": 1}), ("g", {"x": 1})]
    assert found.rests == "child"


def test_a_fan_out_is_cut_off_with_a_warning() -> None:
    found = walk(parallel("p", call("a"), fan_out={"over": [1, 2, 3], "max_branches": 2})).go()
    assert (branches(found), len(found.seen("log"))) == (["p-0", "p-1"], 1)


@pytest.mark.parametrize("over", ["${5}", "${'text'}", "${null}"])
def test_a_fan_out_over_nonsense_is_an_evaluation_fault(over) -> None:
    found = walk(parallel("p", call("a"), fan_out={"over": over})).go()
    assert (found.status, found.error["error_type"]) == ("failed", "evaluation")


def test_a_fan_out_over_nothing_is_over_at_once() -> None:
    assert walk(parallel("p", call("a"), fan_out={"over": []})).go().output == {"branches": []}


@pytest.mark.parametrize(
    ("keys", "statuses", "status"),
    [
        ({}, ["failed", "rolled_back"], "completed"),
        ({"merge_strategy": "all_success"}, ["completed", "failed"], "failed"),
        ({"merge_strategy": "all_success"}, ["completed", "stopped"], "completed"),
        ({"merge_strategy": "first_success"}, ["failed", "completed"], "completed"),
        ({"merge_strategy": "first_success"}, ["failed", "failed"], "failed"),
        ({"on_error": "stop"}, ["completed", "failed"], "failed"),
        ({"on_error": "continue", "merge_strategy": "all_success"}, ["failed", "failed"], "completed"),
    ],
)
def test_the_merge_strategy_says_whether_the_container_fails(keys, statuses, status) -> None:
    assert walk(parallel("p", call("a"), call("b"), **keys)).go().end_children(*statuses).status == status


def test_a_parallel_that_is_tried_again_counts_the_branches_of_its_latest_try_alone() -> None:
    strict = parallel("p", call("a"), call("b"), merge_strategy="all_success", retry={"max_retries": 1})
    found = walk(strict).go().end_children("completed", "failed")
    assert found.rests == "retry"
    found.wake().end_children("completed", "completed")
    assert (found.status, len(found.output["branches"]), len(found.children)) == ("completed", 2, 4)


def test_each_try_of_a_parallel_registers_what_its_own_branches_did() -> None:
    strict = parallel("p", call("a"), merge_strategy="all_success", retry={"max_retries": 1})
    found = walk(strict, on_failure="keep").go().end_children("failed", compensations=1)
    found.wake().end_children("failed", compensations=1)
    assert [row["child"] for row in found.rows("compensation").values()] == [child.id for child in found.children]


def test_a_child_that_rolled_itself_back_leaves_nothing_to_undo() -> None:
    found = walk(child_flow("c", continue_on_fail=True)).go().end_children("rolled_back", compensations=3)
    assert (found.status, found.rows("compensation")) == ("completed", {})


def test_a_child_flow_that_was_cancelled_is_not_started_again() -> None:
    found = walk(child_flow("c", retry={"max_retries": 3})).go().end_children("cancelled")
    assert (found.status, found.error["error_type"]) == ("failed", "cancelled")


def test_a_flow_that_is_not_published_is_a_failed_attempt() -> None:
    found = walk(child_flow("missing", retry={"max_retries": 1})).go()
    assert found.rests == "retry"
    assert found.wake().error["code"] == "flow_not_found"


def test_an_input_nested_too_deeply_is_not_given_to_a_child_flow() -> None:
    deep: list[Any] = []
    for _ in range(99):
        deep = [deep]
    found = walk(child_flow("c", input_mapping={"a": {"b": "${input}"}}), input=deep).go()
    assert (found.status, found.children) == ("failed", [])
    assert "100 levels" in found.error["message"]


# --- people and time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("due", ["inf", "nan", "1e400", "1e300", 1e300, 10**30])
def test_a_due_time_that_is_no_number_of_seconds_is_a_fault_or_far_away(due) -> None:
    found = walk(task("t", due_in_seconds=due)).go()
    assert found.rests == "human_task" or found.error["error_type"] == "evaluation"


@pytest.mark.parametrize(
    ("priority", "given"), [("inf", 3), ("nan", 3), (9, 5), (-1, 1), ("4", 4), (True, 3), ({"a": 1}, 3), (1e300, 5)]
)
def test_a_priority_is_a_number_from_one_to_five(priority, given) -> None:
    [row] = walk(task("t", priority=priority)).go().rows("inboxtask").values()
    assert row["priority"] == given


@pytest.mark.parametrize("quorum", ["inf", "nan", 1e300])
def test_a_quorum_that_is_no_number_does_not_stop_the_engine(quorum) -> None:
    found = walk(task("t", assignee="/groups/all", group_completion="quorum", group_quorum=quorum, retry=SPENT)).go()
    assert found.rests == "human_task" or found.status == Status.FAILED


@pytest.mark.parametrize("completion", ["any", "all", "quorum"])
def test_a_task_for_a_group_without_members_fails_instead_of_waiting_for_nobody(completion) -> None:
    found = walk(task("t", assignee="/groups/none", group_completion=completion, group_quorum=0, retry=SPENT)).go()
    assert (found.status, found.error["code"]) == ("failed", "unknown_assignee")


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z", "2900-01-01T00:00:00Z"])
def test_a_moment_beyond_every_calendar_is_a_hundred_years_away(moment) -> None:
    found = walk(pause("p", wait_type="until", until=moment)).go()
    [row] = found.rows("wakeup").values()
    assert row["due_at"].year == 2129


@pytest.mark.parametrize("zone", ["America", "../etc/passwd", "", "Nowhere/At_All", "\0"])
def test_a_time_zone_that_does_not_exist_is_a_fault(zone) -> None:
    found = walk(pause("p", wait_type="cron", cron="0 7 * * *", timezone=zone)).go()
    assert found.status == Status.FAILED or (zone == "" and found.rests == "timer")


@pytest.mark.parametrize("cron", ["0 0 30 2 *", "x", "", "* * * * * * * *", "61 * * * *"])
def test_a_cron_expression_that_never_matches_is_a_fault(cron) -> None:
    assert walk(pause("p", wait_type="cron", cron=cron)).go().status == Status.FAILED


def test_a_wait_that_is_over_before_it_begins_does_not_rest() -> None:
    found = walk(pause("p", wait_type="until", until="2001-01-01T00:00:00Z")).go()
    assert found.output == {"waited": False, "reason": "timestamp_passed"}


# --- compensation ----------------------------------------------------------------------------------------------------


def test_a_compensation_gets_the_forward_arguments_where_it_maps_none() -> None:
    found = walk(undone("a", arguments={"x": "${input.x}"}), call("b", retry=SPENT), input={"x": 7})
    found.answers["/lib/b"] = [fails()]
    assert found.go().calls[-1].arguments == {"x": 7}


def test_a_compensation_sees_its_step_as_it_stood_then() -> None:
    mapping = {"id": "${output.id}", "own": "${steps.a.id}", "item": "${item}", "n": "${visits.a}"}
    body = undone("a", compensation_input_mapping=mapping)
    found = walk(loop("l", body, over=["x", "y"]), call("b", retry=SPENT), answers={"a": [{"id": 1}, {"id": 2}]})
    found.answers["/lib/b"] = [fails()]
    undos = [each.arguments for each in found.go().calls if each.kind == "compensation"]
    assert [(each["id"], each["item"], each["n"]) for each in undos] == [(2, "y", 2), (1, "x", 1)]


def test_a_fault_in_the_mapping_leaves_the_step_done_and_its_compensation_failed() -> None:
    bad = undone("a", compensation_input_mapping={"x": "${nowhere}"})
    found = walk(undone("z"), bad, call("b", retry=SPENT), answers={"b": [fails()]}).go()
    assert found.outcomes()["a"] == "succeeded"
    assert (found.compensations(), found.called()[-1]) == ({"z": "done", "a": "failed"}, "undo-z")
    assert [line["level"] for line in found.seen("log")] == ["error"]


def test_a_rollback_in_which_nothing_could_be_called_ends_all_the_same() -> None:
    bad = undone("a", compensation_input_mapping={"x": "${nowhere}"})
    found = walk(bad, call("b", retry=SPENT), answers={"b": [fails()]}).go()
    assert found.compensations() == {"a": "failed"}
    assert found.status in ("failed", "rolled_back")


def test_a_compensation_that_fails_does_not_keep_the_older_ones_from_running() -> None:
    answers = {"b": [fails()], "undo-y": [fails(code="x")]}
    manifests = {"/lib/undo-y": {"errors": {"fatal": ["x"]}, "idempotent": True}}
    found = walk(undone("z"), undone("y"), call("b", retry=SPENT), answers=answers, manifests=manifests).go()
    assert (found.compensations(), found.status) == ({"z": "done", "y": "failed"}, "rolled_back")


def test_keep_runs_nothing() -> None:
    found = walk(undone("z"), call("b", retry=SPENT), answers={"b": [fails()]}, on_failure="keep").go()
    assert (found.status, found.compensations()) == ("failed", {"z": "registered"})


def test_a_gone_resource_is_absent_where_that_is_fine() -> None:
    compensation = {"function_ref": "/lib/undo-a", "missing_ok": True}
    manifests = {"/lib/a": {"compensation": compensation}}
    answers = {"b": [fails()], "undo-a": [fails(status=410)]}
    found = walk(call("a"), call("b", retry=SPENT), answers=answers, manifests=manifests).go()
    assert (found.compensations(), found.status) == ({"a": "absent"}, "rolled_back")
