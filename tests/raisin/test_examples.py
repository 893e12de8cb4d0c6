"""Flows as raisin's documentation shows them, brought in unchanged as a folder, and run from their first step to their last."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine import commands
from engine.executors.mocks import MockingExecutor
from engine.models import Visit
from engine.outcomes import Failed
from engine.testruns import start_test
from flows.files import read_files
from flows.imports import import_files
from flows.models import Flow, Workspace
from flows.publishing import export_flow
from flows.versions import newest_published
from tests.engine.world import World, called, row

FLOWS = Path(__file__).parent / "flows"
MANAGER = "/users/manager"
ORDER = {"order_id": "ORD-1", "amount": 12}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workspace():
    return Workspace.objects.get_or_create(slug="default")[0]


@pytest.fixture
def reports(workspace):
    return {each.path: each for each in import_files(workspace, read_files([FLOWS]), by=None, publish=True)}


@pytest.fixture
def run(workspace, reports):
    """``run(world, name, input)`` starts the newest version and goes on until nothing is left to do."""

    def _run(world, name, given):
        version = newest_published(workspace.pk, f"/flows/{name}")
        started = commands.start(version.flow_id, version.pk, input=given, ports=world.ports).pk
        world.settle()
        return started

    return _run


def steps(run_id):
    return {each.node_id: each.outcome for each in Visit.objects.filter(instance=run_id).order_by("seq")}


def arguments(world, name):
    return [made.arguments for made in world.functions.made if made.path == f"/lib/{name}"]


# --- the folder ------------------------------------------------------------------------------------------------------


def test_the_folder_comes_in_without_an_error_and_says_what_means_nothing_here(reports) -> None:
    found = {
        path: {each.code for each in report.findings if each.severity != "suggestion"}
        for path, report in reports.items()
    }
    assert found.pop("") == {"TRIGGER_NOT_APPLICABLE"}
    assert found.keys() == {
        "/flows/order-fulfillment",
        "/flows/book-seats",
        "/flows/support/answer-mail",
        "/flows/check-stock",
    }
    assert set().union(*found.values()) == {"FUNCTION_NOT_FOUND"}  # the functions are the tests' own


def test_the_texts_go_out_as_they_came_in(reports) -> None:
    for name in ("order-fulfillment", "book-seats", "support/answer-mail"):
        assert export_flow(Flow.objects.get(path=f"/flows/{name}")) == (FLOWS / f"{name}.node.yaml").read_text()


# --- order-fulfillment -----------------------------------------------------------------------------------------------


def shop(**more):
    answers = {"charge-payment": {"charge_id": "c1"}, "/agents/summarizer": {"response": "All well"}, **more}
    world = World()
    world.functions.answers |= answers
    return world


def test_an_approved_order_is_charged_summed_up_and_logged(run) -> None:
    world = shop(**{"send-notification": Failed("no mail today")})
    order = run(world, "order-fulfillment", ORDER)
    world.answer(order, MANAGER, action="approve")
    world.settle()
    assert row(order).status == "completed"
    assert called(world) == ["charge-payment", "/agents/summarizer", "audit-log", "send-notification"]
    assert arguments(world, "audit-log") == [{"charge": "c1", "summary": "All well"}]
    assert steps(order)["notify"] == "failed"


def test_a_rejected_order_ends_there(run) -> None:
    world = shop()
    order = run(world, "order-fulfillment", ORDER)
    world.answer(order, MANAGER, action="reject")
    world.settle()
    assert (row(order).status, called(world)) == ("completed", [])


def test_a_card_that_is_declined_thrice_is_recorded(run) -> None:
    world = shop(**{"charge-payment": Failed("declined")})
    order = run(world, "order-fulfillment", ORDER)
    world.answer(order, MANAGER, action="approve")
    for _ in range(4):
        world.later(seconds=10)
    assert called(world) == ["charge-payment"] * 3 + ["record-failure"]
    assert arguments(world, "record-failure") == [{"failed_step": "charge", "message": "declined"}]
    assert row(order).status == "completed"


def test_an_order_that_nobody_looks_at_is_escalated_after_a_day(run) -> None:
    world = shop()
    order = run(world, "order-fulfillment", ORDER)
    world.later(days=1)
    assert (row(order).status, called(world)) == ("completed", ["escalate"])
    assert arguments(world, "escalate") == [{"order_id": "ORD-1", "why": "timeout"}]


def test_raisins_own_test_configuration_runs_it_without_a_real_call(reports) -> None:
    world = World()
    world.ports = replace(world.ports, executor=MockingExecutor(world.functions, world.clock))
    config = {
        "mock_functions": {
            "/lib/charge-payment": {"behavior": "mock_output", "mock_output": {"charge_id": "test"}},
            "/lib/audit-log": {"behavior": "passthrough", "mock_delay_ms": 1},
        },
        "mock_agents": {"/agents/summarizer": {"behavior": "mock_output", "mock_output": {"response": "stub"}}},
        "isolated_branch": True,
        "auto_discard": True,
        "default_behavior": "mock_output",
    }
    started = start_test(
        Flow.objects.get(path="/flows/order-fulfillment"), input=ORDER, test_config=config, ports=world.ports
    ).pk
    world.settle()
    world.answer(started, MANAGER, action="approve")
    world.settle()
    assert (row(started).status, called(world)) == ("completed", [])
    assert Visit.objects.get(instance=started, node_id="audit").output == {"charge": "test", "summary": "stub"}


# --- book-seats ------------------------------------------------------------------------------------------------------

SEATS = {"event_id": "E", "quantity": 2}


def box_office(**more):
    world = World()
    world.functions.answers |= {"ticketing/reserve-seats": {"reservation_id": "R", "seats": ["A1", "A2"]}, **more}
    return world


def test_each_seat_gets_its_ticket(run) -> None:
    world = box_office()
    assert row(run(world, "book-seats", SEATS)).status == "completed"
    assert sorted(each["seat"] for each in arguments(world, "ticketing/issue")) == ["A1", "A2"]


def test_what_was_done_is_undone_newest_first_when_a_ticket_fails(run) -> None:
    world = box_office(**{"ticketing/issue": Failed("printer on fire")})
    assert row(run(world, "book-seats", SEATS)).status == "rolled_back"
    assert called(world)[-2:] == ["refund-payment", "ticketing/cancel-reservation"]
    assert arguments(world, "refund-payment") == [{"amount": 80}]
    assert arguments(world, "ticketing/cancel-reservation") == [{"reservation_id": "R"}]


# --- answer-mail -----------------------------------------------------------------------------------------------------


def test_agents_sort_and_answer_and_a_person_gets_the_rest(run) -> None:
    branches = {"how?": ("look_up", 0.9), "thanks!": ("write", 0.8), "???": ("write", 0.1)}

    def sort(asked):
        branch, sure = next(found for text, found in branches.items() if text in asked.arguments["prompt"])
        return {"branch": branch, "reasoning": "so", "confidence": sure}

    world = World()
    world.functions.answers |= {
        "/agents/sorter": sort,
        "/agents/helper": {"response": "So."},
        "/agents/brief": {"response": "Thx"},
        "/agents/warm": {"response": "Dear friend"},
        "/agents/editor": {"action": "accept", "winner": "warm", "confidence": 0.9, "reasoning": "kind"},
    }
    day = run(world, "support/answer-mail", {"mails": [{"text": text} for text in branches]})
    assert row(day).wait_kind == "human_task"
    assert world.answer(day, MANAGER, answer="Pardon?").title == "Answer mail 2"
    world.settle()
    assert (row(day).status, arguments(world, "close-day")) == ("completed", [{"count": 3}])
    results = Visit.objects.get(instance=day, node_id="each_mail").output["results"]
    assert [results[0]["response"], results[1]["response"], results[2]["answer"]] == ["So.", "Dear friend", "Pardon?"]


# --- check-stock, in the runtime format ------------------------------------------------------------------------------


def warehouse(**more):
    parts = [{"name": name, "left": left} for name, left in (("bolt", 3), ("nut", 40), ("cog", 0))]
    world = World()
    world.functions.answers |= {"count-stock": {"items": parts}, **more}
    return world


def test_only_what_runs_out_is_ordered(run) -> None:
    world = warehouse()
    assert row(run(world, "check-stock", {})).status == "completed"
    assert called(world) == ["count-stock", "order-part", "order-part", "report"]
    assert [each["part"] for each in arguments(world, "order-part")] == ["bolt", "cog"]


def test_orders_are_cancelled_when_the_report_fails(run) -> None:
    world = warehouse(report=Failed("no paper"))
    check = run(world, "check-stock", {})
    for _ in range(4):
        world.later(minutes=2)
    assert row(check).status == "rolled_back"
    assert [each["part"] for each in arguments(world, "cancel-order")] == ["cog", "bolt"]
