"""Tasks: the manager is asked, a colleague is not, an administrator may do both."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from engine.models import Instance
from engine.states import Status, TaskStatus
from tests.designer.api.flows import ASKS_THE_MANAGER, driven, published
from tests.factories import InboxTaskFactory, UserFactory

INBOX = "/api/inbox/default"


@pytest.fixture
def manager(signed_in):
    return signed_in(username="manager")


@pytest.fixture
def colleague(signed_in):
    return signed_in("Operators", username="colleague")


@pytest.fixture
def administrator(signed_in):
    return signed_in(is_superuser=True, username="root")


@pytest.fixture
def task(manager):
    """The task of a real run that waits for the manager."""
    published(ASKS_THE_MANAGER)
    starter = UserFactory(groups=["Operators"])
    client = manager.__class__(starter)
    answer = client.post("/api/flows/default/run", {"flow_path": "/flows/f", "input": {"order": "A1"}})
    return driven(answer.data["instance_id"]).inboxtasks.get()


def answer(client, task, response, reference=None):
    return client.post(f"{INBOX}/tasks/{reference or task.pk}/complete", {"response": response})


def test_ones_own_inbox_is_shown(manager, task):
    InboxTaskFactory(assignee="/users/colleague")
    shown = manager.get(INBOX).json()
    assert (shown["assignee"], shown["count"]) == ("/users/manager", 1)
    assert shown["tasks"][0]["id"] == str(task.pk)


def test_a_task_has_raisins_members(manager, task):
    shown = manager.get(f"{INBOX}/tasks/{task.pk}").json()
    assert (shown["title"], shown["status"], shown["step_id"]) == ("Approve A1", "pending", "approve")
    assert shown["flow_instance_id"] == str(task.instance_id)
    assert shown["path"] == f"/users/manager/inbox/task-approve-{task.instance_id}-it1"
    assert [option["value"] for option in shown["options"]] == ["approve", "reject"]
    assert shown["due_in_seconds"] == 3600
    assert not {"response", "completed_by", "responded_at", "input_schema"} & set(shown)


def test_a_groups_task_says_so_and_why_it_was_cancelled(manager):
    group = {"assignment_group": "/groups/buyers", "cancellation_reason": "group_completed"}
    task = InboxTaskFactory(status=TaskStatus.CANCELLED, **group)
    assert group.items() <= manager.get(f"{INBOX}/tasks/{task.pk}").json().items()


def test_open_tasks_come_first_then_urgent_then_due(manager):
    now = timezone.now()
    InboxTaskFactory(title="done", status=TaskStatus.COMPLETED, priority=5)
    InboxTaskFactory(title="someday")
    InboxTaskFactory(title="later", due_at=now + timedelta(days=2))
    InboxTaskFactory(title="soon", due_at=now + timedelta(days=1))
    InboxTaskFactory(title="urgent", priority=5)
    titles = [task["title"] for task in manager.get(INBOX).json()["tasks"]]
    assert titles == ["urgent", "soon", "later", "someday", "done"]


def test_the_inbox_is_filtered_by_status(manager):
    InboxTaskFactory(status=TaskStatus.EXPIRED, title="missed")
    InboxTaskFactory()
    shown = manager.get(INBOX, {"status": "expired"}).json()
    assert [task["title"] for task in shown["tasks"]] == ["missed"]


@pytest.mark.parametrize("query", [{"status": "nonsense"}, {"assignee": "\x00"}])
def test_a_filter_that_makes_no_sense_is_named(manager, query):
    refused = manager.get(INBOX, query)
    assert (refused.status_code, refused.data["field"]) == (400, *query)


@pytest.mark.parametrize("assignee", ["/users/manager", "*"])
def test_anothers_inbox_is_for_administrators(colleague, administrator, task, assignee):
    refused = colleague.get(INBOX, {"assignee": assignee})
    assert (refused.status_code, refused.data["code"]) == (403, "forbidden")
    shown = administrator.get(INBOX, {"assignee": assignee}).json()
    assert (shown["assignee"], shown["count"]) == (assignee, 1)


def test_a_task_is_found_by_its_url_encoded_path(manager, task):
    for reference in (quote(task.path, safe=""), task.path, task.path.lstrip("/")):
        assert manager.get(f"{INBOX}/tasks/{reference}").json()["id"] == str(task.pk)


def test_an_answer_completes_the_task_and_the_run_goes_on(manager, task):
    done = answer(manager, task, {"action": "approve", "comment": "fine"}, quote(task.path, safe=""))
    assert done.status_code == 200
    told = done.json()
    assert (told["task_id"], told["task_path"], told["status"]) == (str(task.pk), task.path, "completed")
    assert told["flow"]["instance_id"] == str(task.instance_id)
    assert told["flow"]["job_id"]
    run = driven(task.instance_id)
    assert (run.status, run.output["comment"]) == (Status.COMPLETED, "fine")
    shown = manager.get(f"{INBOX}/tasks/{task.pk}").json()
    assert (shown["completed_by"], shown["response"]["action"]) == ("/users/manager", "approve")


def test_the_second_answer_is_refused_and_changes_nothing(manager, task):
    codes = [answer(manager, task, {"action": action}).status_code for action in ("approve", "reject")]
    assert codes == [200, 409]
    task.refresh_from_db()
    assert task.response["action"] == "approve"


@pytest.mark.parametrize(
    ("response", "field"),
    [({"action": "maybe"}, "action"), ({}, "action"), ("approve", "response"), (None, "response")],
)
def test_an_answer_that_does_not_fit_changes_nothing(manager, task, response, field):
    refused = answer(manager, task, response)
    assert (refused.status_code, refused.data["code"], refused.data["field"]) == (400, "invalid_input", field)
    task.refresh_from_db()
    assert task.status == TaskStatus.PENDING


def test_the_answer_must_be_there(manager, task):
    refused = manager.post(f"{INBOX}/tasks/{task.pk}/complete", {})
    assert (refused.status_code, refused.data["field"]) == (400, "response")


def test_a_task_of_an_input_is_checked_against_its_form(manager):
    schema = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}
    task = InboxTaskFactory(task_type="input", options=None, input_schema=schema)
    refused = answer(manager, task, {"amount": "much"})
    assert (refused.status_code, refused.data["problems"][0]["field"]) == (400, "amount")


def test_only_the_assignee_and_an_administrator_look_and_answer(colleague, administrator, task):
    assert colleague.get(f"{INBOX}/tasks/{task.pk}").status_code == 403
    assert answer(colleague, task, {"action": "approve"}).status_code == 403
    assert answer(administrator, task, {"action": "reject"}).status_code == 200
    task.refresh_from_db()
    assert task.completed_by == "/users/root"


def test_a_task_of_a_cancelled_run_is_closed(manager, administrator, task):
    administrator.post(f"/api/flows/default/instances/{task.instance_id}/cancel")
    refused = answer(manager, task, {"action": "approve"})
    assert (refused.status_code, refused.data["code"]) == (409, "conflict")
    assert Instance.objects.get(pk=task.instance_id).status == Status.CANCELLED


@pytest.mark.parametrize("reference", ["nonsense", "%2Fusers%2Fmanager%2Finbox%2Fx", "a%00b", "0" * 32])
def test_an_unknown_task_is_not_found(manager, reference):
    assert manager.get(f"{INBOX}/tasks/{reference}").status_code == 404
    assert answer(manager, None, {}, reference).status_code == 404


def test_an_unknown_workspace_is_not_found(manager):
    assert manager.get("/api/inbox/other").status_code == 404


ENDPOINTS = {"": {"GET"}, "/tasks/{id}": {"GET"}, "/tasks/{id}/complete": {"POST"}}


@pytest.mark.parametrize("path", ENDPOINTS)
def test_signed_out_is_401_and_a_wrong_method_is_405(manager, path):
    url = INBOX + path.format(id=InboxTaskFactory().pk)
    for method in ("GET", "POST", "PUT", "DELETE"):
        assert APIClient().generic(method, url).json()["code"] == "not_signed_in"
        if method not in ENDPOINTS[path]:
            refused = manager.generic(method, url)
            assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
