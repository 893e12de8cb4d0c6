"""Failure documents, resuming and abandoning over HTTP. Alice operates, Bob looks, Charlie is a stranger."""

from typing import Any

import pytest

from engine import driver
from engine.models import Instance, Resolution
from engine.outcomes import Failed, Succeeded, Unknown
from engine.ports_production import ports
from flows import graph
from flows.lowering import lower
from tests.designer.api.flows import ASKS_THE_MANAGER, driven, step
from tests.factories import FlowVersionFactory
from tests.failure_documents import CONTRACT

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
MANIFESTS = {
    "/lib/pay": {"effect": "write", "retry": {"max_retries": 0}, "output_schema": SCHEMA},
    "/lib/unlock": {"effect": "write", "retry": {"max_retries": 0}},
}


@pytest.fixture
def alice(signed_in):
    return signed_in("Operators", username="alice")


@pytest.fixture
def bob(signed_in):
    return signed_in("Flow editors")


@pytest.fixture
def charlie(signed_in):
    return signed_in()


@pytest.fixture(autouse=True)
def answers(monkeypatch, settings):
    """What the library's functions answer, by path; a worker that nobody waits for comes later."""
    found: dict[str, Any] = {}
    settings.SULTANA_RESUME_WAIT_SECONDS = 0.0
    executor = type(ports().executor)
    monkeypatch.setattr(executor, "start", lambda self, call: found.get(call.path, Succeeded({})))
    return found


LOCK = step("lock", function_ref="/lib/lock", compensation_ref="/lib/unlock", compensation_when="always")
PAY = step("pay", function_ref="/lib/pay")


def run_of(alice, *nodes, **more):
    definition = {"nodes": list(nodes), "on_failure": "keep", **more}
    lowered = graph.to_json(lower(definition, MANIFESTS.get))
    FlowVersionFactory(definition=definition, graph=lowered, flow__path="/flows/f")
    answer = alice.post("/api/flows/default/run", {"flow_path": "/flows/f", "input": {}})
    return driven(answer.data["instance_id"])


def of(run, tail):
    return f"/api/flows/default/instances/{run.pk}/{tail}"


@pytest.fixture
def failed(alice, answers):
    answers["/lib/pay"] = Failed("declined", "card_declined", 402)
    return run_of(alice, PAY)


@pytest.fixture
def unknown(alice, answers):
    answers["/lib/pay"] = Unknown("gone", "connection_lost")
    return run_of(alice, PAY)


def told(answer):
    return answer.status_code, answer.json()["code"]


# --- the document ----------------------------------------------------------------------------------------------------


def test_the_document_says_why_it_failed(bob, failed):
    document = bob.get(of(failed, "failure")).json()
    CONTRACT.validate(document)
    assert document["failed_step"]["provider_error"] == {"status": 402, "code": "card_declined", "message": "declined"}
    assert (document["status"], document["failure"], document["retryable"]) == (
        *("failed", 1),
        {"resumable": True, "resume_from": 1},
    )


def test_a_run_that_has_not_failed_has_none(alice):
    assert told(alice.get(of(run_of(alice, LOCK), "failure"))) == (404, "no_failure")


def test_a_stranger_does_not_know_of_it(charlie, failed):
    for method, tail in ((charlie.get, "failure"), (charlie.post, "resume"), (charlie.post, "abandon")):
        assert told(method(of(failed, tail))) == (404, "not_found")


# --- resume ------------------------------------------------------------------------------------------------------------


def test_a_resume_goes_on_and_is_recorded(alice, failed, answers):
    answers["/lib/pay"] = Succeeded({"id": "R1"})
    answer = alice.post(of(failed, "resume"), {"note": "card renewed"})
    decision = Resolution.objects.get()
    assert (answer.status_code, answer.data["status"], answer.data["job_id"]) == (200, "resumed", str(decision.pk))
    assert (decision.by, decision.note) == ("/users/alice", "card renewed")
    assert driven(failed.pk).status == "completed"


def test_a_resume_of_a_failure_by_number_answers_as_it_did(alice, failed, answers):
    answers["/lib/pay"] = Succeeded({"id": "R1"})
    first = alice.post(of(failed, "resume"), {"failure": 1})
    driven(failed.pk)
    assert alice.post(of(failed, "resume"), {"failure": 1}).json() == first.json()


def test_somebody_says_that_it_took_effect(alice, unknown):
    assert alice.post(of(unknown, "resume"), {"ack": "applied", "result": {"id": "R9"}}).status_code == 200
    run = driven(unknown.pk)
    assert (run.status, run.output) == ("completed", {"id": "R9"})


