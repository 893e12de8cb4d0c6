"""One action for several runs: what is said before, what is done, and to whose runs."""

import pytest
from django.contrib.messages import get_messages

from designer import bulk
from engine import commands
from engine.models import Instance
from engine.ports_production import ports
from engine.states import Status
from tests.designer.pages.real import LARGE, run, text_of
from tests.factories import InstanceFactory

pytestmark = pytest.mark.django_db

URL = "/runs/-/bulk"


def ask(client, action, *runs):
    return client.get(URL, {"action": action, "run": [run.pk for run in runs], "back": "status=waiting&nonsense=1"})


def do(client, action, *runs):
    return client.post(URL, {"action": action, "run": [run.pk for run in runs], "back": "status=waiting"})


def said(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def statuses(*runs):
    return [Instance.objects.get(pk=run.pk).status for run in runs]


@pytest.fixture
def waiting(order, alice):
    return [run(order, user=alice, **LARGE) for _ in range(2)]


def test_the_page_says_what_will_happen_to_which_runs_and_changes_nothing(waiting, bob, as_):
    ended = InstanceFactory(version=waiting[0].version, status=Status.COMPLETED)
    html = text_of(ask(as_(bob), "cancel", *waiting, ended))
    assert "Cancel 2 runs?" in html
    assert "What they have done stays done: nothing is undone." in html
    assert html.count('name="run"') == 2
    assert "1 run stays as it is" in html and "It has ended." in html
    assert 'href="/runs/?status=waiting"' in html
    assert statuses(*waiting) == ["waiting", "waiting"]


def test_an_operator_cancels_several_and_comes_back_to_the_same_list(waiting, bob, as_):
    response = do(as_(bob), "cancel", *waiting)
    assert response["Location"] == "/runs/?status=waiting"
    assert said(response) == ["2 runs are being cancelled."]
    assert statuses(*waiting) == ["cancelled", "cancelled"]


def test_the_second_time_is_harmless(waiting, bob, as_):
    do(as_(bob), "cancel", *waiting)
    assert said(do(as_(bob), "cancel", *waiting)) == ["2 runs stayed as they are."]


def test_somebody_cancels_the_runs_they_started_and_no_others(waiting, alice, bob, as_, order):
    other = run(order, user=bob, **LARGE)
    do(as_(alice), "cancel", waiting[0], other)
    assert statuses(waiting[0], other) == ["cancelled", "waiting"]


def test_who_only_looks_is_told_why_not(waiting, eve, as_):
    html = text_of(ask(as_(eve), "cancel", *waiting))
    assert "None of these runs fits" in html
    assert "Only an operator or whoever started it may cancel it." in html
    do(as_(eve), "cancel", *waiting)
    assert statuses(*waiting) == ["waiting", "waiting"]


def test_an_administrator_deletes_what_has_ended_and_the_rest_stays(waiting, ada, as_):
    commands.cancel(waiting[0].pk, ports=ports())
    child = InstanceFactory(parent=waiting[1], version=waiting[1].version, status=Status.COMPLETED)
    html = text_of(ask(as_(ada), "delete", *waiting, child))
    assert "Delete 1 run?" in html
    assert "It has not ended; cancel it first." in html and "It belongs to another run; delete that one." in html
    assert said(do(as_(ada), "delete", *waiting, child)) == ["1 run is deleted.", "2 runs stayed as they are."]
    assert set(Instance.objects.values_list("pk", flat=True)) == {waiting[1].pk, child.pk}


def test_an_operator_does_not_delete(waiting, bob, as_):
    assert ask(as_(bob), "delete", *waiting).status_code == 403
    assert do(as_(bob), "delete", *waiting).status_code == 403
    assert "Delete runs" not in text_of(as_(bob).get("/runs/"))


def test_a_run_that_moves_on_between_question_and_deed_does_not_stop_the_others(waiting, bob):
    commands.cancel(waiting[0].pk, ports=ports())  # waiting[0] still says what was read before
    assert bulk.carry_out(bulk.CANCEL, bob, waiting) == 1
    assert statuses(*waiting) == ["cancelled", "cancelled"]


@pytest.mark.parametrize("chosen", [[], ["nonsense"], ["01890000-0000-7000-8000-000000000000"]])
def test_nothing_chosen_leads_back(chosen, bob, as_):
    response = as_(bob).get(URL, {"action": "cancel", "run": chosen})
    assert response["Location"] == "/runs/?"
    assert said(response) == ["No run was chosen, so nothing was changed."]


def test_an_action_that_is_none_is_not_found(bob, as_):
    assert as_(bob).get(URL, {"action": "explode"}).status_code == 404


def test_somebody_signed_out_is_asked_to_sign_in(as_):
    assert as_(None).post(URL, {"action": "cancel"})["Location"].startswith("/sign-in")


def test_the_page_asks_the_same_queries_for_two_runs_and_for_twenty(order, bob, as_, queries):
    runs = [run(order, user=bob, **LARGE) for _ in range(20)]
    client = as_(bob)

    def asked(number):
        return queries(client, f"{URL}?action=cancel&" + "&".join(f"run={each.pk}" for each in runs[:number]))

    asked(2)
    assert asked(2) == asked(20) == 10
