"""One run's page: what happened in words, what is below each line, and who may do what."""

import re
from urllib.parse import urlsplit

import pytest
from django.urls import reverse

from engine.models import Attempt, InboxTask, Instance, Visit
from engine.states import Status
from tests.designer.pages.real import DECLINED, LARGE, ORDER, go_on, published, run, text_of
from tests.factories import AttemptFactory, EventFactory, InstanceFactory, VisitFactory

pytestmark = pytest.mark.django_db


def nowhere(**retry):
    """A flow with one step whose function does not exist."""
    step = {"function_ref": "/nowhere", "action": "Call nowhere", "retry": {"base_delay_ms": 900_000, **retry}}
    return published({"nodes": [{"id": "call", "node_type": "raisin:FlowStep", "properties": step}]})


def page(client, instance, tab="steps"):
    return text_of(client.get(reverse("run-detail", args=[instance.pk]), {"tab": tab}))


def sentence(client, instance):
    html = page(client, instance)
    return html.split('class="story-sentence">')[1].split("</p>")[0].replace("“", "'").replace("”", "'")


# --- what is said ---------------------------------------------------------------------------------------------------


def test_a_rolled_back_run_says_what_failed_and_what_was_undone(order, alice, as_):
    said = sentence(as_(alice), run(order, user=alice, **DECLINED))
    assert said == (
        "'Charge 90' failed: The card was declined. 'Book a courier to CH' and 'Reserve the goods' were undone."
    )


def test_a_failure_counts_its_tries(alice, as_):
    said = sentence(as_(alice), run(nowhere(max_retries=1), user=alice))
    assert (
        said
        == "'Call nowhere' failed after 2 tries: There is no function /nowhere in the library. There was nothing to undo."
    )


def test_a_waiting_run_says_who_must_answer_what(order, alice, as_):
    said = sentence(as_(alice), run(order, user=alice, **LARGE))
    assert said.startswith("Waits for Manager to answer 'Check order A-9 over 900', until ")


def test_a_completed_run_says_how_long_it_took(order, alice, as_):
    assert sentence(as_(alice), run(order, user=alice, **ORDER)).startswith("Completed in ")


def test_a_retry_says_what_failed_and_which_try_comes_next(alice, as_):
    instance = run(nowhere(max_retries=2), user=alice, patient=True)
    said = sentence(as_(alice), instance)
    assert said.startswith("'Call nowhere' failed: There is no function /nowhere in the library. Try 2 of 3 is at ")


def test_a_stopped_run_gives_its_reason(alice, as_):
    step = {"step_type": "stop", "action": "Stop", "reason": "nothing to do"}
    version = published({"nodes": [{"id": "s", "node_type": "raisin:FlowStep", "properties": step}]})
    assert sentence(as_(alice), run(version, user=alice)) == "Stopped on purpose: nothing to do."


def test_a_failed_run_that_kept_its_effects_names_them(order, alice, as_):
    instance = run(order, user=alice, **DECLINED)
    Instance.objects.filter(pk=instance.pk).update(status=Status.FAILED)
    instance.compensations.update(state="registered")
    assert sentence(as_(alice), instance).endswith("'Book a courier to CH' and 'Reserve the goods' stay done.")


# --- what is shown --------------------------------------------------------------------------------------------------


def test_steps_stand_in_order_with_tries_and_reasons(order, alice, as_):
    html = page(as_(alice), run(order, user=alice, **DECLINED))
    names = ["Reserve the goods", "Book a courier to CH", "Risk check", "Verdict", "Complete order", "Charge 90"]
    assert [html.index(f'visit-name">{name}') for name in names] == sorted(
        html.index(f'visit-name">{n}') for n in names
    )
    assert "9 steps never ran" in html


def test_a_step_that_was_tried_again_counts_its_tries(alice, as_):
    assert "2 tries" in page(as_(alice), run(nowhere(max_retries=1), user=alice))


def test_compensations_stand_newest_first_with_their_state(order, alice, as_):
    html = page(as_(alice), run(order, user=alice, **DECLINED), "undo")
    assert html.index("Book a courier to CH") < html.index("Reserve the goods")
    assert html.count("Undone") == 2
    assert "/shop/stock/release" in html


