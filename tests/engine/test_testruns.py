"""Test runs: what they pin, that they keep to themselves, and how they go again, whoever dies on the way."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from engine import commands, driver, testruns, wakeups
from engine.errors import Conflict, InvalidInput
from engine.executors.mocks import MockingExecutor
from engine.models import Attempt, Event, InboxTask, Instance, Undo, Visit, Wakeup
from engine.testruns import KEPT_UNREAD, LINGERS, start_test
from flows.models import FlowVersion
from tests.engine.drawing import call, child_flow, parallel, pause, step, task, undone
from tests.engine.world import World, called, row
from tests.factories import FlowFactory, FlowVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)
ASK = step("ask", step_type="ai_agent", agent_ref="/agents/a", prompt="Hi")


def draft(*nodes, **data) -> str:
    return json.dumps({"nodes": list(nodes), **data})


@pytest.fixture
def world() -> World:
    found = World(charge={"paid": True})
    found.ports = replace(found.ports, executor=MockingExecutor(found.functions, found.clock))
    return found


def rehearse(world, flow, config=None, **more):
    run = start_test(flow, input={}, test_config=config, ports=world.ports, **more)
    world.settle()
    return row(run.pk)


def families():
    return [model.objects.count() for model in (Instance, Visit, Attempt, Event, InboxTask, Wakeup)]


# --- what is run -------------------------------------------------------------------------------------------------


def test_the_draft_is_run_published_or_not(world) -> None:
    flow = FlowFactory(draft=draft(call("charge")))
    FlowVersionFactory(flow=flow)
    run = rehearse(world, flow)
    assert (run.status, run.is_test, run.version.number) == ("completed", True, None)
    assert called(world) == ["charge"]


def test_test_runs_of_one_text_share_a_snapshot(world) -> None:
    flow = FlowFactory(draft=draft(call("charge")))
    assert rehearse(world, flow).version == rehearse(world, flow).version


def test_without_a_draft_the_newest_version_is_run(world) -> None:
    version = FlowVersionFactory(flow__draft="", definition={"nodes": []})
    assert rehearse(world, version.flow).version == version


def test_a_flow_without_anything_is_refused(world) -> None:
    with pytest.raises(Conflict, match="neither a draft nor a version"):
        rehearse(world, FlowFactory(draft=""))


def test_a_draft_with_errors_is_refused_with_every_error(world) -> None:
    flow = FlowFactory(draft=draft({"id": "a", "node_type": "raisin:FlowStep", "properties": {"step_type": "wait"}}))
    with pytest.raises(Conflict, match="Nothing was started") as refused:
        rehearse(world, flow)
    assert {each["field"] for each in refused.value.problems} == {"a.action", "a.duration"}
    assert not Instance.objects.exists() and not FlowVersion.objects.exists()


def test_a_draft_that_cannot_be_read_is_refused(world) -> None:
    with pytest.raises(Conflict, match="cannot be read"):
        rehearse(world, FlowFactory(draft="nodes: ["))


def test_a_disabled_flow_can_be_rehearse(world) -> None:
    assert rehearse(world, FlowFactory(enabled=False, draft=draft())).status == "completed"


def test_a_configuration_that_does_not_fit_starts_nothing(world) -> None:
    flow = FlowFactory(draft=draft())
    with pytest.raises(InvalidInput) as refused:
        rehearse(world, flow, {"time": "fast"})
    assert refused.value.field == "test_config.time"
    assert not Instance.objects.exists()


# --- isolation ---------------------------------------------------------------------------------------------------


def test_no_function_is_called_when_everything_is_mocked(world) -> None:
    nodes = [undone("charge"), undone("ship"), ASK, call("fail", retry_strategy="none")]
    config = {"default_behavior": "mock_output", "mock_functions": {"/lib/fail": {"behavior": "mock_error"}}}
    run = rehearse(world, FlowFactory(draft=draft(*nodes)), config)
    assert run.status == "rolled_back"
    assert called(world) == []


def test_the_runs_below_are_mocked_as_well(world) -> None:
    FlowVersionFactory(flow__path="/flows/inner", definition={"nodes": [call("charge")]})
    nodes = [child_flow("inner"), parallel("both", call("left"), call("right"))]
    run = rehearse(world, FlowFactory(draft=draft(*nodes)), {"default_behavior": "mock_output"})
    assert run.status == "completed"
    assert called(world) == []
    assert set(Instance.objects.values_list("is_test", flat=True)) == {True}


@pytest.mark.parametrize(("config", "is_hidden"), [(None, True), ({"isolated_branch": False}, False)])
def test_its_tasks_are_kept_from_inboxes_unless_it_says_otherwise(world, config, is_hidden) -> None:
    rehearse(world, FlowFactory(draft=draft(task("approve"))), config)
    assert InboxTask.objects.get().is_test is is_hidden


# --- mocks -------------------------------------------------------------------------------------------------------


def mocking(path="/lib/charge", **behaviour):
    return {"mock_functions": {path: behaviour}}


def test_an_answer_slower_than_the_deadline_never_comes(world) -> None:
    flow = FlowFactory(draft=draft(call("charge", timeout_ms=1000, retry_strategy="none")))
    run = rehearse(world, flow, mocking(behavior="mock_output", mock_delay_ms=5000))
    assert (run.status, run.wait_kind) == ("waiting", "function")
    world.later(seconds=1)
    assert row(run.pk).error["error_type"] == "timeout"


def test_in_compressed_time_a_mocked_delay_takes_none(world, monkeypatch) -> None:
    monkeypatch.setattr("engine.executors.mocks.time.sleep", lambda seconds: pytest.fail("it slept"))
    flow = FlowFactory(draft=draft(call("charge")))
    config = {**mocking(behavior="passthrough", mock_delay_ms=20_000), "time": "compressed"}
    assert rehearse(world, flow, config).status == "completed"


def test_a_passthrough_agent_echoes_the_flows_input(world) -> None:
    flow = FlowFactory(draft=draft(ASK))
    config = {"mock_agents": {"/agents/a": {"behavior": "passthrough"}}}
    run = start_test(flow, input={"message": "echo"}, test_config=config, ports=world.ports)
    world.settle()
    assert Visit.objects.get(instance=run).output["message"] == "echo"


def test_what_undoes_for_a_redo_counts_among_the_calls_of_its_function(world) -> None:
    """The second undo is the function's second call: it gets the second answer, not the first one for ever."""
    ship = call("ship", undo={"function_ref": "/lib/unship"}, retry_strategy="none")
    nodes = [call("book", undo={"function_ref": "/lib/unbook"}), ship]
    recovery = {"redo": "whole_group", "then": "fail", "stop_after": {"failures": 3, "within": "1h"}}
    answers = [{"behavior": "mock_output"}, {"behavior": "mock_error", "mock_error": {"message": "gone"}}]
    config = {
        "default_behavior": "mock_output",
        "time": "compressed",
        "mock_functions": {"/lib/unbook": answers, "/lib/ship": {"behavior": "mock_error"}},
    }
    rehearse(world, FlowFactory(draft=draft(*nodes, recovery=recovery)), config)
    made = list(Undo.objects.order_by("place").values_list("state", flat=True))
    assert made[0] == "done" and "done" not in made[1:]


