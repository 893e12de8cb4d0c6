"""A failed or held run's page: what happened, what each choice will do, and who may choose."""

import json

import pytest
from django.urls import reverse

from engine.models import Instance, Resolution
from engine.outcomes import Failed, Succeeded, Unknown
from engine.ports_production import ports
from flows import graph
from flows.lowering import lower
from tests.designer.api.flows import step
from tests.designer.pages.real import go_on, run, text_of
from tests.factories import FlowVersionFactory
from tests.failure_documents import CONTRACT

pytestmark = pytest.mark.django_db

SCHEMA = {"type": "object", "properties": {"receipt": {"type": "string"}}, "required": ["receipt"]}
MANIFESTS = {
    "/lib/charge": {"effect": "write", "retry": {"max_retries": 0}, "output_schema": SCHEMA},
    "/lib/free": {"effect": "write", "retry": {"max_retries": 0}},
}
SEATS = step(
    "seats", action="Reserve seats", function_ref="/lib/seats", compensation_ref="/lib/free",
    resources={"seats": "${output.seats}"},
)  # fmt: skip
MAIL = step("mail", action="Tell the customer", function_ref="/lib/mail")
CHARGE = step("charge", action="Charge card", function_ref="/lib/charge")


@pytest.fixture(autouse=True)
def answers(monkeypatch):
    found = {"/lib/seats": Succeeded({"seats": "4A"})}
    monkeypatch.setattr(type(ports().executor), "start", lambda self, call: found.get(call.path, Succeeded({})))
    return found


@pytest.fixture
def begun(alice, answers):
    """``begun(outcome, *steps)``: Alice's run, in which the charge comes to that."""

    def begin(outcome, *steps, **more) -> Instance:
        answers["/lib/charge"] = outcome
        definition = {"nodes": [*(steps or (SEATS, MAIL)), CHARGE], **more}
        lowered = graph.to_json(lower(definition, MANIFESTS.get))
        return run(FlowVersionFactory(definition=definition, graph=lowered), user=alice)

    return begin


DECLINED = Failed("card declined", "card_declined", 402)
GONE = Unknown("connection lost after sending", "connection_lost")


def page(client, instance, tab="failure"):
    return text_of(client.get(reverse("run-detail", args=[instance.pk]), {"tab": tab}))


def choose(client, name, instance, **sent):
    return client.post(reverse(f"{name}-run", args=[instance.pk]), sent, follow=True)


def after(instance):
    return go_on(Instance.objects.get(pk=instance.pk))


def test_a_rolled_back_run_says_that_nothing_else_was_changed(begun, bob, as_):
    html = page(as_(bob), begun(DECLINED, SEATS), tab="steps")
    assert "“Charge card” failed: card declined. “Reserve seats” was undone." in html
    assert "Nothing else was changed." in html


def test_a_rolled_back_run_names_what_cannot_be_undone(begun, bob, as_):
    html = page(as_(bob), begun(DECLINED), tab="steps")
    assert "Cannot be undone: mail: Tell the customer." in html


def test_the_failure_is_told_with_its_masked_call(begun, bob, as_):
    html = page(as_(bob), begun(DECLINED, on_failure="keep"))
    assert "call /lib/charge {}" in html and "card_declined" in html and "402" in html


def test_each_choice_says_what_it_will_do(begun, bob, as_):
    html = page(as_(bob), begun(DECLINED, on_failure="keep"))
    assert "“Charge card” is tried again, with all its tries." in html
    assert "2 steps are done and do not run again." in html
    assert "Will be undone: seats: seats=4A." in html
    assert "Cannot be undone: mail: Tell the customer." in html


def test_the_document_can_be_had_as_json(begun, eve, as_):
    instance = begun(DECLINED, on_failure="keep")
    answer = as_(eve).get(reverse("run-value", args=[instance.pk, "failure"]))
    CONTRACT.validate(json.loads(answer.content))


def test_a_run_that_went_well_has_no_failure(begun, bob, as_):
    instance = begun(Succeeded({"receipt": "R1"}))
    assert as_(bob).get(reverse("run-value", args=[instance.pk, "failure"])).status_code == 404
    assert "tab=failure" not in page(as_(bob), instance, tab="steps")


def test_an_operator_resumes_with_a_note(begun, bob, answers, as_):
    instance = begun(DECLINED, on_failure="keep")
    answers["/lib/charge"] = Succeeded({"receipt": "R1"})
    html = text_of(choose(as_(bob), "resume", instance, failure="1", note="card renewed"))
    assert "The run goes on." in html
    assert after(instance).status == "completed"
    decision = Resolution.objects.get()
    assert (decision.by, decision.note) == ("/users/bob", "card renewed")


def test_a_second_click_is_harmless(begun, bob, answers, as_):
    instance, client = begun(DECLINED, on_failure="keep"), as_(bob)
    for _ in range(2):
        choose(client, "resume", instance, failure="1")
    after(instance)
    choose(client, "resume", instance, failure="1")
    assert Resolution.objects.count() == 1


def test_an_operator_gives_the_run_up(begun, bob, as_):
    instance = begun(DECLINED, on_failure="keep")
    choose(as_(bob), "abandon", instance, note="customer left")
    assert after(instance).status == "rolled_back"
    html = page(as_(bob), instance)
    assert "customer left" in html and "What was decided" in html and "Resume<" not in html


def test_a_held_run_asks_what_the_call_did(begun, bob, as_):
    html = page(as_(bob), begun(GONE))
    assert "Held: nobody knows whether “Charge card” took effect." in html
    assert "It took effect" in html and "It did not take effect" in html
    assert 'name="result.receipt"' in html


def test_somebody_says_that_it_took_effect_and_what_it_gave(begun, bob, as_):
    instance = begun(GONE)
    choose(as_(bob), "resume", instance, failure="1", ack="applied", **{"result.receipt": "R9"})
    done = after(instance)
    assert (done.status, done.output["receipt"]) == ("completed", "R9")


def test_somebody_says_that_it_did_not(begun, bob, as_):
    instance = begun(GONE)
    choose(as_(bob), "resume", instance, failure="1", ack="not_applied")
    assert after(instance).status == "rolled_back"


def test_a_refusal_is_told_and_changes_nothing(begun, bob, as_):
    instance = begun(GONE)
    html = text_of(choose(as_(bob), "resume", instance, failure="1"))
    assert "Nothing was changed: Nobody knows whether this step took effect." in html
    assert Instance.objects.get(pk=instance.pk).status == "held"


@pytest.mark.parametrize(("who", "status"), [("alice", 403), ("eve", 403), ("charlie", 404)])
@pytest.mark.parametrize("name", ["resume", "abandon"])
def test_who_else_may_decide(begun, who, status, name, request, as_):
    instance = begun(DECLINED, on_failure="keep")
    assert choose(as_(request.getfixturevalue(who)), name, instance).status_code == status
    assert not Resolution.objects.exists()


def test_who_may_only_look_is_offered_no_choice(begun, eve, as_):
    html = page(as_(eve), begun(DECLINED, on_failure="keep"))
    assert "card_declined" in html and "/resume" not in html and "/abandon" not in html


def test_decisions_are_told_among_the_events(begun, bob, as_):
    instance = begun(DECLINED, on_failure="keep")
    choose(as_(bob), "abandon", instance)
    assert after(instance).status == "rolled_back"
    html = page(as_(bob), instance, tab="events")
    assert "The run is given up" in html and "By Bob" in html