def test_events_tell_in_words(order, alice, as_):
    html = page(as_(alice), run(order, user=alice, **DECLINED), "events")
    for words in ("“Charge 90” failed", "The card was declined.", "Undoing “Reserve the goods”", "ended rolled back"):
        assert words in html


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("notified", {"attempts": 1}, "night-desk was told"),
        (
            "notify_failed",
            {"message": "The server answered 400."},
            "night-desk could not be told The server answered 400.",
        ),
        (
            "notify_failed",
            {"message": "It broke.", "unknown": True},
            "Nobody knows whether night-desk was told It broke.",
        ),
        ("notify_skipped", {}, "night-desk would be told, but not of a test run"),
    ],
)
def test_events_tell_who_was_told_of_a_failure(kind, data, words, alice, as_):
    instance = InstanceFactory(started_by=alice)
    EventFactory(instance=instance, type=kind, node_id="pay", data={"target": "night-desk", "decision": "hold", **data})
    html = page(as_(alice), instance, "events")
    assert words in " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize(("reason", "is_unknown"), [("unknown_outcome", True), ("stop_after", False)])
def test_events_tell_of_a_doubt_only_where_there_is_one(reason, is_unknown, alice, as_):
    instance = InstanceFactory(started_by=alice)
    EventFactory(instance=instance, type="flow_held", node_id="pay", data={"reason": reason})
    html = page(as_(alice), instance, "events")
    assert "The run is held at" in html and ("Nobody knows whether it took effect" in html) == is_unknown


def test_events_tell_of_tries(alice, as_):
    html = page(as_(alice), run(nowhere(max_retries=1), user=alice), "events")
    for words in ("will be tried again", "is tried again", "failed at try 2"):
        assert words in html


def test_input_and_trigger_are_trees_with_downloads(order, alice, as_):
    instance = run(order, user=alice, **ORDER)
    html = page(as_(alice), instance, "data")
    assert '<span class="json-key">order_id</span>' in html
    download = as_(alice).get(reverse("run-value", args=[instance.pk, "input"]))
    assert download.json() == ORDER
    assert download["Content-Disposition"].startswith("attachment")


def test_a_steps_part_shows_what_it_was_given_and_gave(order, alice, as_):
    instance = run(order, user=alice, **ORDER)
    html = text_of(as_(alice).get(reverse("run-step", args=[instance.pk, 1]), {"part": "1"}))
    assert "/shop/stock/reserve" in html
    assert '<span class="json-key">reservation</span>' in html
    assert "<html" not in html
    whole = as_(alice).get(reverse("step-value", args=[instance.pk, 1])).json()
    assert whole == Visit.objects.get(instance=instance, seq=1).output


def test_a_traceback_is_for_administrators(order, alice, ada, as_):
    instance = run(order, user=alice, **DECLINED)
    seq = Attempt.objects.filter(instance=instance).latest("visit_seq").visit_seq
    Attempt.objects.filter(instance=instance, visit_seq=seq).update(traceback="Traceback: secret.py line 7")
    url = reverse("run-step", args=[instance.pk, seq])
    assert "secret.py" not in text_of(as_(alice).get(url))
    assert "secret.py" in text_of(as_(ada).get(url))


def test_a_childs_page_leads_to_its_parent_and_back(alice, as_):
    parent = InstanceFactory(started_by=alice)
    child = InstanceFactory(parent=parent, version=parent.version, started_by=alice)
    assert reverse("run-detail", args=[parent.pk]) in page(as_(alice), child)
    assert reverse("run-detail", args=[child.pk]) in page(as_(alice), parent, "children")


def test_only_a_run_that_goes_on_is_followed(order, alice, as_):
    assert "data-events" not in page(as_(alice), run(order, user=alice, **ORDER))
    waiting = run(order, user=alice, **LARGE)
    assert f"/api/flows/default/instances/{waiting.pk}/events" in page(as_(alice), waiting)


def test_the_refreshed_part_is_the_page_without_its_frame(order, alice, as_):
    waiting = run(order, user=alice, **LARGE)
    part = text_of(as_(alice).get(reverse("run-body", args=[waiting.pk])))
    assert part.startswith('<div class="run" id="run"')
    assert "Check order A-9 over 900" in part


