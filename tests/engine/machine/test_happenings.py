"""Late, doubled and misdirected news change nothing, wherever a run stands."""

from typing import Any
from uuid import UUID

import pytest

from engine.machine import position as positions
from engine.machine.happenings import Answered, Arrived, CallEnded, ChildEnded, Started, Woke
from engine.outcomes import Pending, Succeeded
from tests.engine.drawing import call, child_flow, event, loop, parallel, pause, task, undone
from tests.engine.machine.walking import fails, walk

SPENT = {"max_retries": 0}


def out():
    return _at_its_call(walk(call("a")))


def undoing():
    return _at_its_call(_rolling_back(), "undo-u")


def _at_its_call(found, name="a"):
    found.meet(Started())
    while found.decision.call is None or found.decision.call.path != f"/lib/{name}":
        found.meet(*found.carried_out())
    return found


def _rolling_back(**answers):
    return walk(undone("u"), call("a", retry=SPENT), answers={"a": [fails()], **answers})


RESTS = {
    "a call that is out": out,
    "a parked call": lambda: walk(call("a"), answers={"a": [Pending()]}).go(),
    "a retry": lambda: walk(call("a"), answers={"a": [fails()]}).go(),
    "a task": lambda: walk(task("a", due_in_seconds=60)).go(),
    "a timer": lambda: walk(pause("a")).go(),
    "an event": lambda: walk(event("a", timeout="5m")).go(),
    "a child run": lambda: walk(child_flow("a")).go(),
    "branches": lambda: walk(parallel("p", call("a"), call("b"))).go(),
    "a loop's retry": lambda: walk(
        loop("l", call("a", retry=SPENT), times=2, retry={"max_retries": 1}), answers={"a": [fails()]}
    ).go(),
    "a compensation that is out": undoing,
    "a parked compensation": lambda: _rolling_back(**{"undo-u": [Pending()]}).go(),
    "a compensation's retry": lambda: _rolling_back(**{"undo-u": [fails()]}).go(),
}
KINDS = ("retry", "call", "timer", "deadline", "undo", "undo_call")


def _everything(seq, attempt):
    yield CallEnded(Succeeded({"late": True}), seq, attempt)
    yield CallEnded(fails("late"), seq, attempt)
    yield from (Woke(kind, seq, attempt) for kind in KINDS)
    yield Answered(seq, {"late": True})
    yield Arrived(seq, {"late": True})
    yield ChildEnded(seq, UUID(int=7), "completed", {"late": True})


def _place(found):
    return positions.to_json(found.run.position)


def _changes_nothing(found, happening):
    before = _place(found)
    found.meet(happening)
    decision = found.decision
    quiet = not (len(decision.writes) or decision.events or decision.call or decision.end or decision.children)
    return quiet and _place(found) == before


@pytest.mark.parametrize("place", RESTS)
def test_news_for_another_visit_changes_nothing(place) -> None:
    found = RESTS[place]()
    for happening in [Started(), *_everything(seq=99, attempt=1), *_everything(seq=0, attempt=1)]:
        assert _changes_nothing(found, happening), happening


@pytest.mark.parametrize("place", RESTS)
def test_news_for_an_earlier_attempt_changes_nothing(place) -> None:
    found = RESTS[place]()
    seq = found.run.position.leaf.seq
    for kind in (*(Woke(kind, seq, 0) for kind in ("retry", "call", "undo", "undo_call")), CallEnded(fails(), seq, 0)):
        assert _changes_nothing(found, kind), kind


MEANT: dict[str, set[Any]] = {
    "a call that is out": {CallEnded},
    "a parked call": {CallEnded, "call"},
    "a retry": {"retry"},
    "a task": {Answered, "timer", "deadline"},
    "a timer": {"timer", "deadline"},
    "an event": {Arrived, "timer", "deadline"},
    "a child run": {ChildEnded},
    "branches": {ChildEnded},
    "a loop's retry": {"retry"},
}


@pytest.mark.parametrize("place", MEANT)
def test_news_of_another_kind_than_the_rest_changes_nothing(place) -> None:
    leaf = RESTS[place]().run.position.leaf
    for happening in _everything(leaf.seq, leaf.attempt):
        meant = happening.kind if isinstance(happening, Woke) else type(happening)
        found = RESTS[place]()
        assert _changes_nothing(found, happening) != (meant in MEANT[place]), happening


@pytest.mark.parametrize("place", [place for place in RESTS if "compensation" in place])
def test_a_late_result_of_a_step_is_not_taken_for_its_compensations(place) -> None:
    found = RESTS[place]()
    for visit in found.visits:
        assert _changes_nothing(found, CallEnded(Succeeded("late"), visit["seq"], 1))
    assert found.compensations() == {"u": "running"}


def test_a_result_and_its_double_in_one_transition_end_the_call_once() -> None:
    found = out()
    ended = CallEnded(Succeeded({"n": 1}), 1, 1)
    found.go(ended, ended)
    assert [row["outcome"] for row in found.visits] == ["succeeded"]


def test_the_deadline_and_the_answer_in_one_transition_end_the_wait_once() -> None:
    found = walk(task("a", due_in_seconds=60, timeout_edge="late"), call("on_time"), call("late")).go()
    found.go(Woke("deadline", 1, 1), Answered(1, {"action": "approve"}))
    assert found.called() == ["late"]


def test_a_second_result_in_the_same_transition_does_not_end_the_next_compensation() -> None:
    found = _at_its_call(walk(undone("u"), undone("v"), call("a", retry=SPENT), answers={"a": [fails()]}), "undo-v")
    sent = found.decision.call
    result = CallEnded(Succeeded(None), sent.visit_seq, sent.attempt)
    found.meet(result, result)
    assert found.decision.call.path == "/lib/undo-u"
    assert found.compensations() == {"u": "running", "v": "done"}


def test_a_doubled_wake_up_does_not_shorten_the_delay_of_the_next_compensation() -> None:
    answers = {"a": [fails()], "undo-v": [fails(), None], "undo-u": [fails()]}
    found = walk(undone("u"), undone("v"), call("a", retry=SPENT), answers=answers).go()
    [key] = found.rows("wakeup")
    doubled = found.rows("wakeup")[key]
    found.wake()
    assert _changes_nothing(found, Woke("undo", doubled["visit_seq"], doubled["attempt"]))
