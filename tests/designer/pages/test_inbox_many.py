"""Several tasks answered at once, and tasks given to colleagues: to whom, by whom, and what is refused."""

import pytest
from django.contrib.auth.models import Group
from django.contrib.messages import get_messages

from engine import inbox
from engine.errors import Conflict
from engine.models import Event, InboxTask, Instance, Signal
from engine.ports_production import ports
from tests.designer.pages.real import published, run, text_of
from tests.factories import InboxTaskFactory

pytestmark = pytest.mark.django_db

URL = "/inbox/-/answer"


def asking(who, *, path="/flows/example", **properties):
    """A flow that asks ``who`` to approve, published."""
    ask = {"step_type": "human_task", "task_type": "approval", "action": "Approve {{ input.item }}", "assignee": who}
    return published(
        {"nodes": [{"id": "ask", "node_type": "raisin:FlowStep", "properties": {**ask, **properties}}]}, path=path
    )


@pytest.fixture
def requests(alice):
    """Three alike requests of Alice."""
    version = asking("/users/alice")
    for item in ("lamp", "chair", "desk"):
        run(version, item=item)
    return list(InboxTask.objects.order_by("id"))


def said(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def open_tasks(who):
    return InboxTask.objects.filter(assignee=f"/users/{who.username}", status="pending").count()


def hand_over(client, task, to, reason=""):
    return client.post(f"/inbox/{task.pk}/hand-over", {"to": to, "reason": reason})


# --- several at once -----------------------------------------------------------------------------------------------------


def test_the_list_offers_the_answers_that_several_tasks_have_in_common(requests, alice, as_):
    html = text_of(as_(alice).get("/inbox/"))
    assert 'name="action" value="approve"' in html and 'name="action" value="reject"' in html
    requests[0].delete()
    requests[1].delete()
    assert 'name="action"' not in text_of(as_(alice).get("/inbox/"))


def test_the_page_says_which_tasks_are_answered_and_changes_nothing(requests, alice, as_):
    other = InboxTaskFactory(assignee="/users/alice", title="Count the boxes", task_type="action", options=None)
    html = text_of(as_(alice).get(URL, {"action": "approve", "task": [each.pk for each in [*requests, other]]}))
    assert "Answer “Approve” to 3 tasks?" in html
    assert "1 task stays open: it does not offer this answer" in html and "Count the boxes" in html
    assert open_tasks(alice) == 4


def test_each_is_answered_with_the_comment_and_its_run_goes_on(requests, alice, as_):
    sent = {"action": "approve", "task": [each.pk for each in requests[:2]], "comment": "as planned"}
    assert said(as_(alice).post(URL, sent)) == ["2 tasks are answered."]
    assert open_tasks(alice) == 1
    assert InboxTask.objects.get(pk=requests[0].pk).response == {"action": "approve", "comment": "as planned"}
    assert Signal.objects.filter(kind="answered").count() == 2


def test_the_second_time_is_harmless(requests, alice, as_):
    sent = {"action": "approve", "task": [each.pk for each in requests]}
    as_(alice).post(URL, sent)
    assert said(as_(alice).post(URL, sent)) == ["None of the chosen tasks takes this answer, so nothing was changed."]
    assert Signal.objects.filter(kind="answered").count() == 3


def test_one_that_refuses_says_why_and_does_not_stop_the_others(alice, as_):
    version = asking("/users/alice", path="/flows/gate", on_reject="fail")
    run(version, item="lamp")
    run(asking("/users/alice"), item="desk")
    sent = {"action": "reject", "task": [each.pk for each in InboxTask.objects.all()]}
    messages = said(as_(alice).post(URL, sent))
    assert sorted(messages) == [
        "1 task is answered.",
        "Approve lamp: Say in comment why you decline: whoever reads of it needs to know.",
    ]


def test_nobody_answers_what_others_are_asked(requests, bob, as_):
    sent = {"action": "approve", "task": [each.pk for each in requests] + ["nonsense"]}
    assert said(as_(bob).post(URL, sent)) == ["None of the chosen tasks takes this answer, so nothing was changed."]
    assert InboxTask.objects.filter(status="pending").count() == 3
    assert as_(None).post(URL, sent)["Location"].startswith("/sign-in")


# --- given to a colleague ------------------------------------------------------------------------------------------------


def test_a_task_is_given_to_a_colleague_who_can_answer_it(requests, alice, bob, as_):
    assert said(hand_over(as_(alice), requests[0], "bob", "I am away.")) == ["Bob is asked now: Approve lamp."]
    assert as_(alice).get(f"/inbox/{requests[0].pk}/").status_code == 403
    html = text_of(as_(bob).get(f"/inbox/{requests[0].pk}/"))
    assert "Alice Ahrens" in html and "I am away." in html
    as_(bob).post(f"/inbox/{requests[0].pk}/", {"action": "approve"})
    assert InboxTask.objects.get(pk=requests[0].pk).completed_by == "/users/bob"
    assert Signal.objects.get().payload["output"]["completed_by"] == "/users/bob"


def test_the_run_tells_who_gave_it_to_whom(requests, alice, bob, ada, as_):
    hand_over(as_(alice), requests[0], "bob", "I am away.")
    told = Event.objects.get(type="task_handed_over")
    assert (told.data["by"], told.data["to"]) == ("/users/alice", "/users/bob")
    html = text_of(as_(ada).get(f"/runs/{requests[0].instance_id}/?tab=events"))
    assert "was given to Bob" in html and "By Alice Ahrens · I am away." in html


@pytest.mark.parametrize("to", ["", "nobody", "alice", "../groups/x", "a\x00b"])
def test_whom_nobody_knows_or_who_is_asked_already_is_refused(to, requests, alice, as_):
    assert hand_over(as_(alice), requests[0], to)["Location"] == f"/inbox/{requests[0].pk}/"
    assert open_tasks(alice) == 3


def test_who_left_cannot_be_given_anything(requests, alice, bob, as_):
    bob.is_active = False
    bob.save()
    assert 'value="bob"' not in text_of(as_(alice).get(f"/inbox/{requests[0].pk}/"))
    hand_over(as_(alice), requests[0], "bob")
    assert open_tasks(alice) == 3


def test_nobody_gives_away_what_others_are_asked_and_administrators_do(requests, bob, ada, as_):
    assert hand_over(as_(bob), requests[0], "bob").status_code == 403
    hand_over(as_(ada), requests[0], "bob")
    assert open_tasks(bob) == 1


def test_of_an_answer_and_a_handing_over_only_the_first_counts(requests, alice, bob, as_):
    stale = requests[0]
    as_(alice).post(f"/inbox/{stale.pk}/", {"action": "approve"})
    with pytest.raises(Conflict):
        inbox.hand_over(stale.pk, to="/users/bob", by="/users/alice", ports=ports())
    assert open_tasks(bob) == 0


def test_a_task_of_a_run_that_ended_stays_where_it_is(requests, alice, bob, as_):
    Instance.objects.filter(pk=requests[0].instance_id).update(status="cancelled")
    hand_over(as_(alice), requests[0], "bob")
    assert open_tasks(alice) == 3


# --- groups --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def finance(alice, bob):
    group = Group.objects.create(name="finance")
    group.user_set.set([alice, bob])
    run(asking("/groups/finance", group_completion="all"), item="lamp")
    return group


def test_who_left_the_group_answers_no_more_and_gives_nothing_away(finance, alice, charlie, as_):
    finance.user_set.remove(alice)
    task = InboxTask.objects.get(assignee="/users/alice")
    refused = as_(alice).post(f"/inbox/{task.pk}/", {"action": "approve"})
    assert "You do not belong to the group that is asked any more." in said(refused)[0]
    assert "do not belong" in said(hand_over(as_(alice), task, "charlie"))[0]
    assert not Signal.objects.exists() and open_tasks(alice) == 1


def test_an_administrator_gives_the_task_of_who_left_to_somebody_who_then_counts(
    finance, alice, bob, charlie, ada, as_
):
    finance.user_set.remove(alice)
    task = InboxTask.objects.get(assignee="/users/alice")
    hand_over(as_(ada), task, "charlie")
    as_(charlie).post(f"/inbox/{task.pk}/", {"action": "approve"})
    as_(bob).post(f"/inbox/{InboxTask.objects.get(assignee='/users/bob').pk}/", {"action": "approve"})
    answers = Signal.objects.get().payload["output"]["group"]["responses"]
    assert [each["assignee"] for each in answers] == ["/users/charlie", "/users/bob"]


def test_nobody_of_a_group_is_asked_twice(finance, alice, as_):
    assert "This person is asked already." in said(
        hand_over(as_(alice), InboxTask.objects.get(assignee="/users/alice"), "bob")
    )