def test_a_thousand_visits_come_in_pages(alice, as_):
    instance = InstanceFactory(started_by=alice, status=Status.RUNNING, position={"last_seq": 120})
    for seq in range(1, 121):
        VisitFactory(instance=instance, seq=seq, number=seq)
    newest = page(as_(alice), instance)
    assert newest.count('class="visit ') == 100
    assert "before=21" in newest
    earlier = text_of(as_(alice).get(reverse("run-detail", args=[instance.pk]), {"before": "21"}))
    assert earlier.count('class="visit ') == 20
    assert "Later steps" in earlier


def test_a_page_asks_the_same_few_queries_for_many_steps(alice, as_, queries):
    few, many = (InstanceFactory(started_by=alice, position={"last_seq": n}) for n in (2, 60))
    for instance, count in ((few, 2), (many, 60)):
        for seq in range(1, count + 1):
            VisitFactory(instance=instance, seq=seq, number=seq)
            AttemptFactory(instance=instance, visit_seq=seq)
    client = as_(alice)
    urls = [reverse("run-detail", args=[instance.pk]) for instance in (few, many)]
    counts = [queries(client, urls[0]), queries(client, urls[0]), queries(client, urls[1])]
    assert counts[1] <= counts[2] <= counts[1] + 1  # the second version's drawing
    assert counts[2] <= 14


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("bob", 200), ("eve", 200), ("charlie", 404)])
def test_who_sees_a_run(order, alice, who, status, request, as_):
    instance = run(order, user=alice, **ORDER)
    client = as_(request.getfixturevalue(who))
    for name, args in [("run-detail", []), ("run-body", []), ("run-step", [1]), ("step-value", [1])]:
        assert client.get(reverse(name, args=[instance.pk, *args])).status_code == status
    assert client.get(reverse("run-value", args=[instance.pk, "input"])).status_code == status


def test_somebody_signed_out_is_asked_to_sign_in(order, alice, as_):
    url = reverse("run-detail", args=[run(order, user=alice, **ORDER).pk])
    response = as_(None).get(url)
    assert response.status_code == 302
    assert urlsplit(response["Location"]).path == "/sign-in"


@pytest.mark.parametrize("name", ["cancel-run", "start-run-again", "delete-run"])
def test_deeds_are_only_taken_by_post(name, alice, as_):
    instance = InstanceFactory(started_by=alice)
    assert as_(alice).get(reverse(name, args=[instance.pk])).status_code == 405


def test_an_unknown_run_is_not_found(alice, as_):
    assert as_(alice).get("/runs/00000000-0000-7000-8000-000000000000/").status_code == 404
    assert as_(alice).get("/runs/nonsense/").status_code == 404


@pytest.mark.parametrize("what", ["position", "error", "nothing"])
def test_only_what_is_meant_for_people_can_be_downloaded(what, alice, as_):
    instance = InstanceFactory(started_by=alice)
    assert as_(alice).get(reverse("run-value", args=[instance.pk, what])).status_code == 404


# --- cancel -----------------------------------------------------------------------------------------------------------


def test_the_starter_cancels_and_the_task_goes(order, alice, as_):
    instance = run(order, user=alice, **LARGE)
    response = as_(alice).post(reverse("cancel-run", args=[instance.pk]), follow=True)
    assert "The run is cancelled." in text_of(response)
    instance.refresh_from_db()
    assert instance.status == Status.CANCELLED
    assert InboxTask.objects.get(instance=instance).status == "cancelled"
    assert "Cancelled by Alice Ahrens." in sentence(as_(alice), instance)


def test_cancelling_names_its_consequences_before(order, alice, as_):
    html = page(as_(alice), run(order, user=alice, **LARGE))
    assert "The task “Check order A-9 over 900” disappears from the inbox of Manager." in html
    assert "“Book a courier to CH” and “Reserve the goods” stay done: nothing is undone." in html


def test_cancelling_twice_is_harmless(order, alice, as_):
    instance = run(order, user=alice, **LARGE)
    client, url = as_(alice), reverse("cancel-run", args=[instance.pk])
    client.post(url)
    assert "Nothing was changed." in text_of(client.post(url, follow=True))
    instance.refresh_from_db()
    assert instance.status == Status.CANCELLED


