"""People in test runs: what was scripted is answered as they would, once, whoever dies on the way; the rest waits."""

import json
from dataclasses import replace

import pytest

from engine import rehearsal, testruns
from engine.executors.mocks import MockingExecutor
from engine.models import InboxTask, Visit
from engine.testruns import start_test
from tests.engine.drawing import call, child_flow, loop, step, task
from tests.engine.world import World, row
from tests.factories import FlowFactory, FlowVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)


def ask(name="ask", **properties):
    return step(name, **{"step_type": "human_task", "task_type": "approval", "assignee": "/users/ana", **properties})


@pytest.fixture
def world() -> World:
    found = World()
    found.ports = replace(found.ports, executor=MockingExecutor(found.functions, found.clock))
    return found


def rehearse(world, *nodes, tasks=None, **config):
    flow = FlowFactory(draft=json.dumps({"nodes": list(nodes)}))
    run = start_test(flow, input={}, test_config={"mock_tasks": tasks or {}, **config}, ports=world.ports)
    world.settle()
    return row(run.pk)


def outputs(run, node="ask"):
    return list(Visit.objects.filter(instance=run, node_id=node).order_by("seq").values_list("output", flat=True))


YES = {"response": {"action": "approve"}}


def test_a_scripted_answer_is_given_as_the_one_who_is_asked(world) -> None:
    run = rehearse(world, ask(), tasks={"ask": YES})
    assert run.status == "completed"
    answered = InboxTask.objects.get()
    assert (answered.status, answered.completed_by, answered.response) == (
        "completed",
        "/users/ana",
        {"action": "approve"},
    )


def test_a_task_that_nobody_scripted_waits(world) -> None:
    run = rehearse(world, ask(), tasks={"other": YES})
    assert (run.status, run.wait_kind) == ("waiting", "human_task")


def test_consecutive_visits_get_consecutive_answers(world) -> None:
    answers = [{"response": {"action": "reject"}}, YES]
    run = rehearse(world, loop("again", ask(), times=3), tasks={"ask": answers})
    assert [each["action"] for each in outputs(run)] == ["reject", "approve", "approve"]


def test_a_person_may_be_waited_for_at_a_later_visit(world) -> None:
    run = rehearse(world, loop("again", ask(), times=3), tasks={"ask": [YES, {"behavior": "wait"}]})
    assert (run.status, run.wait_kind, len(outputs(run))) == ("waiting", "human_task", 2)


def test_a_task_of_a_child_run_is_answered_too(world) -> None:
    FlowVersionFactory(flow__path="/flows/inner", definition={"nodes": [ask()]})
    assert rehearse(world, child_flow("inner"), tasks={"ask": YES}).status == "completed"


def test_a_group_answers_until_its_policy_is_met(world) -> None:
    node = ask(assignee="/groups/all", group_completion="all")
    run = rehearse(world, node, tasks={"ask": YES})
    assert run.status == "completed"
    assert set(InboxTask.objects.values_list("status", flat=True)) == {"completed"}


def test_nobody_answers_until_the_time_is_over(world) -> None:
    run = rehearse(
        world, ask(due_in_seconds=7200, timeout_edge="late"), call("late"), tasks={"ask": {"behavior": "expire"}}
    )
    assert run.status == "completed"
    assert InboxTask.objects.get().status == "expired"
    assert Visit.objects.filter(instance=run, node_id="late").exists()


def test_without_a_deadline_nobody_answers_for_ever(world) -> None:
    assert rehearse(world, ask(), tasks={"ask": {"behavior": "expire"}}).status == "waiting"


def test_an_answer_that_does_not_fit_leaves_the_task_to_a_person(world) -> None:
    run = rehearse(world, ask(), tasks={"ask": {"response": {"action": "maybe"}}})
    assert (run.status, InboxTask.objects.get().status) == ("waiting", "pending")


def test_a_worker_that_died_before_it_answered_is_stood_in_for(world, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(rehearsal, "answer", lambda *args: False)
        run = rehearse(world, ask(), tasks={"ask": YES})
    assert run.status == "waiting"
    assert testruns.go_on_resting(world.ports) == 1
    assert testruns.go_on_resting(world.ports) == 0
    world.settle()
    assert row(run.pk).status == "completed"


def test_answering_twice_changes_nothing(world) -> None:
    run = rehearse(world, ask(), task("then"), tasks={"ask": YES})
    assert rehearsal.answer(run.pk, world.ports) is False
    assert row(run.pk).node_id == "then"


def test_a_real_run_is_never_answered_for(world) -> None:
    run = world.start(ask())
    world.settle()
    assert rehearsal.answer(run, world.ports) is False
    assert row(run).status == "waiting"