# --- compressed time ---------------------------------------------------------------------------------------------


def test_a_run_in_compressed_time_whose_worker_died_at_its_rest_is_hurried_on(world, monkeypatch) -> None:
    flow = FlowFactory(draft=draft(pause("rest", duration="2d")))
    with monkeypatch.context() as patched:
        patched.setattr("engine.wakeups.hurry", lambda *args: False)
        run = rehearse(world, flow, {"time": "compressed"})
    assert run.status == "waiting"
    assert testruns.go_on_resting(world.ports) == 1
    assert testruns.go_on_resting(world.ports) == 0
    world.settle()
    assert row(run.pk).status == "completed"


def test_who_rests_on_a_person_or_in_real_time_is_left_alone(world) -> None:
    rehearse(world, FlowFactory(draft=draft(pause("rest", duration="2d"))))
    rehearse(world, FlowFactory(draft=draft(task("approve", due_in_seconds=60))), {"time": "compressed"})
    assert testruns.go_on_resting(world.ports) == 0


def test_a_persons_deadline_passes_by_the_worlds_clock_whatever_time_was_jumped_over(world) -> None:
    flow = FlowFactory(
        draft=draft(pause("rest", duration="2d"), task("approve", due_in_seconds=60), pause("more", "1d"))
    )
    begun = world.clock.now()
    run = rehearse(world, flow, {"time": "compressed"})
    asked = InboxTask.objects.get(instance=run)
    assert (asked.created_at, asked.due_at, row(run.pk).wait_due) == (begun, *[begun + timedelta(minutes=1)] * 2)
    world.later(seconds=59)
    assert row(run.pk).status == "waiting"
    world.later(seconds=1)
    assert row(run.pk).error["error_type"] == "timeout"


