"""The runner itself: what it lets pass, what it tells when something is not as expected, and how it moves a run."""

import json

import pytest

from engine.scenarios import pump
from engine.scenarios.document import read_file
from engine.scenarios.runner import run_scenario

pytestmark = pytest.mark.usefixtures("transactional_db")


def step(name, **properties):
    return {
        "id": name,
        "node_type": "raisin:FlowStep",
        "properties": {"action": name.title(), **properties},
    }


def function(name, **properties):
    return step(name, function_ref=f"/lib/{name}", **properties)


def task(name, **properties):
    return step(name, step_type="human_task", task_type="review", assignee="/users/ana", **properties)


def pause(name, duration):
    return step(name, step_type="wait", duration=duration)


def answers(**calls):
    return {f"/lib/{name}": {"calls": list(found)} for name, found in calls.items()}


@pytest.fixture
def play(tmp_path):
    """Play one scenario; answers its failures."""

    def play_one(*nodes, **scenario):
        file = tmp_path / "some.yaml"
        file.write_text(json.dumps({"scenario": "it", "flow": {"nodes": nodes}, **scenario}))
        return list(run_scenario(read_file(file)[0]).failures)

    return play_one


APPROVED = {
    "functions": answers(work=[{"return": {"n": 1}}]),
    "do": [{"complete": {"step": "look", "by": "/users/ana", "response": {"seen": True}}}],
}


@pytest.mark.parametrize(
    "expect",
    [
        {"status": "completed"},
        {"outcomes": {"work": "succeeded", "look": "succeeded"}},
        {"attempts": {"work": 1}},
        {"visits": ["work", "look"]},
        {"calls": ["/lib/work"]},
        {"calls": [{"/lib/work": {"order": "O-1"}}]},
        {"output": {"n": 1, "seen": True}},
        {"steps": {"work": {"n": 1}, "look": {"seen": True}}},
        {"error": None, "wait": None, "ignored": 0, "warnings": []},
        {"tasks": [{"step": "look", "status": "completed", "assignee": "/users/ana", "title": "Look"}]},
        {"events": ["step_started", {"step_completed": {"node_id": "work"}}, "flow_waiting", "flow_completed"]},
    ],
)
def test_a_scenario_passes_when_what_it_expects_is_seen(play, expect) -> None:
    nodes = function("work", arguments={"order": "O-1", "n": 2}), task("look")
    assert play(*nodes, expect=expect, **APPROVED) == []


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ({"status": "failed"}, 'status: expected "failed", saw "completed"'),
        ({"outcomes": {"work": "failed"}}, 'outcomes.work: expected "failed", saw "succeeded"'),
        ({"outcomes": {"nowhere": "not_run"}}, 'outcomes.nowhere: expected "not_run", saw null'),
        ({"attempts": {"work": 2}}, "attempts.work: expected 2, saw 1"),
        ({"visits": ["look", "work"]}, 'visits: expected ["look", "work"], saw ["work", "look"]'),
        ({"visits": ["work"]}, 'visits: expected ["work"], saw ["work", "look"]'),
        ({"calls": []}, 'calls: expected [], saw ["/lib/work"]'),
        ({"calls": [{"/lib/work": {"n": 3}}]}, "calls[0] /lib/work.n: expected 3, saw 2"),
        ({"output": {"n": 2}}, "output.n: expected 2, saw 1"),
        ({"steps": {"look": None}}, 'steps.look: expected null, saw {"seen": true'),
        ({"error": {"step_id": "work"}}, 'error: expected {"step_id": "work"}, saw null'),
        ({"wait": {"kind": "timer"}}, 'wait: expected {"kind": "timer"}, saw null'),
        ({"tasks": []}, "tasks: expected [], saw [{"),
        ({"tasks": [{"priority": 5}]}, "tasks[0].priority: expected 5, saw 3"),
        (
            {"events": ["flow_completed", "step_started"]},
            'events[1]: expected "step_started" next, saw ["step_started"',
        ),
        (
            {"events": [{"step_completed": {"node_id": "x"}}]},
            'events[0]: expected {"step_completed": {"node_id": "x"}} next',
        ),
        ({"ignored": 1}, "ignored: expected 1, saw 0"),
        ({"refused": "no"}, 'refused: expected "no", but what was done last was carried out'),
        ({"rejected": [{"code": "EMPTY_NODE_ID"}]}, 'rejected: expected [{"code": "EMPTY_NODE_ID"}], saw []'),
        ({"warnings": [{"node": "work"}]}, 'warnings: expected [{"node": "work"}], saw []'),
    ],
)
def test_what_is_not_as_expected_is_told_in_one_line_with_what_was_seen(play, expect, told) -> None:
    nodes = function("work", arguments={"order": "O-1", "n": 2}), task("look")
    (failure,) = play(*nodes, expect=expect, **APPROVED)
    assert failure.startswith(told)
    assert "\n" not in failure


