"""The inbox: who sees what, and that an answer is taken once, from the right person, and only when it fits."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine.models import InboxTask, Signal
from engine.states import Status, TaskStatus
from tests.factories import InboxTaskFactory

As = Callable[[User | None], Client]
OPTIONS = [{"value": "clear", "label": "Clear it", "style": "success"}, {"value": "refuse", "label": "Refuse it"}]
FORM = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number", "minimum": 1}}}


@pytest.fixture
def approval(alice: User) -> InboxTask:
    found: InboxTask = InboxTaskFactory(
        assignee="/users/alice", title="Check order O-1", task_type="approval", options=OPTIONS, data={"total": 900}
    )
    type(found.instance).objects.filter(pk=found.instance_id).update(status=Status.WAITING)
    return found


def page(task: InboxTask) -> str:
    return reverse("task", args=[task.pk])


def test_a_person_finds_what_is_asked_of_them(as_: As, alice: User, bob: User, approval: InboxTask) -> None:
    assert "Check order O-1" in as_(alice).get(reverse("inbox")).content.decode()
    assert "Check order O-1" not in as_(bob).get(reverse("inbox")).content.decode()


def test_the_rail_counts_open_tasks(as_: As, alice: User, approval: InboxTask) -> None:
    assert as_(alice).get(reverse("inbox")).context["inbox_count"] == 1


def test_what_is_due_first_comes_first_and_overdue_is_said(as_: As, alice: User, approval: InboxTask) -> None:
    InboxTaskFactory(assignee="/users/alice", title="Late one", due_at=timezone.now() - timedelta(hours=1))
    text = as_(alice).get(reverse("inbox")).content.decode()
    assert text.index("Late one") < text.index("Check order O-1") and "Overdue" in text


def test_the_task_shows_its_facts_and_the_flows_own_buttons(as_: As, alice: User, approval: InboxTask) -> None:
    text = as_(alice).get(page(approval)).content.decode()
    assert "Clear it" in text and "Refuse it" in text and "900" in text


def test_an_answer_completes_the_task_and_tells_the_run(as_: As, alice: User, approval: InboxTask) -> None:
    answered = as_(alice).post(page(approval), {"action": "clear", "comment": "fine"})
    approval.refresh_from_db()
    assert answered.status_code == 302 and approval.status == TaskStatus.COMPLETED
    assert approval.response == {"action": "clear", "comment": "fine"} and approval.completed_by == "/users/alice"
    assert Signal.objects.get(instance=approval.instance_id).kind == "answered"


def test_a_second_answer_is_refused_kindly(as_: As, alice: User, approval: InboxTask) -> None:
    as_(alice).post(page(approval), {"action": "clear"})
    again = as_(alice).post(page(approval), {"action": "refuse"}, follow=True)
    approval.refresh_from_db()
    assert again.status_code == 200 and approval.response == {"action": "clear"}


def test_an_answer_that_is_no_option_is_told_and_changes_nothing(as_: As, alice: User, approval: InboxTask) -> None:
    refused = as_(alice).post(page(approval), {"action": "perhaps"})
    approval.refresh_from_db()
    assert refused.status_code == 400 and approval.status == TaskStatus.PENDING


@pytest.mark.parametrize(("who", "status"), [("charlie", 403), ("bob", 403), ("ada", 200), (None, 302)])
def test_others_cannot_open_it(who: str | None, status: int, as_: As, approval: InboxTask, request: Any) -> None:
    user = request.getfixturevalue(who) if who else None
    assert as_(user).get(page(approval)).status_code == status


def test_a_form_is_checked_against_its_schema(as_: As, alice: User) -> None:
    task = InboxTaskFactory(assignee="/users/alice", task_type="input", input_schema=FORM)
    type(task.instance).objects.filter(pk=task.instance_id).update(status=Status.WAITING)
    for text in ("much", "0", ""):
        refused = as_(alice).post(page(task), {"response.amount": text})
        assert refused.status_code == 400 and "field-error" in refused.content.decode()
    assert as_(alice).post(page(task), {"response.amount": "40"}).status_code == 302
    task.refresh_from_db()
    assert task.response == {"amount": 40}


def test_only_administrators_look_at_everybodys(as_: As, ada: User, bob: User, approval: InboxTask) -> None:
    everybody = reverse("inbox") + "?of=all"
    assert "Check order O-1" in as_(ada).get(everybody).content.decode()
    assert "Check order O-1" not in as_(bob).get(everybody).content.decode()


def test_the_list_asks_the_same_few_queries_for_many_tasks(as_: As, alice: User, queries: Any) -> None:
    InboxTaskFactory(assignee="/users/alice")
    few = queries(as_(alice), reverse("inbox"))
    InboxTaskFactory.create_batch(8, assignee="/users/alice")
    assert queries(as_(alice), reverse("inbox")) == few


def test_an_empty_inbox_says_what_it_is_for(as_: As, charlie: User) -> None:
    assert "Nothing to do" in as_(charlie).get(reverse("inbox")).content.decode()