def test_a_deadline_that_is_let_pass_puts_the_run_ahead_of_what_it_jumped_over(world) -> None:
    asked = task("approve", due_in_seconds=60, continue_on_fail=True)
    flow = FlowFactory(draft=draft(pause("rest", duration="2d"), asked, pause("more", "1d")))
    run = rehearse(world, flow, {"time": "compressed"})
    assert wakeups.expire(run.pk, world.ports)
    world.settle()
    last = Visit.objects.get(instance=run, node_id="more")
    assert row(run.pk).status == "completed"
    assert last.ended_at - world.clock.now() == timedelta(days=3, minutes=1)


# --- how it goes -------------------------------------------------------------------------------------------------


@pytest.fixture
def ended(world):
    """An ended test run with child runs, on a draft's snapshot."""
    flow = FlowFactory(draft=draft(parallel("both", call("charge"), call("ship"))))
    return rehearse(world, flow)


def test_a_run_goes_some_time_after_its_end_was_read(world, ended) -> None:
    testruns.delivered(ended.pk, world.ports)
    world.clock.moment += LINGERS
    assert testruns.discard_ended(world.ports) == 0
    world.clock.moment += timedelta(seconds=1)
    assert testruns.discard_ended(world.ports) == 1
    assert families() == [0] * 6
    assert not FlowVersion.objects.exists()


def test_reading_it_again_keeps_it_no_longer(world, ended) -> None:
    testruns.delivered(ended.pk, world.ports)
    world.clock.moment += LINGERS + timedelta(seconds=1)
    testruns.delivered(ended.pk, world.ports)
    assert testruns.discard_ended(world.ports) == 1


def test_a_run_that_nobody_reads_goes_after_an_hour(world, ended) -> None:
    world.clock.moment += KEPT_UNREAD
    assert testruns.discard_ended(world.ports) == 0
    world.clock.moment += timedelta(seconds=1)
    assert testruns.discard_ended(world.ports) == 1


def test_a_run_that_is_under_way_stays(world) -> None:
    run = rehearse(world, FlowFactory(draft=draft(pause("rest", duration="9d"))))
    testruns.delivered(run.pk, world.ports)
    world.clock.moment += timedelta(days=1)
    assert testruns.discard_ended(world.ports) == 0
    assert row(run.pk).delivered_at is None


def test_a_run_that_is_to_be_kept_stays(world) -> None:
    run = rehearse(world, FlowFactory(draft=draft()), {"auto_discard": False})
    testruns.delivered(run.pk, world.ports)
    world.clock.moment += timedelta(days=1)
    assert testruns.discard_ended(world.ports) == 0


def test_a_real_run_is_never_discarded(world) -> None:
    run = world.start(call("charge"))
    world.settle()
    testruns.delivered(run, world.ports)
    world.clock.moment += timedelta(days=1)
    assert testruns.discard_ended(world.ports) == 0


def test_a_snapshot_stays_as_long_as_a_run_is_pinned_to_it(world, ended) -> None:
    other = rehearse(world, ended.flow)
    commands.delete(ended.pk)
    assert FlowVersion.objects.get() == other.version
    commands.delete(other.pk)
    assert not FlowVersion.objects.exists()


def test_a_published_version_outlives_its_runs(world) -> None:
    version = FlowVersionFactory(flow__draft="", definition={"nodes": []})
    commands.delete(rehearse(world, version.flow).pk)
    assert FlowVersion.objects.get() == version


def test_what_a_death_left_undeleted_goes_in_the_next_round(world, ended, monkeypatch) -> None:
    class Died(BaseException): ...

    def die(*args):
        raise Died

    world.clock.moment += KEPT_UNREAD * 2
    before = families()
    with monkeypatch.context() as patched:
        patched.setattr(commands, "drop_snapshot", die)
        with pytest.raises(Died):
            testruns.discard_ended(world.ports)
    assert families() == before
    assert testruns.discard_ended(world.ports) == 1
    assert families() == [0] * 6


def test_a_message_that_comes_after_the_run_is_gone_does_nothing(world, ended) -> None:
    commands.delete(ended.pk)
    driver.drive(ended.pk, world.ports)
    testruns.delivered(ended.pk, world.ports)
    assert families() == [0] * 6
