"""One transition: its bounds, handing over, and that it changes nothing but what it answers."""

import json
from copy import deepcopy
from uuid import UUID

import pytest

from engine.machine import position as positions
from engine.machine.happenings import CallEnded, CancelAsked, Started, Woke
from engine.machine.machine import decide, give_up
from engine.machine.position import Frame, Leaf, Position, Undoing
from engine.machine.turn import TRANSITIONS_A_TURN
from engine.outcomes import Pending, Succeeded
from engine.states import Status
from tests.engine.drawing import call, child_flow, decision, group, loop, parallel, pause, task, undone
from tests.engine.machine.walking import START, fails, walk

SPENT = {"max_retries": 0}


def test_two_hundred_steps_without_a_body_are_one_transition() -> None:
    found = walk(loop("l", decision("d", "true"), times=500))
    found.meet(Started())
    assert (len(found.visits), found.moves) == (TRANSITIONS_A_TURN, True)
    assert found.go().output["count"] == 500


def test_a_circle_of_decisions_stays_durable() -> None:
    found = walk(decision("d", "true", yes="d"))
    for turn in range(1, 4):
        found.meet(Started())
        assert (found.moves, found.run.bindings["d"].visits) == (True, turn * TRANSITIONS_A_TURN)


def test_handing_over_starts_nothing_and_loses_nothing() -> None:
    found = walk(call("a"), call("b"))
    found.meet(Started(), hand_over=True)
    assert (found.decision.handed_over, found.decision.call, found.visits) == (True, None, [])
    found.meet(Started())
    found.meet(CallEnded(Succeeded({"n": 1}), 1, 1), hand_over=True)
    assert (found.decision.handed_over, found.outcomes()) == (True, {"a": "succeeded"})
    assert found.go().status == Status.COMPLETED


def test_handing_over_before_a_compensation_leaves_it_to_the_next_worker() -> None:
    found = walk(undone("u"), call("a", retry=SPENT), answers={"a": [fails()]})
    while found.run.position.phase != "rolling_back":
        found.meet(*(found.carried_out() if found.decision else [Started()]))
    found.meet(Started(), hand_over=True)
    assert (found.decision.handed_over, found.compensations()) == (True, {"u": "registered"})
    assert found.go().status == Status.ROLLED_BACK


@pytest.mark.parametrize("node", [pause("a"), task("a"), child_flow("a")])
def test_what_rests_is_not_handed_over(node) -> None:
    found = walk(node).go()
    assert not found.meet(Started(), hand_over=True).handed_over
    assert found.decision.wait is not None


def test_a_wake_up_that_leads_to_a_call_is_handed_over_before_the_call() -> None:
    found = walk(pause("p"), call("a")).go()
    found.meet(Woke("timer", 1, 1), hand_over=True)
    assert (found.decision.handed_over, found.outcomes()) == (True, {"p": "succeeded"})


def test_compressed_time_adds_up_once() -> None:
    found = walk(pause("a"), pause("b"), pause("c")).go()
    for hours in (1, 2, 3):
        [(key, row)] = found.rows("wakeup").items()
        del found.rows("wakeup")[key]
        early = (row["due_at"] - START).total_seconds()
        assert early == hours * 3600
        found.go(Woke("timer", row["visit_seq"], 1, early))


def test_a_call_in_compressed_time_has_its_whole_deadline_and_no_more() -> None:
    found = walk(pause("a"), call("b")).go()
    found.meet(Woke("timer", 1, 1, 3600.0))
    assert (found.decision.call.deadline_at - START).total_seconds() == 600


POSITIONS = [
    Position(),
    Position(target=0, scope=0, entry=0, made_by=2),
    Position(target=-1, completions=3, compensations=1, undone=1, last_seq=9, human=4, skew=1.5),
    Position(
        frames=(Frame(0, 1, 1, {"index": 0, "limit": None, "item": "i"}), Frame(2, 3, 1)),
        leaf=Leaf(4, 5, 1, 2, "retry", False, "2030-01-07T09:00:00+00:00", None, "2030-01-07T09:00:00+00:00"),
        error={"message": "no", "step_id": "a"},
    ),
    Position(phase="rolling_back", undoing=Undoing("1", 2, "a", 3, 4, out=True), ending={"status": "failed"}),
]


@pytest.mark.parametrize("place", POSITIONS)
def test_a_position_survives_json(place) -> None:
    assert positions.from_json(json.loads(json.dumps(positions.to_json(place)))) == place


def test_a_run_at_its_beginning_takes_next_to_nothing() -> None:
    assert positions.to_json(Position(target=0)).keys() <= {
        *("target", "phase", "last_seq", "completions", "compensations", "undone", "made_by", "skew")
    }


MANY = [
    (walk(call("a"), call("b")), [Started()]),
    (walk(loop("l", decision("d", "index == 1", yes="x"), call("a"), over=[1, 2]), call("x")), [Started()]),
    (walk(group("g", parallel("p", call("a"), call("b")))), [Started()]),
    (walk(task("t", assignee="/groups/all"), call("a")).go(), [Woke("deadline", 1, 1), CancelAsked()]),
    (walk(undone("u"), pause("p")).go(), [CancelAsked(roll_back=True)]),
    (walk(undone("u"), call("a"), answers={"a": [fails()]}).go(), [Woke("retry", 2, 1)]),
    (walk(call("a", retry=SPENT), answers={"a": [Pending()]}).go(), [CallEnded(fails(), 1, 1)]),
]


@pytest.mark.parametrize(("found", "happenings"), MANY)
def test_a_decision_leaves_the_run_alone_and_comes_out_the_same_each_time(found, happenings) -> None:
    def ids():
        numbers = iter(range(500, 600))
        return lambda: UUID(int=next(numbers))

    before = _snapshot(found.run)
    decisions = [decide(found.run, happenings, found.world, ids()) for _ in range(2)]
    assert _snapshot(found.run) == before
    assert _told(decisions[0]) == _told(decisions[1])


def _snapshot(run):
    return deepcopy((run.facts, run.graph, run.position, run.bindings, run.outputs.known, run.entries.known))


def _told(decision):
    rows = [(each.table, each.key, each.values, each.new, each.gone) for each in decision.writes]
    return rows, decision.events, decision.position, decision.call, decision.wait, decision.end, decision.children


def test_giving_up_ends_the_run_where_it_stands() -> None:
    found = walk(task("t", due_in_seconds=60), call("b")).go()
    found.apply(give_up(found.run, found.world, lambda: UUID(int=1)))
    [error] = (event["error"] for event in found.seen("flow_failed"))
    assert (error["code"], error["step_id"]) == ("engine_fault", "t")
    assert (found.rows("wakeup"), [row["status"] for row in found.rows("inboxtask").values()]) == ({}, ["cancelled"])


def test_a_long_loop_keeps_the_latest_twenty_outputs_in_memory() -> None:
    found = walk(loop("outer", loop("inner", call("a"), over=[1, 2]), times=60)).go()
    assert (found.status, len(found.run.bindings["a"].recent)) == ("completed", 20)
    assert len(found.run.outputs.known) <= 42
    assert len(found.run.entries.known) <= 2


def test_memory_is_where_the_tables_are() -> None:
    found = walk(loop("l", call("a"), times=3), call("b", arguments={"x": "${steps.a}"}), answers={"a": [{"n": 1}]})
    found.meet(Started())
    while found.moves:
        found.restart()
        found.meet(*found.carried_out())
    assert (found.status, found.calls[-1].arguments) == ("completed", {"x": {"n": 1}})
