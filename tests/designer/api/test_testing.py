"""Test runs over HTTP. Alice tests a draft; the manager whom it asks never hears of it; Charlie is a stranger."""

import json

import pytest
from django.core import mail

from engine.models import Instance
from tests.designer.api.flows import ASKS_THE_MANAGER, driven, step
from tests.factories import FlowFactory, UserFactory

TEST = "/api/flows/default/test"
INBOX = "/api/inbox/default"
NOTIFIES = {"nodes": [step("note", action="Note", function_ref="/lib/note"), *ASKS_THE_MANAGER["nodes"]]}


@pytest.fixture
def alice(signed_in):
    return signed_in("Operators", username="alice")


@pytest.fixture
def manager(signed_in):
    return signed_in(username="manager")


@pytest.fixture
def flow(db):
    return FlowFactory(path="/flows/f", draft=json.dumps(ASKS_THE_MANAGER))


def start(client, key=None, path="/flows/f", **body):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(TEST, {"flow_path": path, "input": {"order": "A1"}, **body}, headers=headers)


def test_a_test_run_is_answered_like_any_other(alice, flow):
    answer = start(alice)
    assert (answer.status_code, set(answer.data), answer.data["status"]) == (
        200,
        {"instance_id", "job_id", "status"},
        "queued",
    )
    run = Instance.objects.get(pk=answer.data["instance_id"])
    assert (run.is_test, run.auto_discard, run.started_by) == (True, True, alice.user)
    assert alice.get(f"/api/flows/default/instances/{run.pk}").data["is_test"] is True


def test_the_same_key_starts_it_once(alice, flow):
    first, again = start(alice, key="k"), start(alice, key="k")
    assert first.data == again.data
    assert start(alice, key="k", test_config={"time": "compressed"}).status_code == 409


def test_a_fault_of_the_configuration_is_named(alice, flow):
    config = {"mock_functions": {"/lib/charge": {"behavior": "mock"}}, "times": 1}
    answer = start(alice, test_config=config)
    assert answer.status_code == 400
    fields = [each["field"] for each in answer.json()["problems"]]
    assert fields == ["test_config", 'test_config.mock_functions["/lib/charge"].behavior']
    assert not Instance.objects.exists()


def test_a_fault_of_the_input_is_named(alice, flow):
    answer = start(alice, input=[])
    assert (answer.status_code, answer.json()["field"]) == (400, "input")


def test_a_draft_with_errors_is_refused_with_the_errors(alice):
    FlowFactory(path="/flows/f", draft=json.dumps({"nodes": [step("a", action="A", step_type="wait")]}))
    answer = start(alice)
    assert (answer.status_code, answer.json()["node"]) == (409, "a")
    assert [each["field"] for each in answer.json()["problems"]] == ["a.duration"]


def test_whoever_only_looks_may_not_test(flow, signed_in):
    looks = signed_in(is_staff=True)
    assert (start(looks).status_code, start(signed_in()).status_code) == (403, 404)


def test_an_unknown_flow_is_not_found(alice):
    assert start(alice, path="/flows/none").status_code == 404


# --- isolation ---------------------------------------------------------------------------------------------------


@pytest.fixture
def task(alice, manager):
    """The task of a test run that waits for the manager."""
    FlowFactory(path="/flows/f", draft=json.dumps(NOTIFIES))
    answer = start(alice, test_config={"mock_functions": {"/lib/note": {"behavior": "mock_output"}}})
    return driven(answer.data["instance_id"]).inboxtasks.get()


def answer_to(client, task):
    return client.post(f"{INBOX}/tasks/{task.pk}/complete", {"response": {"action": "approve"}})


def test_whom_it_asks_never_hears_of_it(manager, task):
    assert manager.get(INBOX).json()["count"] == 0
    assert manager.get(f"{INBOX}/tasks/{task.pk}").status_code == 404
    assert answer_to(manager, task).status_code == 404
    assert mail.outbox == []


def test_the_tester_answers_in_their_place(alice, task):
    assert alice.get(f"{INBOX}/tasks/{task.pk}").json()["is_test"] is True
    assert answer_to(alice, task).status_code == 200
    assert driven(task.instance_id).status == "completed"


def test_another_tester_does_not(task, signed_in):
    assert answer_to(signed_in("Operators"), task).status_code == 404


def test_a_task_that_is_not_isolated_is_a_real_one_and_says_that_it_is_a_test(alice, manager, flow):
    driven(start(alice, test_config={"isolated_branch": False}).data["instance_id"])
    (shown,) = manager.get(INBOX).json()["tasks"]
    assert shown["is_test"] is True
    assert alice.get(f"{INBOX}/tasks/{shown['id']}").status_code == 403


# --- its end -----------------------------------------------------------------------------------------------------


def test_the_end_is_read_by_asking_for_the_run(alice):
    FlowFactory(path="/flows/f", draft=json.dumps({"nodes": []}))
    run_id = start(alice).data["instance_id"]
    address = f"/api/flows/default/instances/{run_id}"
    assert alice.get(address).data["status"] == "pending"
    assert Instance.objects.get(pk=run_id).delivered_at is None
    driven(run_id)
    assert alice.get(address).data["status"] == "completed"
    assert Instance.objects.get(pk=run_id).delivered_at is not None


def test_staff_see_it_marked_in_the_list(alice, flow):
    start(alice)
    (shown,) = alice.__class__(UserFactory(is_staff=True)).get("/api/flows/default/instances").json()["instances"]
    assert shown["is_test"] is True