def test_while_it_unwinds_the_caller_is_told_so(alice, answers):
    answers["/lib/pay"] = Failed("declined")
    run = run_of(alice, LOCK, PAY)
    answer = alice.post(of(run, "resume"), {"failure": 1})
    assert (answer.status_code, answer.data["status"]) == (202, "unwinding")
    answers["/lib/unlock"] = Failed("stuck")
    driven(run.pk)
    assert Resolution.objects.get().refusal["code"] == "unwind_failed"


def test_a_caller_who_waits_hears_that_it_could_not_unwind(alice, answers, settings, monkeypatch):
    answers["/lib/pay"], answers["/lib/unlock"] = Failed("declined"), Failed("stuck")
    run = run_of(alice, LOCK, PAY)
    settings.SULTANA_RESUME_WAIT_SECONDS = 5.0
    monkeypatch.setattr("engine.resolutions.time.sleep", lambda seconds: driver.drive(run.pk, ports()))
    answer = alice.post(of(run, "resume"), {})
    assert told(answer) == (409, "unwind_failed")
    assert "stuck" in answer.json()["message"]


def test_those_who_may_only_look_decide_nothing(bob, failed):
    for tail, body in (("resume", {}), ("resume", {"ack": "applied"}), ("abandon", {})):
        assert told(bob.post(of(failed, tail), body)) == (403, "forbidden")
    assert not Resolution.objects.exists()


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"ack": "applied"}, (409, "ack_not_expected")),
        ({"ack": "perhaps"}, (400, "ack_invalid")),
        ({"ack": 7}, (400, "ack_invalid")),
        ({"result": 1}, (400, "ack_invalid")),
        ({"failure": 2}, (409, "failure_unknown")),
        ({"failure": 0}, (400, "invalid_input")),
    ],
)
def test_a_resume_of_a_failed_run_is_refused(alice, failed, body, refusal):
    assert told(alice.post(of(failed, "resume"), body)) == refusal
    assert Instance.objects.get(pk=failed.pk).status == "failed"


@pytest.mark.parametrize(
    ("body", "refusal", "field"),
    [
        ({}, (409, "reconcile_required"), None),
        ({"ack": "applied"}, (400, "result_required"), "result"),
        ({"ack": "applied", "result": {"id": 1}}, (400, "result_invalid"), "result"),
        ({"ack": "not_applied", "result": {"id": "R"}}, (400, "ack_invalid"), "result"),
    ],
)
def test_a_resume_of_a_held_run_is_refused(alice, unknown, body, refusal, field):
    answer = alice.post(of(unknown, "resume"), body)
    assert (told(answer), answer.json().get("field")) == (refusal, field)
    assert Instance.objects.get(pk=unknown.pk).status == "held"


def test_a_run_that_ended_well_is_neither_resumed_nor_abandoned(alice):
    run = run_of(alice, LOCK)
    assert told(alice.post(of(run, "resume"), {})) == (409, "not_failed")
    assert told(alice.post(of(run, "abandon"), {})) == (409, "not_failed")
    assert told(alice.post(of(run, "abandon"), {"failure": 3})) == (409, "failure_unknown")


def test_a_run_that_was_rolled_back_is_not_resumed(alice, failed):
    alice.post(of(failed, "abandon"), {})
    driven(failed.pk)
    answer = alice.post(of(failed, "resume"), {})
    assert told(answer) == (409, "not_resumable")
    assert "abandoned" in answer.json()["message"]


# --- abandon -------------------------------------------------------------------------------------------------------------


def test_an_abandon_undoes_everything(alice, answers):
    answers["/lib/pay"] = Failed("declined")
    run = run_of(alice, LOCK, PAY)
    answer = alice.post(of(run, "abandon"), {"failure": 1, "note": "no use"})
    assert (answer.status_code, answer.json()) == (200, {"id": str(run.pk), "status": "running"})
    assert driven(run.pk).status == "rolled_back"
    again = alice.post(of(run, "abandon"), {})
    assert (again.status_code, again.json()["status"], Resolution.objects.count()) == (200, "rolled_back", 1)


# --- gates ---------------------------------------------------------------------------------------------------------------


def test_whoever_declines_a_gate_says_why(alice, signed_in):
    manager = signed_in(username="manager")
    gate = {**ASKS_THE_MANAGER["nodes"][0]["properties"], "on_reject": "fail"}
    run = run_of(alice, step("approve", **gate))
    task = manager.get("/api/inbox/default").json()["tasks"][0]["id"]
    url = f"/api/inbox/default/tasks/{task}/complete"
    answer = manager.post(url, {"response": {"action": "reject"}})
    assert (told(answer), answer.json()["field"]) == ((400, "invalid_input"), "comment")
    assert manager.post(url, {"response": {"action": "reject", "comment": "too dear"}}).status_code == 200
    driven(run.pk)
    gate = alice.get(of(run, "failure")).json()["failed_step"]["gate"]
    assert (gate["decision"], gate["decided_by"], gate["reason"]) == ("rejected", "/users/manager", "too dear")
