"""What may be done with a run afterwards: started again, tried again now, copied as a scenario, answered in a test."""

import json

import pytest
from django.urls import reverse

from engine import driver
from engine.models import Attempt, Event, InboxTask, Instance
from engine.ports_production import ports
from engine.testruns import start_test
from flows.models import Flow
from tests.designer.pages.real import ORDER, demo_flow, published, run, text_of
from tests.engine.drawing import call, child_flow, step
from tests.factories import FlowFactory, FlowVersionFactory, UserFactory

pytestmark = pytest.mark.django_db
MISSING = {"nodes": [call("missing", retry={"max_retries": 3, "base_delay_ms": 3_600_000})]}
ASKS = step("ask", action="Look at it", step_type="human_task", task_type="approval", assignee="/users/manager")


def rehearsed(flow, user, **config):
    found = start_test(flow, input={"a": 1}, test_config=config, by=f"/users/{user}", user=user, ports=ports())
    driver.drive(found.pk, ports())
    found.refresh_from_db()
    return found


@pytest.fixture
def waiting(bob):
    """A run that waits an hour for its next try."""
    return run(published(MISSING), user=bob, patient=True)


# --- tried again now -----------------------------------------------------------------------------------------------------


def test_the_next_try_is_made_now_and_the_record_says_who_wanted_it(waiting, bob, as_):
    client = as_(bob)
    assert "Retry now" in text_of(client.get(f"/runs/{waiting.pk}/"))
    client.post(reverse("retry-run-now", args=[waiting.pk]))
    driver.drive(waiting.pk, ports())
    assert Attempt.objects.filter(instance=waiting).count() == 2
    assert Event.objects.get(instance=waiting, type="flow_resumed").data["by"] == "/users/bob"
    assert "Bob did not want to wait" in text_of(client.get(f"/runs/{waiting.pk}/?tab=events"))


def test_a_second_click_says_so_and_changes_nothing(waiting, bob, as_):
    url = reverse("retry-run-now", args=[waiting.pk])
    as_(bob).post(url)
    assert "does not wait for its next try" in text_of(as_(bob).post(url, follow=True))


@pytest.mark.parametrize(("who", "status"), [("ada", 302), ("eve", 403), ("charlie", 404)])
def test_who_may_have_it_tried_again(who, status, waiting, request, as_):
    client = as_(request.getfixturevalue(who))
    assert client.post(reverse("retry-run-now", args=[waiting.pk])).status_code == status
    assert client.get(reverse("retry-run-now", args=[waiting.pk])).status_code == 405 or status == 404


# --- started again -------------------------------------------------------------------------------------------------------


def test_a_run_is_started_again_on_its_own_version_or_the_newest(bob, as_):
    old = published({"nodes": []})
    first = run(old, user=bob, order="A-1")
    new = FlowVersionFactory(flow=old.flow, number=2, definition={"nodes": []}, graph=old.graph)
    html = text_of(as_(bob).get(f"/runs/{first.pk}/"))
    assert "Start again, version 1" in html and "version 2, the newest" in html
    url = reverse("start-run-again", args=[first.pk])
    as_(bob).post(url, {"version": "same"})
    as_(bob).post(url)
    versions = Instance.objects.exclude(pk=first.pk).order_by("pk").values_list("version", flat=True)
    assert list(versions) == [old.pk, new.pk]
    assert set(map(str, Instance.objects.values_list("input", flat=True))) == {"{'order': 'A-1'}"}


def test_a_test_is_tested_again_with_its_mocks_on_the_same_draft_or_the_newest(bob, as_):
    flow = FlowFactory(draft=json.dumps({"nodes": [call("a")]}))
    first = rehearsed(flow, bob, default_behavior="mock_output")
    Flow.objects.filter(pk=flow.pk).update(draft=json.dumps({"nodes": []}))
    url = reverse("start-run-again", args=[first.pk])
    as_(bob).post(url, {"version": "same"})
    as_(bob).post(url)
    same, newest = Instance.objects.exclude(pk=first.pk).order_by("pk")
    assert (same.version, same.is_test, same.test_config) == (first.version, True, first.test_config)
    assert (newest.is_test, newest.version.definition["nodes"]) == (True, [])


