"""A wish to cancel, at every place a run can stand (design/semantics.md, "Cancel")."""

import pytest

from engine.machine.happenings import CallEnded, CancelAsked, Started, Woke
from engine.outcomes import Pending, Succeeded, Unknown
from tests.engine.drawing import call, child_flow, event, group, loop, parallel, pause, task, undone
from tests.engine.machine.walking import fails, walk

SPENT = {"max_retries": 0}


def attempts(found):
    return [row.get("result") for row in found.rows("attempt").values()]


@pytest.mark.parametrize(
    "node", [pause("a"), event("a"), event("a", timeout="5m"), task("a"), task("a", due_in_seconds=9)]
)
def test_a_run_that_rests_is_cancelled_at_once_and_leaves_nothing_open(node) -> None:
    found = walk(node, call("b")).go().cancel()
    assert found.status == "cancelled"
    assert (attempts(found), found.rows("wakeup"), found.called()) == (["cancelled"], {}, [])
    assert [row["status"] for row in found.rows("inboxtask").values()] in ([], ["cancelled"])


def test_a_run_that_has_not_begun_is_cancelled_without_a_call() -> None:
    assert walk(call("a")).cancel(Started()).called() == []


def test_a_call_that_is_out_is_recorded_and_nothing_new_starts() -> None:
    found = walk(undone("a"), call("b"))
    found.meet(Started())
    found.cancel(CallEnded(Succeeded({"n": 1}), 1, 1))
    assert (found.status, found.outcomes()) == ("cancelled", {"a": "succeeded", "b": "not_run"})
    assert found.compensations() == {"a": "registered"}


def test_a_call_that_fails_while_the_run_is_cancelled_is_not_tried_again() -> None:
    found = walk(call("a"))
    found.meet(Started())
    found.cancel(CallEnded(fails(), 1, 1))
    assert (found.status, attempts(found), found.rows("wakeup")) == ("cancelled", ["failed"], {})


def test_cancelling_between_two_tries_leaves_the_failed_attempt_as_it_was() -> None:
    found = walk(call("a"), answers={"a": [fails()]}).go().cancel()
    assert (found.status, attempts(found), found.rows("wakeup")) == ("cancelled", ["failed"], {})


@pytest.mark.parametrize(
    "node", [call("a"), task("a", assignee="/users/nobody"), child_flow("a", retry={"max_retries": 2})]
)
def test_a_try_that_comes_due_with_the_wish_does_not_start(node) -> None:
    found = walk(node, answers={"a": [fails()]}).go()
    if found.rests == "child":
        found.end_children("failed")
    leaf, children = found.run.position.leaf, len(found.children)
    found.cancel(Woke("retry", leaf.seq, leaf.attempt))
    assert (found.status, len(attempts(found)), len(found.children)) == ("cancelled", leaf.attempt, children)
    assert found.rows("inboxtask") == {}


def test_a_parked_call_is_awaited_and_recorded() -> None:
    found = walk(undone("a"), call("b"), answers={"a": [Pending()]}).go()
    found.cancel()
    assert (found.status, found.rests) == ("waiting", "function")
    found.go(CallEnded(Succeeded(None), 1, 1))
    assert (found.status, attempts(found), found.compensations()) == ("cancelled", ["succeeded"], {"a": "registered"})


def test_a_parked_call_whose_deadline_passes_is_not_tried_again() -> None:
    found = walk(call("a"), call("b"), answers={"a": [Pending()]}).go()
    found.cancel()
    assert (found.wake().status, found.called(), found.rows("wakeup")) == ("cancelled", ["a"], {})


def test_an_ambiguous_end_of_a_call_does_not_hold_a_run_that_is_cancelled() -> None:
    found = walk(call("a"), manifests={"/lib/a": {"effect": "write"}})
    found.meet(Started())
    found.cancel(CallEnded(Unknown("who knows", "connection_lost"), 1, 1))
    assert (found.status, found.decision.hold, attempts(found)) == ("cancelled", None, ["unknown"])


def test_children_are_cancelled_first() -> None:
    found = walk(child_flow("c"), call("b")).go()
    found.meet(CancelAsked())
    assert (found.decision.cancel_children_of, found.status) == (1, "waiting")
    assert found.end_children("cancelled").status == "cancelled"
    assert found.called() == []


def test_a_child_that_completes_all_the_same_changes_nothing_any_more() -> None:
    found = walk(child_flow("c"), call("b")).go()
    found.meet(CancelAsked())
    assert (found.end_children("completed").status, found.called()) == ("cancelled", [])


@pytest.mark.parametrize("node", [child_flow("c"), parallel("c", call("x"), call("y"))])
def test_what_cancelled_children_have_done_is_rolled_back_with_the_parent(node) -> None:
    found = walk(node).go()
    found.meet(CancelAsked(roll_back=True))
    found.end_children(*["cancelled"] * len(found.children), compensations=2)
    assert [row["child"] for row in found.rows("compensation").values()] == [child.id for child in found.children]
    assert found.run.position.phase == "rolling_back"


def test_cancel_and_roll_back_runs_the_compensations_newest_first() -> None:
    found = walk(undone("a"), undone("b"), pause("p")).go().cancel(roll_back=True)
    assert (found.status, found.called()) == ("rolled_back", ["a", "b", "undo-b", "undo-a"])


def test_cancel_and_roll_back_with_nothing_registered_is_a_plain_cancel() -> None:
    assert walk(call("a"), pause("p")).go().cancel(roll_back=True).status == "cancelled"


def test_a_rollback_is_not_cut_short() -> None:
    answers = {"a": [fails()], "undo-u": [fails(), None]}
    found = walk(undone("u"), call("a", retry=SPENT), answers=answers).go()
    assert (found.cancel().status, found.rests) == ("waiting", "retry")
    assert found.wake().status == "rolled_back"


def test_a_second_wish_changes_nothing() -> None:
    found = walk(pause("p")).go()
    found.go(CancelAsked(), CancelAsked())
    assert [event["type"] for event in found.events].count("flow_cancelled") == 1


def test_open_containers_end_as_failed_and_the_rest_is_not_run() -> None:
    found = walk(group("g", loop("l", pause("p"), call("x"), times=2)), call("b")).go().cancel()
    assert found.outcomes() == {"g": "failed", "l": "failed", "p": "failed", "x": "not_run", "b": "not_run"}
    assert all(row["error"]["error_type"] == "cancelled" for row in found.visits)


def test_a_loop_between_two_tries_is_cancelled() -> None:
    again = loop("l", call("a", retry=SPENT), times=2, retry={"max_retries": 1})
    found = walk(again, answers={"a": [fails()]}).go().cancel()
    assert (found.status, found.rows("wakeup")) == ("cancelled", {})
