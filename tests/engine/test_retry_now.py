"""A person does not want to wait for the next try: it is made at once, it is recorded who wanted it, and only once."""

import pytest

from engine import commands
from engine.errors import Conflict, NotFound
from engine.models import Attempt, Event, Wakeup, new_id
from engine.outcomes import Failed
from tests.engine.drawing import call, pause, undone
from tests.engine.world import ANA, World, row

pytestmark = pytest.mark.django_db(transaction=True)
PATIENT = {"max_retries": 3, "base_delay_ms": 3_600_000}


def fails_once(**then):
    left = [Failed("busy")]
    return lambda call: left.pop() if left else then


@pytest.fixture
def waiting():
    """A run that waits an hour for its next try."""
    world = World(charge=fails_once(paid=True))
    run = world.start(call("charge", retry=PATIENT))
    world.settle()
    return world, run


def test_the_next_try_is_made_at_once(waiting) -> None:
    world, run = waiting
    assert row(run).wait_kind == "retry"
    commands.retry_now(run, by=ANA, ports=world.ports)
    world.settle()
    assert (row(run).status, Attempt.objects.filter(instance=run).count()) == ("completed", 2)
    assert Event.objects.get(instance=run, type="flow_resumed").data["by"] == ANA


def test_a_second_wish_is_refused(waiting) -> None:
    world, run = waiting
    commands.retry_now(run, by=ANA, ports=world.ports)
    with pytest.raises(Conflict, match="does not wait for its next try"):
        commands.retry_now(run, by=ANA, ports=world.ports)
    world.settle()
    assert Attempt.objects.filter(instance=run).count() == 2


def test_the_time_that_comes_later_makes_no_further_try(waiting) -> None:
    world, run = waiting
    commands.retry_now(run, by=ANA, ports=world.ports)
    world.later(hours=2)
    assert Attempt.objects.filter(instance=run).count() == 2


def test_what_is_due_afterwards_keeps_its_own_time() -> None:
    world = World(charge=fails_once())
    run = world.start(call("charge", retry=PATIENT), pause("rest", duration="1h"))
    world.settle()
    commands.retry_now(run, by=ANA, ports=world.ports)
    world.settle()
    assert (Wakeup.objects.get(instance=run).due_at - world.clock.now()).total_seconds() == 3600


def test_an_undo_is_tried_again_at_once() -> None:
    world = World(ship=Failed("no"), undo_charge=fails_once())
    run = world.start(undone("charge"), call("ship", retry_strategy="none"))
    world.settle()
    assert row(run).wait_kind == "retry"
    commands.retry_now(run, by=ANA, ports=world.ports)
    world.settle()
    assert row(run).status == "rolled_back"
    assert Event.objects.get(instance=run, type="flow_resumed").data["by"] == ANA


def test_a_run_that_waits_for_something_else_is_left_alone() -> None:
    world = World()
    run = world.start(pause("rest", duration="1h"))
    world.settle()
    with pytest.raises(Conflict):
        commands.retry_now(run, by=ANA, ports=world.ports)
    assert row(run).status == "waiting"


def test_a_run_that_is_gone_is_not_found() -> None:
    with pytest.raises(NotFound):
        commands.retry_now(new_id(), by=ANA, ports=World().ports)