def test_a_test_whose_draft_is_broken_by_now_is_refused_in_words(bob, as_):
    flow = FlowFactory(draft=json.dumps({"nodes": []}))
    first = rehearsed(flow, bob)
    Flow.objects.filter(pk=flow.pk).update(draft="nodes: [")
    page = as_(bob).post(reverse("start-run-again", args=[first.pk]), follow=True)
    assert "Nothing was started: The draft" in text_of(page)
    assert Instance.objects.count() == 1


def test_a_test_is_not_started_again_by_who_may_only_look(bob, eve, as_):
    first = rehearsed(FlowFactory(draft=json.dumps({"nodes": []})), bob)
    assert "Start again" not in text_of(as_(eve).get(f"/runs/{first.pk}/"))
    assert as_(eve).post(reverse("start-run-again", args=[first.pk])).status_code == 403


# --- copied as a scenario ------------------------------------------------------------------------------------------------


def test_a_run_is_downloaded_as_a_scenario(bob, as_):
    ended = run(demo_flow("order-fulfilment"), user=bob, **ORDER)
    answer = as_(bob).get(reverse("run-as-scenario", args=[ended.pk]))
    assert answer.status_code == 200
    assert f"order-fulfilment-{str(ended.pk)[-8:]}.scenarios.yaml" in answer["Content-Disposition"]
    assert answer.content.decode().startswith("scenario: ")


def test_a_run_that_cannot_be_copied_says_why(waiting, bob, charlie, as_):
    url = reverse("run-as-scenario", args=[waiting.pk])
    assert "Nothing was copied: This run waits" in text_of(as_(bob).get(url, follow=True))
    assert as_(charlie).get(url).status_code == 404


# --- answered in a test --------------------------------------------------------------------------------------------------


def test_the_tester_answers_on_the_runs_page_and_comes_back_to_it(bob, as_):
    UserFactory(username="manager")
    first = rehearsed(FlowFactory(draft=json.dumps({"nodes": [ASKS]})), bob)
    task = InboxTask.objects.get()
    assert reverse("task", args=[task.pk]) in text_of(as_(bob).get(f"/runs/{first.pk}/"))
    answer = as_(bob).post(reverse("task", args=[task.pk]), {"action": "approve"})
    assert answer["Location"] == reverse("run-detail", args=[first.pk])


def test_others_are_not_led_to_a_tests_task(bob, eve, as_):
    UserFactory(username="manager")
    first = rehearsed(FlowFactory(draft=json.dumps({"nodes": [ASKS]})), bob)
    assert reverse("task", args=[InboxTask.objects.get().pk]) not in text_of(as_(eve).get(f"/runs/{first.pk}/"))


# --- the record ----------------------------------------------------------------------------------------------------------


def test_a_steps_waits_are_listed_with_who_ended_one_early(waiting, bob, as_):
    as_(bob).post(reverse("retry-run-now", args=[waiting.pk]))
    driver.drive(waiting.pk, ports())
    html = text_of(as_(bob).get(reverse("run-step", args=[waiting.pk, 1])))
    assert "ended early by Bob" in html and "still waiting" in html


def test_a_child_run_leads_to_the_step_that_started_it_and_back(bob, as_):
    FlowVersionFactory(flow__path="/flows/inner", definition={"nodes": []})
    parent = run(published({"nodes": [child_flow("inner")]}), user=bob)
    child = Instance.objects.get(parent=parent)
    step_url = reverse("run-step", args=[parent.pk, 1])
    assert step_url in text_of(as_(bob).get(reverse("run-detail", args=[child.pk])))
    assert reverse("run-detail", args=[child.pk]) in text_of(as_(bob).get(step_url))
