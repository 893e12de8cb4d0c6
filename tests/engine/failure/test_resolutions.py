"""What people decide of a failure: recorded, once, and refused where it cannot be."""

import pytest

from engine import commands, resolutions
from engine.errors import Conflict, EngineError, InvalidInput, NotFound
from engine.failure import failure_document
from engine.machine.kinds.function import FunctionStep
from engine.models import Event, Instance, Resolution, Visit
from engine.outcomes import Failed, Unknown
from tests.engine.drawing import call, loop, task, undone
from tests.engine.failure.test_trees import ONCE, WRITES, abandon, answers, resume, settled
from tests.engine.test_races import at_once, kinds
from tests.engine.world import World, called, row

pytestmark = pytest.mark.django_db(transaction=True)

DOWN = Failed("down")


def failed(world: World, **more):
    return settled(world, undone("a"), call("b", retry=ONCE), on_failure="keep", **more)


def refused(action) -> str:
    with pytest.raises(EngineError) as found:
        action()
    return found.value.code


# --- what is recorded ------------------------------------------------------------------------------------------------


def test_a_decision_is_recorded_with_who_when_and_why() -> None:
    world = World(b=answers(DOWN, {}))
    run = failed(world)
    world.later(hours=1)
    resume(world, run, by="/users/ana", note="the bank is back")
    decision = Resolution.objects.get(instance=run)
    told = (decision.by, decision.note, decision.kind, decision.failure, decision.state)
    assert told == ("/users/ana", "the bank is back", "resume", 1, "done")
    assert decision.at == world.clock.now()
    event = Event.objects.get(instance=run, type="resume_asked")
    assert event.data == {"by": "/users/ana", "note": "the bank is back"}


def test_a_run_that_goes_on_shows_nothing_of_its_end() -> None:
    world = World(b=answers(DOWN, {}))
    run = settled(world, call("b", retry=ONCE), task("t"), on_failure="keep")
    resume(world, run)
    found = row(run)
    assert (found.status, found.error, found.ended_at, found.not_run) == ("waiting", None, None, None)


def test_deleting_a_run_takes_its_decisions_along() -> None:
    world = World(b=DOWN)
    run = failed(world)
    abandon(world, run)
    commands.delete(run)
    assert not Resolution.objects.exists()


def test_a_resume_that_could_not_unwind_says_so_later() -> None:
    world = World(b=DOWN, undo_a=Failed("stuck"))
    run = settled(
        world, undone("a", compensation_when="always"), call("b", retry=ONCE), on_failure="keep",
        manifests={"undo-a": WRITES},
    )  # fmt: skip
    decision = resolutions.resume_failed(run, ports=world.ports)
    assert resolutions.carried_out(decision).state == "asked"
    world.settle()
    with pytest.raises(Conflict, match="stuck") as found:
        resolutions.carried_out(decision)
    assert (found.value.code, row(run).status) == ("unwind_failed", "failed")


def test_what_was_unwound_stays_unwound_and_the_rest_is_tried_again() -> None:
    world = World(b=answers(DOWN, {}), undo_a=answers(Failed("stuck"), {}))
    always = {"compensation_when": "always"}
    run = settled(
        world, undone("a", **always), undone("a2", **always), call("b", retry=ONCE), on_failure="keep",
        manifests={"undo-a": WRITES},
    )  # fmt: skip
    with pytest.raises(Conflict):
        resume(world, run)
    resume(world, run)
    assert (row(run).status, called(world)[3:]) == ("completed", ["undo-a2", "undo-a", "undo-a", "b"])


def test_a_loop_whose_condition_failed_goes_on_behind_what_is_done() -> None:
    world = World(a=answers({"n": 1}, {"n": 0}, {"n": 0}))
    condition = "10 / steps.a.n > 0"
    run = settled(world, loop("l", call("a"), times=3, until=f"{condition} && visits.a > 2"), on_failure="keep")
    assert (row(run).status, failure_document(run)["failed_step"]["name"]) == ("failed", "l")
    resume(world, run)
    assert (row(run).status, called(world)) == ("failed", ["a", "a"])


def test_a_loop_is_resumed_over_the_items_it_began_with() -> None:
    world = World(a=answers({"n": 0}, {"n": 1}))
    node = loop(
        "l", call("a", arguments={"x": "${item}"}), over="${input.all}", until="visits.a > steps.a.n + 5 / steps.a.n"
    )
    run = settled(world, node, on_failure="keep", input={"all": [7, 8]})
    assert row(run).status == "failed"
    Visit.objects.filter(instance=run, node_id="a").update(output={"n": 1})
    resume(world, run)
    found = [each.arguments["x"] for each in world.functions.made]
    assert (row(run).status, found) == ("completed", [7, 8])


def test_a_run_that_met_a_fault_of_the_engine_can_be_resumed(monkeypatch) -> None:
    world = World()
    with monkeypatch.context() as broken:
        broken.setattr(FunctionStep, "call_ended", None)
        run = settled(world, call("a"), call("b"))
    assert (row(run).status, (row(run).error or {})["code"]) == ("failed", "engine_fault")
    resume(world, run)
    assert (row(run).status, called(world)) == ("completed", ["a", "a", "b"])


# --- safe to repeat --------------------------------------------------------------------------------------------------