def test_an_expectation_on_the_way_is_told_with_its_place(play) -> None:
    do = [{"expect": {"status": "waiting", "wait": {"kind": "timer", "step": "rest", "due_in": "24h"}}}]
    assert play(pause("rest", "1d"), do=do) == []
    later = [{"advance": "1h"}, {"expect": {"wait": {"due_in": "1d"}}}]
    assert play(pause("rest", "1d"), do=later) == ['do[1] wait.due_in: expected "1d", saw "23h"']


STRANGER = {"complete": {"step": "look", "by": "/users/stranger", "response": {}}}


def test_a_refused_action_fails_the_scenario(play) -> None:
    (failure,) = play(task("look"), do=[STRANGER])
    assert failure.startswith("do[0] complete: refused: forbidden: ")


def test_a_refusal_that_the_next_expectation_names_is_fine(play) -> None:
    assert play(task("look"), do=[STRANGER], expect={"refused": "somebody else"}) == []
    assert play(task("look"), do=[STRANGER, {"expect": {"refused": "~/^forbidden/"}}]) == []


def test_a_refusal_must_be_named_at_once(play) -> None:
    failures = play(task("look"), do=[STRANGER, {"advance": "1s"}, {"expect": {"refused": "somebody else"}}])
    assert [each.split(":")[0] for each in failures] == ["do[0] complete", "do[2] refused"]


def test_a_start_may_be_refused(play) -> None:
    schema = {"type": "object", "required": ["order"]}
    flow = {"input_schema": schema, "nodes": [pause("rest", "1s")]}
    assert play(flow=flow, expect={"refused": "order"}) == []
    assert play(flow=flow, input={"order": 1}, do=[{"advance": "1s"}], expect={"status": "completed"}) == []


def test_a_definition_that_the_doctor_refuses_never_starts(play) -> None:
    twice = function("work"), function("work")
    expect = {"rejected": [{"node": "work", "code": "DUPLICATE_NODE_ID"}], "calls": []}
    assert play(*twice, expect=expect) == []
    (failure,) = play(*twice)
    assert failure.startswith("the doctor refuses the flow: error DUPLICATE_NODE_ID")


def test_another_flow_must_be_sound_too(play) -> None:
    broken = {"nodes": [{"id": "x", "node_type": "raisin:Bogus"}]}
    (failure,) = play(pause("rest", "1s"), flows={"/flows/other": broken})
    assert failure.startswith("flows./flows/other: the doctor refuses it: error UNKNOWN_NODE_TYPE")


def test_wake_ups_fire_in_their_order_and_the_run_rests_in_between(play) -> None:
    nodes = pause("one", "10s"), pause("two", "20s"), pause("three", "30s")
    do = [{"advance": "31s"}, {"expect": {"wait": {"step": "three", "due_in": "29s"}}}, {"advance": "29s"}]
    assert play(*nodes, do=do, expect={"status": "completed"}) == []


@pytest.mark.parametrize(("takes", "outcome"), [("4999ms", "succeeded"), ("5001ms", "failed")])
def test_an_answer_in_time_counts_and_a_late_one_does_not(play, takes, outcome) -> None:
    slow = {"functions": answers(work=[{"return": {}, "takes": takes}]), "do": [{"advance": "1m"}]}
    assert play(function("work", timeout_ms=5000), expect={"outcomes": {"work": outcome}}, **slow) == []


def test_a_restart_loses_the_calls_that_are_out(play) -> None:
    lost = {
        "functions": answers(work=[{"return": {}, "takes": "5s"}]),
        "do": [{"advance": "1s"}, {"restart": {}}, {"advance": "1h"}],
    }
    nodes = function("work", retry_strategy="none"), task("look")
    assert play(*nodes, expect={"status": "failed", "outcomes": {"work": "failed"}}, **lost) == []


def test_a_worker_that_dies_is_followed_by_another(play) -> None:
    crash = {"functions": answers(work=[{"crash": True}, {"return": {}}]), "do": [{"advance": "15m"}]}
    expect = {"status": "completed", "attempts": {"work": 2}, "calls": ["/lib/work", "/lib/work"]}
    assert play(function("work"), expect=expect, **crash) == []


def test_a_run_that_never_rests_fails_its_scenario(play, monkeypatch) -> None:
    monkeypatch.setattr(pump, "MOST_MOVES", 50)
    again = step("again", step_type="decision", condition="true", yes_branch="rest")
    (failure,) = play(pause("rest", "0s"), again)
    assert failure.startswith("The run does not come to rest")


def test_a_fault_of_the_engine_fails_its_scenario_alone(play, monkeypatch) -> None:
    def broken(*arguments):
        raise ZeroDivisionError("out of the engine")

    with monkeypatch.context() as patch:
        patch.setattr("engine.driver.drive", broken)
        (failure,) = play(pause("rest", "1s"))
    assert failure.startswith("the engine raised ZeroDivisionError: out of the engine")
    assert play(pause("rest", "1s")) == []