def test_an_operator_cancels_and_rolls_back(order, alice, bob, as_):
    instance = run(order, user=alice, **LARGE)
    assert "Cancel and roll back" in page(as_(bob), instance)
    as_(bob).post(reverse("cancel-run", args=[instance.pk]), {"roll_back": "yes"})
    assert go_on(instance).status == Status.ROLLED_BACK
    assert sentence(as_(bob), instance).startswith("Cancelled and rolled back. 'Book a courier to CH' and")


def test_the_starter_alone_may_not_roll_back(order, alice, as_):
    instance = run(order, user=alice, **LARGE)
    assert "Cancel and roll back" not in page(as_(alice), instance)
    response = as_(alice).post(reverse("cancel-run", args=[instance.pk]), {"roll_back": "yes"})
    assert response.status_code == 403
    instance.refresh_from_db()
    assert instance.status == Status.WAITING


@pytest.mark.parametrize(("who", "status"), [("bob", 302), ("eve", 403), ("charlie", 404)])
def test_who_else_may_cancel(order, alice, who, status, request, as_):
    instance = run(order, user=alice, **LARGE)
    client = as_(request.getfixturevalue(who))
    assert client.post(reverse("cancel-run", args=[instance.pk])).status_code == status
    instance.refresh_from_db()
    assert (instance.status == Status.CANCELLED) == (status == 302)


def test_who_may_only_look_is_offered_nothing(order, alice, eve, as_):
    html = page(as_(eve), run(order, user=alice, **LARGE))
    assert "Cancel run" not in html
    assert "Start again" not in html


# --- start again, delete -----------------------------------------------------------------------------------------------


def test_starting_again_takes_the_same_input_and_lands_on_the_new_run(order, bob, as_):
    old = run(order, user=bob, **ORDER)
    response = as_(bob).post(reverse("start-run-again", args=[old.pk]), {"key": "k-1"})
    new = Instance.objects.exclude(pk=old.pk).get()
    assert response["Location"] == reverse("run-detail", args=[new.pk])
    assert (new.input, new.started_by, new.status) == (ORDER, bob, Status.PENDING)


def test_starting_again_twice_from_one_page_starts_one_run(order, bob, as_):
    old = run(order, user=bob, **ORDER)
    client = as_(bob)
    answers = {client.post(reverse("start-run-again", args=[old.pk]), {"key": "k-1"})["Location"] for _ in range(2)}
    assert len(answers) == 1
    assert Instance.objects.count() == 2


def test_a_disabled_flow_is_not_started_again(order, bob, as_):
    old = run(order, user=bob, **ORDER)
    old.flow.enabled = False
    old.flow.save()
    assert "Start again" not in page(as_(bob), old)
    response = as_(bob).post(reverse("start-run-again", args=[old.pk]), follow=True)
    assert "Nothing was started:" in text_of(response)
    assert Instance.objects.count() == 1


@pytest.mark.parametrize(("who", "status"), [("alice", 404), ("eve", 403), ("charlie", 404)])
def test_who_may_not_start_again(order, alice, who, status, request, as_):
    old = run(order, user=alice, **ORDER)
    client = as_(request.getfixturevalue(who))
    assert client.post(reverse("start-run-again", args=[old.pk])).status_code == status
    assert Instance.objects.count() == 1


def test_an_administrator_deletes_an_ended_run_once(order, alice, ada, as_):
    instance = run(order, user=alice, **ORDER)
    client, url = as_(ada), reverse("delete-run", args=[instance.pk])
    response = client.post(url)
    assert response["Location"] == reverse("run-list")
    assert not Instance.objects.exists()
    assert client.post(url).status_code == 404


def test_a_run_that_goes_on_is_not_deleted(order, alice, ada, as_):
    instance = run(order, user=alice, **LARGE)
    assert "Delete run" not in page(as_(ada), instance)
    assert "cannot be deleted" in text_of(as_(ada).post(reverse("delete-run", args=[instance.pk]), follow=True))
    assert Instance.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("alice", 403), ("bob", 403), ("eve", 403), ("charlie", 404)])
def test_who_may_not_delete(order, alice, who, status, request, as_):
    instance = run(order, user=alice, **ORDER)
    client = as_(request.getfixturevalue(who))
    assert client.post(reverse("delete-run", args=[instance.pk])).status_code == status
    assert Instance.objects.exists()
