"""Starting and handling runs. Alice starts them, Bob looks or operates, Charlie is a stranger."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from designer.paging import first_id_at
from engine import commands
from engine.models import Instance, Signal
from engine.ports_production import ports
from engine.states import CompensationState, Outcome, Status, TaskStatus
from tests.designer.api import flows
from tests.designer.api.flows import driven, published
from tests.factories import AttemptFactory, FlowVersionFactory, InstanceFactory, UserFactory, VisitFactory

RUN = "/api/flows/default/run"
INSTANCES = "/api/flows/default/instances"


@pytest.fixture
def alice(signed_in):
    return signed_in("Operators", username="alice")


@pytest.fixture
def editor(signed_in):
    """May see and start, may not operate."""
    return signed_in("Flow editors")


@pytest.fixture
def charlie(signed_in):
    return signed_in()


@pytest.fixture
def administrator(signed_in):
    return signed_in("Administrators", is_staff=True)


@pytest.fixture
def manager(signed_in):
    return signed_in(username="manager")


def start(client, path="/flows/f", key=None, **input):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(RUN, {"flow_path": path, "input": input}, headers=headers)


def of(instance, tail=""):
    return f"{INSTANCES}/{instance.pk}{tail}"


def started(client, definition):
    published(definition)
    return driven(start(client).data["instance_id"])


# --- start -------------------------------------------------------------------------------------------------------


def test_a_run_is_started_and_queued(alice):
    version = published()
    answer = start(alice, order="A1")
    assert (answer.status_code, answer.data["status"]) == (200, "queued")
    run = Instance.objects.get(pk=answer.data["instance_id"])
    assert (run.version, run.input, run.started_by) == (version, {"order": "A1"}, alice.user)
    assert run.trigger["actor"] == "/users/alice"
    assert answer.data["job_id"]


def test_input_may_be_left_out(alice):
    published()
    assert alice.post(RUN, {"flow_path": "/flows/f"}).status_code == 200


def test_the_newest_version_is_started(alice):
    newest = FlowVersionFactory(flow=published().flow)
    assert Instance.objects.get(pk=start(alice).data["instance_id"]).version == newest


def test_the_same_key_and_body_start_one_run(alice):
    published()
    first, second = start(alice, key="k1", n=1), start(alice, key="k1", n=1)
    assert (second.status_code, second.data) == (200, first.data)
    assert Instance.objects.count() == 1


def test_the_same_key_with_another_body_is_a_conflict(alice):
    published()
    start(alice, key="k1", n=1)
    answer = start(alice, key="k1", n=2)
    assert (answer.status_code, answer.data["code"]) == (409, "conflict")
    assert Instance.objects.count() == 1


def test_a_key_is_forgotten_after_a_day(alice, time_machine):
    published()
    time_machine.move_to(timezone.now() - timedelta(hours=25), tick=False)
    start(alice.__class__(alice.user), key="k1", n=1)
    time_machine.move_to(timezone.now() + timedelta(hours=25), tick=False)
    assert start(alice.__class__(alice.user), key="k1", n=2).status_code == 200


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", "x" * 201])
def test_a_key_that_is_none_is_refused(alice, key):
    published()
    answer = alice.post(RUN, {"flow_path": "/flows/f"}, headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.data["field"]) == (400, "Idempotency-Key")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "flow_path"),
        ({"flow_path": 7, "input": []}, "input"),
        ({"flow_path": "/flows/f", "input": None}, "input"),
        ({"flow_path": "/flows/f", "input": "x"}, "input"),
        ({"flow_path": "/flows/f", "input": {}}, "input"),
        ({"flow_path": "/flows/f", "input": {"n": "one"}}, "input"),
        ({"flow_path": "/flows/f", "input": {"n": 1, "x": "x" * 1_100_000}}, "input"),
        ({"flow_path": "/flows/\x00"}, "flow_path"),
        ({"flow_path": ["/flows/f"]}, "flow_path"),
        ([], None),
    ],
)
def test_input_that_does_not_fit_starts_nothing(alice, body, field):
    published(flows.TAKES_A_NUMBER)
    answer = alice.post(RUN, body)
    assert (answer.status_code, answer.data["code"], answer.data.get("field")) == (400, "invalid_input", field)
    assert Instance.objects.count() == 0


def test_every_problem_of_an_input_is_listed(alice):
    published(flows.TAKES_A_NUMBER)
    problems = start(alice, n="one").data["problems"]
    assert [problem["field"] for problem in problems] == ["input/n"]


def test_an_unknown_workspace_or_flow_is_not_found(alice):
    published()
    assert start(alice, path="/flows/other").status_code == 404
    assert alice.post(RUN.replace("default", "other"), {"flow_path": "/flows/f"}).status_code == 404


def test_a_flow_that_is_disabled_or_unpublished_is_a_conflict(alice):
    published(enabled=False)
    FlowVersionFactory(flow__path="/flows/draft", number=None)
    for path, said in [("/flows/f", "disabled"), ("/flows/draft", "no published version")]:
        answer = start(alice, path=path)
        assert (answer.status_code, answer.data["code"]) == (409, "conflict")
        assert said in answer.data["message"]


def test_who_may_only_look_does_not_start(signed_in):
    published()
    assert start(signed_in(is_staff=True)).status_code == 403
    assert Instance.objects.count() == 0


def test_a_stranger_does_not_learn_of_the_flow(charlie):
    published()
    assert start(charlie).status_code == 404


# --- list --------------------------------------------------------------------------------------------------------


def test_runs_are_listed_newest_first_in_pages(alice):
    runs = [InstanceFactory() for _ in range(5)]
    seen, cursor = [], None
    while True:
        page = alice.get(INSTANCES, {"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [run["id"] for run in page["instances"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [str(run.pk) for run in reversed(runs)]


def test_the_list_is_filtered_by_flow_and_status(alice):
    wanted = InstanceFactory(status=Status.FAILED, error={"message": "card declined", "error_type": "step_error"})
    InstanceFactory(status=Status.FAILED)
    InstanceFactory(version=wanted.version)
    found = alice.get(INSTANCES, {"flow": wanted.flow.path, "status": "failed"}).json()["instances"]
    assert [run["id"] for run in found] == [str(wanted.pk)]
    assert found[0]["error"] == "card declined"
    assert found[0]["flow_path"] == wanted.flow.path


def listed(client, **query):
    answer = client.get(INSTANCES, query)
    assert answer.status_code == 200, answer.json()
    return {UUID(each["id"]) for each in answer.json()["instances"]}


def test_every_filter_of_the_page_is_there_for_programs(alice):
    version = published(path="/flows/ours")
    first = commands.start(version.flow_id, version.pk, input={"order": "A-7"}, user=alice.user, ports=ports())
    failed = InstanceFactory(version=version, status=Status.FAILED, failed_node="charge", is_test=True)
    held = InstanceFactory(status=Status.HELD)
    child = InstanceFactory(parent=held, version=held.version)
    old = InstanceFactory(version=held.version, id=first_id_at(datetime(2026, 1, 2, tzinfo=UTC)))
    assert listed(alice, flow="/flows/ours", version=1) == {first.pk, failed.pk}
    assert listed(alice, flow="/flows/ours", version=2) == set()
    assert listed(alice, status=["failed", "held"]) == {failed.pk, held.pk}
    assert listed(alice, test="true") == {failed.pk}
    assert listed(alice, test="false") == {first.pk, held.pk, old.pk}
    assert listed(alice, started_by=alice.user.username) == {first.pk}
    assert listed(alice, started_by="nobody") == set()
    assert listed(alice, since="2026-01-02T00:00:00Z", until="2026-01-02T00:00:01Z") == {old.pk}
    assert listed(alice, failed_step="charge") == {failed.pk}
    assert listed(alice, q="a-7") == listed(alice, q=str(first.pk)[-8:]) == {first.pk}
    assert listed(alice, children="true", q=str(child.pk)) == {child.pk}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"status": ["failed", "broken"]}, "status"),
        ({"version": 1}, "version"),
        ({"since": "yesterday"}, "since"),
        ({"test": "perhaps"}, "test"),
    ],
)
def test_a_filter_that_does_not_fit_the_others_is_named(alice, query, field):
    answer = alice.get(INSTANCES, query)
    assert answer.status_code == 400
    assert answer.json()["field"] == field


def test_child_runs_and_other_workspaces_are_not_in_the_list(alice):
    run = InstanceFactory()
    InstanceFactory(parent=run, version=run.version)
    InstanceFactory(version__flow__workspace__slug="other")
    assert [each["id"] for each in alice.get(INSTANCES).json()["instances"]] == [str(run.pk)]


def test_a_stranger_lists_the_runs_they_started(charlie):
    own = InstanceFactory(started_by=charlie.user)
    InstanceFactory()
    assert [each["id"] for each in charlie.get(INSTANCES).json()["instances"]] == [str(own.pk)]


def test_a_page_costs_a_constant_number_of_queries(alice, django_assert_max_num_queries):
    for _ in range(10):
        InstanceFactory(started_by=UserFactory())
    alice.get(INSTANCES)
    with django_assert_max_num_queries(5):
        alice.get(INSTANCES)


@pytest.mark.parametrize(
    ("name", "value"),
    [("cursor", "x"), ("status", "nonsense"), ("limit", "0"), ("limit", "1000"), ("limit", "x"), ("flow", "\x00")],
)
def test_a_filter_that_makes_no_sense_is_named(alice, name, value):
    answer = alice.get(INSTANCES, {name: value})
    assert (answer.status_code, answer.data["field"]) == (400, name)


# --- look --------------------------------------------------------------------------------------------------------


def test_a_run_shows_where_it_stands_and_what_it_knows(alice):
    run = started(alice, flows.WAITS_FOR_AN_EVENT)
    shown = alice.get(of(run)).json()
    assert (shown["id"], shown["status"], shown["flow_path"]) == (str(run.pk), "waiting", "/flows/f")
    assert shown["wait"] == {"kind": "event", "node_id": "pay", "due_at": None}
    assert shown["variables"] == {"step_outputs": {}, "__human_response": None}
    assert "error" not in shown
    assert shown["started_at"].endswith("Z")


def test_an_answered_task_shows_in_the_variables(alice, manager):
    run = started(alice, flows.ASKS_THE_MANAGER)
    task = run.inboxtasks.get()
    manager.post(f"/api/inbox/default/tasks/{task.pk}/complete", {"response": {"action": "approve"}})
    driven(run.pk)
    shown = alice.get(of(run)).json()
    assert shown["status"] == "completed"
    assert shown["variables"]["step_outputs"]["approve"]["action"] == "approve"
    assert shown["variables"]["__human_response"]["completed_by"] == "/users/manager"


def test_a_failure_is_a_text_with_its_details_beside_it(alice):
    error = {"message": "card declined", "error_type": "step_error", "step_id": "pay"}
    shown = alice.get(of(InstanceFactory(status=Status.FAILED, error=error))).json()
    assert (shown["error"], shown["error_details"]) == ("card declined", error)


def test_metrics_count_steps_retries_and_compensations(alice):
    began = timezone.now()
    run = InstanceFactory(started_at=began, ended_at=began + timedelta(seconds=2), status=Status.ROLLED_BACK)
    VisitFactory(instance=run, attempts=3)
    VisitFactory(instance=run, attempts=0, kind="and")
    run.compensations.create(visit_seq=1, node_id="greet", position=1, state=CompensationState.DONE)
    run.compensations.create(visit_seq=2, node_id="greet", position=2)
    assert alice.get(of(run)).json()["metrics"] == {
        "total_duration_ms": 2000, "step_count": 1, "retry_count": 2, "compensation_count": 1,
    }  # fmt: skip


def test_the_starter_looks_at_their_run_and_a_stranger_does_not(charlie, signed_in):
    run = InstanceFactory(started_by=charlie.user)
    assert charlie.get(of(run)).status_code == 200
    assert signed_in().get(of(run)).status_code == 404


# --- cancel ------------------------------------------------------------------------------------------------------


def test_a_waiting_run_is_cancelled_at_once(alice, manager):
    run = started(alice, flows.ASKS_THE_MANAGER)
    answer = alice.post(of(run, "/cancel"))
    assert (answer.status_code, answer.data) == (200, {"id": str(run.pk), "status": "cancelled"})
    assert run.inboxtasks.get().status == TaskStatus.CANCELLED


def test_cancelling_twice_is_refused_the_second_time(alice):
    run = started(alice, flows.WAITS_FOR_A_TIME)
    codes = [alice.post(of(run, "/cancel")).status_code for _ in range(2)]
    assert codes == [200, 409]


def test_a_run_with_a_call_out_ends_when_the_call_does(alice):
    soon = timezone.now() + timedelta(seconds=60)
    run = InstanceFactory(status=Status.RUNNING, lease_token=uuid4(), lease_until=soon)
    for _ in range(2):
        answer = alice.post(of(run, "/cancel"))
        assert answer.status_code == 202
        assert answer.data == {"id": str(run.pk), "status": "running", "cancel_requested": True}
    assert Signal.objects.filter(instance=run, kind="cancel").exists()


def test_an_editor_does_not_cancel_the_run_of_another(alice, editor, charlie):
    run = started(alice, flows.WAITS_FOR_A_TIME)
    assert editor.post(of(run, "/cancel")).status_code == 403
    assert charlie.post(of(run, "/cancel")).status_code == 404
    assert Instance.objects.get(pk=run.pk).status == Status.WAITING


def test_the_starter_cancels_their_own_run(editor):
    run = started(editor, flows.WAITS_FOR_A_TIME)
    assert editor.post(of(run, "/cancel")).status_code == 200


# --- resume ------------------------------------------------------------------------------------------------------


def test_an_event_resumes_the_run_with_its_data(editor):
    run = started(editor, flows.WAITS_FOR_AN_EVENT)
    answer = editor.post(of(run, "/resume"), {"resume_data": {"paid": True}})
    assert (answer.status_code, answer.data["status"]) == (200, "resumed")
    assert answer.data["job_id"] == str(Signal.objects.get(instance=run).pk)
    run = driven(run.pk)
    assert (run.status, run.output["event"]) == (Status.COMPLETED, {"paid": True})


def test_an_event_comes_once(editor):
    run = started(editor, flows.WAITS_FOR_AN_EVENT)
    codes = [editor.post(of(run, "/resume"), {"resume_data": {}}).status_code for _ in range(2)]
    assert codes == [200, 409]
    driven(run.pk)
    assert editor.post(of(run, "/resume"), {"resume_data": {}}).status_code == 409


def test_a_run_that_waits_for_a_person_is_not_resumed_past_them(alice, manager):
    run = started(alice, flows.ASKS_THE_MANAGER)
    answer = alice.post(of(run, "/resume"), {"resume_data": {"action": "approve"}})
    assert (answer.status_code, answer.data["code"]) == (403, "forbidden")
    assert "inbox" in answer.data["message"]


def test_only_operators_and_the_starter_send_an_event(alice, editor, charlie, signed_in):
    run = started(alice, flows.WAITS_FOR_AN_EVENT)
    assert editor.post(of(run, "/resume"), {}).status_code == 403
    assert charlie.post(of(run, "/resume"), {}).status_code == 404
    assert signed_in("Operators").post(of(run, "/resume"), {}).status_code == 200


# --- delete ------------------------------------------------------------------------------------------------------


def test_an_administrator_deletes_an_ended_run_with_all_its_rows(administrator):
    run = InstanceFactory(status=Status.COMPLETED)
    child = InstanceFactory(parent=run, version=run.version, status=Status.COMPLETED)
    for instance in (run, child):
        VisitFactory(instance=instance, outcome=Outcome.SUCCEEDED)
        AttemptFactory(instance=instance)
    answer = administrator.delete(of(run))
    assert (answer.status_code, answer.content) == (204, b"")
    assert not Instance.objects.filter(pk__in=[run.pk, child.pk]).exists()
    assert administrator.delete(of(run)).status_code == 404


def test_a_run_that_has_not_ended_is_not_deleted(administrator):
    run = InstanceFactory(status=Status.WAITING)
    assert administrator.delete(of(run)).status_code == 409
    assert Instance.objects.filter(pk=run.pk).exists()


def test_nobody_but_an_administrator_deletes(alice, charlie):
    run = InstanceFactory(status=Status.COMPLETED)
    assert alice.delete(of(run)).status_code == 403
    assert charlie.delete(of(run)).status_code == 404


# --- all of them -------------------------------------------------------------------------------------------------

ENDPOINTS = {
    "/run": {"POST"},
    "/instances": {"GET"},
    "/instances/{id}": {"GET", "DELETE"},
    "/instances/{id}/cancel": {"POST"},
    "/instances/{id}/resume": {"POST"},
    "/instances/{id}/failure": {"GET"},
    "/instances/{id}/abandon": {"POST"},
    "/instances/{id}/events": {"GET"},
}


@pytest.mark.parametrize("path", ENDPOINTS)
def test_signed_out_is_401_and_a_wrong_method_is_405(alice, path):
    url = f"/api/flows/default{path.format(id=InstanceFactory(status=Status.RUNNING).pk)}"
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        assert APIClient().generic(method, url).json()["code"] == "not_signed_in"
        if method not in ENDPOINTS[path]:
            answer = alice.generic(method, url)
            assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("path", [path for path in ENDPOINTS if "{id}" in path])
@pytest.mark.parametrize("instance_id", ["01890000-0000-7000-8000-000000000000", "nonsense", "1"])
def test_a_run_that_does_not_exist_is_not_found(administrator, path, instance_id):
    url = f"/api/flows/default{path.format(id=instance_id)}"
    for method in ENDPOINTS[path]:
        assert administrator.generic(method, url).status_code == 404
