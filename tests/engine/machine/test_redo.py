"""Redo, undo and reconcile in the pure machine: what is withdrawn, what is called, and that no death changes the end."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from engine.machine.happenings import CallEnded, Happening, Started, Woke
from engine.outcomes import Pending, Unknown, WorkerLost
from tests.engine.drawing import call, either, event, group, loop, task, undone
from tests.engine.machine.walking import Walk, fails, later, walk

ONCE = {"max_retries": 0}
WHOLE = {"redo": "whole_group"}
SAFE = {"effect": "write", "idempotent": True}


def undoable(name: str, **arguments: Any) -> dict[str, Any]:
    return call(name, undo={"function_ref": f"/lib/un-{name}", "arguments": arguments})


def failing(name: str, **properties: Any) -> dict[str, Any]:
    return call(name, retry=ONCE, **properties)


# --- what a redo takes back ----------------------------------------------------------------------------------------


def test_members_read_null_until_they_have_run_again() -> None:
    nodes = group("g", call("a"), failing("b"), recovery=WHOLE), call("end")
    seen = call("a", arguments={"a": "${steps.a}", "x": "${x | default('gone')}", "n": "${visits.a}"})
    nodes[0]["children"][0] = seen
    found = walk(*nodes, answers={"a": [{"x": 1}, {"x": 2}], "b": [fails(), {}]}).go()
    assert found.status == "completed"
    assert [each.arguments for each in found.calls if each.path == "/lib/a"] == [
        {"a": None, "x": "gone", "n": 1},
        {"a": None, "x": "gone", "n": 2},
    ]


def test_a_redone_step_that_is_skipped_now_was_not_reached_before() -> None:
    chosen = either("o", call("a"), call("b"), rules=[("steps.s.n == 1", "a"), ("true", "b")])
    found = walk(
        group("g", call("s"), chosen, failing("c"), recovery=WHOLE),
        answers={"s": [{"n": 1}, {"n": 2}], "c": [fails(), {}]},
    ).go()
    assert found.called() == ["s", "a", "c", "s", "b", "c"]
    assert found.decision and found.decision.end and found.decision.end.not_run == ("a",)
    assert found.output == {"n": 2}


def test_a_step_reads_its_iteration_before_once_it_is_withdrawn() -> None:
    body = call("a", when="input.rows[r].a", arguments={"before": "${steps.a.n}"}), failing("b")
    rows = [{"a": True}, {"a": True}, {"a": False}]
    found = walk(
        loop("l", *body, over="${input.rows}", item="row", index="r", recovery=WHOLE),
        input={"rows": rows},
        answers={"a": [{"n": 1}, {"n": 2}, {"n": 3}], "b": [{}, fails(), {}]},
    ).go()
    assert [each.arguments["before"] for each in found.calls if each.path == "/lib/a"] == [None, 1, 1]
    assert found.status == "completed"


def test_the_result_of_an_iteration_is_that_of_the_steps_that_ran_again() -> None:
    first = call("a", when="visits.a < 2")
    found = walk(
        loop("l", first, failing("b", when="visits.b < 2"), times=1, recovery={"redo": "this_step"}),
        answers={"a": [{"x": 1}], "b": [fails()]},
    ).go()
    assert found.output["results"] == [{"x": 1}]


def test_a_replaced_visit_says_by_which_round() -> None:
    found = walk(group("g", call("a"), failing("b"), recovery=WHOLE), answers={"b": [fails(), fails(), {}]}).go()
    assert [row.get("replaced") for row in found.visits if row["node_id"] == "a"] == [1, 2, None]


def test_an_answer_that_a_redo_withdrew_is_not_read_as_the_latest() -> None:
    ask = task("t"), call("s", arguments={"said": "${__human_response.action}"})
    found = walk(
        *ask, group("g", task("u"), failing("b"), recovery=WHOLE), call("end"), answers={"b": [fails(), {}]}
    ).go()
    found.answered(action="first").answered(action="second")
    assert found.rests == "human_task"
    human = found.run.position.human
    assert human is not None and found.rows("visit")[("seq", human),]["node_id"] == "t"


def test_without_a_bound_a_scope_is_redone_a_hundred_times() -> None:
    found = walk(group("g", failing("a"), recovery={}), answers={"a": [fails()]}).go()
    assert (found.status, len(found.calls)) == ("failed", 101)


def test_each_iteration_counts_into_the_rounds_of_its_loop() -> None:
    found = walk(
        loop("l", failing("a"), times=2, recovery={"redo": "this_step"}), answers={"a": [fails(), {}, fails(), {}]}
    ).go()
    assert [each["round"] for each in found.seen("recovery_decided")] == [1, 2]


def test_an_evaluation_fault_can_be_redone_too() -> None:
    bound = {"stop_after": {"failures": 1, "within": "1h"}}
    found = walk(group("g", call("a", arguments={"x": "${1 / 0}"}), recovery=bound)).go()
    assert [each["decision"] for each in found.seen("recovery_decided")] == ["redo", "fail"]
    assert (found.status, found.error["error_type"]) == ("failed", "evaluation")


def test_a_parked_wait_of_the_redone_group_waits_anew() -> None:
    found = walk(group("g", event("e"), failing("b"), recovery=WHOLE), answers={"b": [fails(), {}]}).go()
    assert found.rests == "event"


# --- keys ----------------------------------------------------------------------------------------------------------

KEYED = {"/lib/a": {**SAFE, "idempotency_param": "key"}}


def keys(found: Walk) -> list[Any]:
    return [each.arguments["key"] for each in found.calls if each.path == "/lib/a"]


def test_a_loop_that_starts_anew_keeps_the_keys_of_the_same_items() -> None:
    rows = call("rows")
    inner = loop("l", call("a", idempotency_key="${row}-${visits.rows}"), over="${steps.rows.them}", item="row")
    found = walk(
        group("g", rows, inner, failing("b"), recovery=WHOLE),
        manifests=KEYED,
        answers={"rows": [{"them": ["x", "y"]}, {"them": ["x", "z"]}], "b": [fails(), {}]},
    ).go()
    assert keys(found) == ["x-1", "y-1", "x-1", "z-2"]


def test_a_loop_that_is_retried_keeps_its_keys_without_a_recovery() -> None:
    found = walk(
        loop("l", call("a", idempotency_key="${visits.a}"), failing("b"), times=1, retry={"max_retries": 1}),
        manifests=KEYED,
        answers={"b": [fails(), {}]},
    )
    found.go().wake()
    assert (found.status, keys(found)) == ("completed", ["1", "1"])


@pytest.mark.parametrize("key", ["${steps.none.x}", "${1 / 0}", "  "])
def test_a_key_that_gives_nothing_fails_the_step(key) -> None:
    found = walk(call("a", idempotency_key=key), manifests=KEYED).go()
    assert (found.status, found.called(), found.error["error_type"]) == ("failed", [], "evaluation")


def test_a_key_is_given_to_the_function_as_its_own_where_no_parameter_is_named() -> None:
    found = walk(call("a", idempotency_key="k", arguments={"x": 1})).go()
    assert (found.calls[0].idempotency_key, found.calls[0].arguments) == ("k", {"x": 1})


# --- undo ----------------------------------------------------------------------------------------------------------


def test_arguments_that_cannot_be_evaluated_are_a_failed_undo_before_any_is_called() -> None:
    found = walk(
        group("g", undoable("a"), undoable("b", x="${1 / 0}"), failing("c"), recovery=WHOLE), answers={"c": [fails()]}
    ).go()
    assert (found.status, found.error["code"], found.error["step_id"]) == ("failed", "undo_failed", "b")
    assert found.called() == ["a", "b", "c"]


def test_an_undo_of_what_is_gone_already_is_absent_where_that_is_fine() -> None:
    step = call("a", undo={"function_ref": "/lib/un-a", "arguments": {}, "missing_ok": True})
    found = walk(
        group("g", step, failing("b"), recovery=WHOLE), answers={"un-a": [fails(status=404)], "b": [fails(), {}]}
    ).go()
    assert found.status == "completed"
    assert [each["status"] for each in found.seen("undo_completed")] == ["absent"]


def test_an_undo_without_a_clear_end_has_failed_unless_it_can_be_repeated() -> None:
    nodes = group("g", undoable("a"), failing("b"), recovery=WHOLE)
    answers = {"un-a": [Unknown("lost"), {}], "b": [fails(), {}]}
    manifests = {"/lib/un-a": {"effect": "write", "idempotent": True}}
    assert walk(nodes, answers=deepcopy(answers)).go().rests == "retry"
    assert walk(nodes, answers=deepcopy(answers), manifests=manifests).go().rests == "retry"
    found = walk(nodes, answers=deepcopy(answers), manifests={"/lib/un-a": {"effect": "write"}}).go()
    assert (found.status, found.error["code"]) == ("failed", "undo_failed")


def test_a_parked_undo_is_over_at_its_deadline() -> None:
    found = walk(
        group("g", undoable("a"), failing("b"), recovery=WHOLE), answers={"un-a": [Pending(), {}], "b": [fails(), {}]}
    ).go()
    assert found.rests == "function"
    assert found.wake().rests == "retry"
    assert found.wake().status == "completed"


def test_what_was_undone_is_withdrawn_from_a_rollback() -> None:
    step = undone("a")
    step["properties"]["undo"] = {"function_ref": "/lib/un-a", "arguments": {}}
    found = walk(group("g", step, failing("b"), recovery=WHOLE), answers={"b": [fails(), {}]}).go()
    assert [row["state"] for row in found.rows("compensation").values()] == ["withdrawn", "registered"]
    assert found.run.position.compensations == 1


def test_a_run_that_is_cancelled_before_its_undos_are_done_starts_no_other() -> None:
    found = walk(
        group("g", undoable("a"), undoable("b"), failing("c"), recovery=WHOLE),
        answers={"un-b": [Pending()], "c": [fails()]},
    ).go()
    found.cancel()
    assert found.rests == "function"
    busy = found.run.position.undoing
    assert busy is not None
    found.go(CallEnded(fails(), busy.seq, busy.attempt))
    assert (found.status, found.called()) == ("cancelled", ["a", "b", "c", "un-b"])


def test_a_run_is_cancelled_between_two_tries_of_an_undo() -> None:
    found = walk(
        group("g", undoable("a"), failing("b"), recovery=WHOLE), answers={"un-a": [fails()], "b": [fails()]}
    ).go()
    assert found.rests == "retry"
    assert found.cancel().status == "cancelled"
    assert not found.rows("wakeup")


def test_what_succeeded_in_the_very_transition_of_the_failure_is_undone_too() -> None:
    broken = call("b", arguments={"x": "${visits.a == 1 && 1 / 0}"})
    found = walk(
        group("g", undoable("a", n="${output.n}"), broken, recovery=WHOLE), answers={"a": [{"n": 1}, {"n": 2}]}
    ).go()
    assert (found.status, found.called()) == ("completed", ["a", "un-a", "a", "b"])


def test_a_step_reads_the_iteration_that_ended_in_the_very_transition_of_the_failure() -> None:
    body = call("a", arguments={"before": "${steps.a.n}", "x": "${visits.a == 2 && 1 / 0}"})
    found = walk(loop("l", body, times=2, recovery={"redo": "this_step"}), answers={"a": [{"n": 1}, {"n": 2}]}).go()
    assert found.status == "completed"
    assert [each.arguments["before"] for each in found.calls] == [None, 1]


# --- deaths --------------------------------------------------------------------------------------------------------


def redo_with_undos() -> Walk:
    nodes = group(
        "g",
        undoable("a", n="${output.n}"),
        loop("l", undoable("b", at="${i}"), over="${[1, 2]}", item="i"),
        recovery=WHOLE,
    )
    nodes["children"].append(failing("c"))
    answers = {"a": [{"n": 1}, {"n": 2}], "c": [fails(), {}]}
    return walk(
        nodes, call("end"), answers=answers, manifests={f"/lib/{name}": SAFE for name in ("a", "b", "c", "end")}
    )


def reconcile_then_retry() -> Walk:
    probe = {
        "id": "look",
        "node_type": "raisin:FlowStep",
        "properties": {"action": "Look", "function_ref": "/lib/look"},
    }
    told = {
        "steps": [probe, {**probe, "id": "again"}],
        "outcome": "steps.again.n == 2",
        "result": {"n": "${steps.look.n}"},
    }
    step = call("a", on_unknown="reconcile", reconcile=told, retry={"max_retries": 1, "base_delay_ms": 1})
    answers = {"a": [Unknown("lost", "connection_lost")], "look": [{"n": 1}, {"n": 1}, {"n": 2}]}
    manifests = {"/lib/a": {"effect": "write"}, "/lib/look": {"effect": "read"}}
    return walk(
        group("g", step, recovery=WHOLE),
        call("end", arguments={"n": "${steps.a.n}"}),
        answers=answers,
        manifests=manifests,
    )


def carried_on(found: Walk, *, dies_at: int, in_call: bool) -> tuple[Walk, int]:
    """Go to the end; at one transition every worker dies, in the call that was just made or before it was."""
    happenings: list[Happening] = [Started()]
    number = 0
    while True:
        found.meet(*happenings)
        number += 1
        if not found.moves:
            if found.decision and found.decision.end:
                return found, number
            happenings = woken(found)
        elif number == dies_at:
            happenings = lost(found, in_call=in_call)
        else:
            happenings = found.carried_out()


def woken(found: Walk) -> list[Happening]:
    due, key = min((row["due_at"], key) for key, row in found.rows("wakeup").items())
    row = found.rows("wakeup").pop(key)
    later(found, seconds=max(0.0, (due - found.now).total_seconds()))
    return [Woke(row["kind"], row["visit_seq"], row["attempt"])]


def lost(found: Walk, *, in_call: bool) -> list[Happening]:
    assert found.decision is not None
    made = found.decision.call
    if made is not None and in_call:
        found.answer(made)
    found.restart()
    return [Started()] if made is None else [CallEnded(WorkerLost(), made.visit_seq, made.attempt)]


@pytest.mark.parametrize("in_call", [True, False])
@pytest.mark.parametrize("begin", [redo_with_undos, reconcile_then_retry])
def test_a_death_at_any_transition_leads_to_the_same_end(begin: Callable[[], Walk], in_call: bool) -> None:
    straight, count = carried_on(begin(), dies_at=0, in_call=False)
    assert straight.status == "completed"
    for place in range(1, count):
        found, _ = carried_on(begin(), dies_at=place, in_call=in_call)
        assert found.status == "completed", place
        assert found.outcomes() == straight.outcomes(), place
        assert undone_once(found), place


def undone_once(found: Walk) -> bool:
    """Whether each visit that a redo took back was undone, and none twice; a call that was lost may have been made again."""
    replaced = {
        row["seq"]
        for row in found.visits
        if row.get("replaced") and row["outcome"] == "succeeded" and row["node_id"] in "ab"
    }
    rows = list(found.rows("undo").values())
    assert {row["state"] for row in rows} <= {"done"}
    assert sum(row["attempts"] for row in rows) <= len(rows) + 1
    return sorted(row["visit_seq"] for row in rows) == sorted(replaced)


def test_a_recorded_redo_does_not_ask_the_clock_again() -> None:
    recovery = {**WHOLE, "stop_after": {"failures": 1, "within": "1m"}, "then": "hold"}
    found = walk(group("g", undoable("a"), failing("b"), recovery=recovery), answers={"b": [fails(), {}]})
    while not found.seen("recovery_decided"):
        found.meet(*(found.carried_out() if found.decision else [Started()]))
    found.restart()
    later(found, days=2).go()
    assert [each["decision"] for each in found.seen("recovery_decided")] == ["redo"]
    assert (found.status, found.called()) == ("completed", ["a", "b", "un-a", "a", "b"])