def test_a_resume_that_names_its_failure_is_safe_to_repeat() -> None:
    world = World(b=answers(DOWN, DOWN, {}))
    run = failed(world)
    first = resolutions.resume_failed(run, failure=1, ports=world.ports)
    assert resolutions.resume_failed(run, failure=1, ports=world.ports) == first
    world.settle()
    assert resolutions.resume_failed(run, failure=1, ports=world.ports) == first
    assert (failure_document(run)["failure"], called(world)) == (2, ["a", "b", "b"])


def test_an_abandon_that_names_its_failure_is_safe_to_repeat() -> None:
    world = World(b=DOWN, undo_a=Failed("stuck"))
    run = failed(world, manifests={"undo-a": WRITES})
    first = resolutions.abandon(run, failure=1, ports=world.ports)
    world.settle()
    assert resolutions.abandon(run, failure=1, ports=world.ports) == first
    assert called(world).count("undo-a") == 1


def test_an_abandon_with_nothing_left_changes_nothing() -> None:
    world = World(b=DOWN)
    run = failed(world)
    abandon(world, run)
    before = Instance.objects.values().get(pk=run)
    assert resolutions.abandon(run, ports=world.ports) is None
    assert Instance.objects.values().get(pk=run) == before


def test_a_failure_nobody_knows_is_refused() -> None:
    world = World(b=DOWN)
    run = failed(world)
    assert refused(lambda: resolutions.resume_failed(run, failure=2, ports=world.ports)) == "failure_unknown"
    assert refused(lambda: resolutions.abandon(run, failure=7, ports=world.ports)) == "failure_unknown"


def test_of_two_who_resume_at_once_one_wins() -> None:
    world = World(b=answers(DOWN, {}))
    run = failed(world)
    found = at_once(*[lambda: resolutions.resume_failed(run, ports=world.ports)] * 2)
    assert kinds(found) == ["Conflict", "Resolution"]
    world.settle()
    assert (row(run).status, called(world)) == ("completed", ["a", "b", "b"])


def test_of_a_resume_and_an_abandon_at_once_one_wins() -> None:
    world = World(b=answers(DOWN, {}))
    run = failed(world)
    decisions = (resolutions.resume_failed, resolutions.abandon)
    found = at_once(*[lambda decide=each: decide(run, ports=world.ports) for each in decisions])
    assert kinds(found) == ["Conflict", "Resolution"]
    world.settle()
    assert row(run).status in ("completed", "rolled_back")


def test_a_wish_to_cancel_right_after_a_resume_is_granted() -> None:
    world = World(b=DOWN)
    run = failed(world)
    resolutions.resume_failed(run, ports=world.ports)
    commands.cancel(run, ports=world.ports)
    world.settle()
    assert (row(run).status, called(world)) == ("cancelled", ["a", "b"])


def test_a_wish_to_cancel_after_an_abandon_does_not_stop_it() -> None:
    world = World(b=DOWN)
    run = failed(world)
    resolutions.abandon(run, ports=world.ports)
    commands.cancel(run, ports=world.ports)
    world.settle()
    assert (row(run).status, called(world)) == ("rolled_back", ["a", "b", "undo-a"])


# --- refusals --------------------------------------------------------------------------------------------------------


def test_there_is_a_document_for_failures_alone() -> None:
    run = settled(World(), call("a"))
    with pytest.raises(NotFound) as found:
        failure_document(run)
    assert found.value.code == "no_failure"


@pytest.mark.parametrize(
    ("said", "code", "kind"),
    [
        ({}, "reconcile_required", Conflict),
        ({"ack": "perhaps"}, "ack_invalid", InvalidInput),
        ({"ack": "not_applied", "result": 1}, "ack_invalid", InvalidInput),
        ({"result": {"id": "R1"}}, "ack_invalid", InvalidInput),
        ({"ack": "applied"}, "result_required", InvalidInput),
        ({"ack": "applied", "result": {"id": 1}}, "result_invalid", InvalidInput),
        ({"ack": "applied", "result": None}, "result_invalid", InvalidInput),
    ],
)
def test_an_unknown_outcome_is_settled_in_the_right_words(said, code, kind) -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    run = settled(world, call("pay"), manifests={"pay": {**WRITES, "output_schema": schema}})
    with pytest.raises(kind) as found:
        resolutions.resume_failed(run, **said, ports=world.ports)
    assert (found.value.code, row(run).status) == (code, "held")
    assert not Resolution.objects.exists()


def test_what_is_known_is_not_acknowledged() -> None:
    world = World(b=DOWN)
    run = failed(world)
    assert refused(lambda: resolutions.resume_failed(run, ack="applied", ports=world.ports)) == "ack_not_expected"


@pytest.mark.parametrize("decide", [resolutions.resume_failed, resolutions.abandon])
def test_a_run_that_goes_well_is_left_alone(decide) -> None:
    world = World()
    run = settled(world, call("a"), task("t"))
    assert refused(lambda: decide(run, ports=world.ports)) == "not_failed"
    assert refused(lambda: decide(run, failure=1, ports=world.ports)) == "not_failed"


def test_a_date_that_was_asked_for_is_told_as_one() -> None:
    """failure-contract.schema.json, ``retry_after``: an absolute moment stays one, however late the document is read."""
    busy = Failed("busy", status=429, retry_after="2030-01-07T12:05:00Z")
    world = World(a=busy)
    run = world.start(call("a", retry={"max_retries": 0}), on_failure="keep")
    world.settle()
    assert failure_document(run)["retryable"]["retry_after"] == "2030-01-07T12:05:00Z"
