"""Two at once: of those who want to move a run exactly one does, and nobody waits in a circle."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from engine import commands, driver, inbox, recovery, wakeups
from engine.errors import Conflict
from engine.failpoints import listen
from engine.models import Attempt, Event, InboxTask, Instance, Signal, Visit, Wakeup
from engine.outcomes import Succeeded
from engine.states import Status
from engine.transitions import post
from tests.engine.drawing import call, event, parallel, pause, task
from tests.engine.world import World, called, row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_listener():
    yield
    listen(None)


def at_once(*actions):
    """Carry the actions out in threads that begin together; answers what each gave or raised."""
    together = Barrier(len(actions))

    def carry_out(action):
        try:
            together.wait(timeout=10)
            return action()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(carry_out, actions))


def kinds(results):
    return sorted(type(each).__name__ for each in results)


def test_a_driver_that_lost_its_lease_writes_nothing() -> None:
    world = World()
    run = world.start(call("a"), call("b"))

    def lose(each):
        Instance.objects.filter(pk=run).update(lease_token=None)
        return {"n": 1}

    world.functions.answers["a"] = lose
    driver.drive(run, world.ports)
    assert (row(run).step_no, called(world)) == (1, ["a"])
    assert Attempt.objects.get().result == ""
    assert Visit.objects.get().outcome == ""


def test_a_second_driver_that_took_over_is_not_disturbed_by_the_first() -> None:
    world = World()
    run = world.start(call("a", retry={"max_retries": 1, "base_delay_ms": 1}), call("b"))

    def stall(each):
        world.functions.answers["a"] = {"by": "second"}
        recovery.worker_died("node:1", world.ports)
        driver.drive(run, world.worker("node:2"))
        world.later(seconds=1)
        return {"by": "first"}

    world.functions.answers["a"] = stall
    driver.drive(run, world.ports)
    assert (row(run).status, row(run).output) == ("completed", {"by": "second"})
    assert [each.result for each in Attempt.objects.order_by("visit_seq", "number")] == [
        *("failed", "succeeded"),
        "succeeded",
    ]


def test_a_signal_between_the_decision_and_the_rest_is_not_slept_through() -> None:
    world = World()
    run = world.start(call("a"), event("e"), call("b"))
    told = []

    def tell(moment):
        place = row(run).position.get("leaf")
        if moment == "decided" and not told and called(world) == ["a"]:
            told.append(place)
            _wish_to_cancel(run, world)

    listen(tell)
    driver.drive(run, world.ports)
    assert (told != [], row(run).status, Signal.objects.count()) == (True, "cancelled", 0)


def _wish_to_cancel(run, world):
    with transaction.atomic():
        post(run, "cancel", {"by": "", "roll_back": False}, world.ports)


def test_of_two_answers_at_once_one_counts() -> None:
    world = World()
    run = world.start(task("t"), call("b"))
    world.settle()
    found = at_once(lambda: world.answer(run, ok=1), lambda: world.answer(run, ok=2))
    assert kinds(found) == ["Conflict", "InboxTask"]
    world.settle()
    assert (row(run).status, Event.objects.filter(type="answer_ignored").count()) == ("completed", 1)


def test_of_an_answer_and_its_deadline_at_once_one_counts() -> None:
    world = World()
    run = world.start(task("t", due_in_seconds=60, timeout_edge="late"), call("in-time"), call("late"))
    world.settle()
    world.clock.moment = row(run).wait_due
    at_once(lambda: world.answer(run, ok=1), lambda: wakeups.fire_due(world.ports))
    world.settle()
    assert (row(run).status, Wakeup.objects.count()) == ("completed", 0)
    answered = InboxTask.objects.get().status == "completed"
    assert called(world) == (["in-time", "late"] if answered else ["late"])
    assert Event.objects.filter(type="answer_ignored").exists() != answered


@pytest.mark.parametrize("again", range(2))
def test_of_an_answer_and_a_wish_to_cancel_both_are_told_the_truth(again) -> None:
    world = World()
    run = world.start(task("t"), call("b"))
    world.settle()
    at_once(lambda: world.answer(run, ok=1), lambda: commands.cancel(run, ports=world.ports))
    world.settle()
    assert (row(run).status, called(world)) == (Status.CANCELLED, [])
    assert InboxTask.objects.get(instance=run).status in ("completed", "cancelled")


@pytest.mark.parametrize("again", range(3))
def test_cancelling_a_parent_while_its_children_end_is_no_circle(again) -> None:
    world = World()
    run = world.start(parallel("p", pause("x"), pause("y"), pause("z")), call("after"))
    world.settle()
    children = list(Instance.objects.filter(parent=run).values_list("pk", flat=True))
    world.clock.moment = Wakeup.objects.order_by("-due_at").first().due_at
    wakeups.fire_due(world.ports)
    drives = [lambda child=child: driver.drive(child, world.worker(f"node:{child}")) for child in children]
    found = at_once(lambda: commands.cancel(run, ports=world.ports), *drives)
    assert [each for each in found if isinstance(each, Exception) and not isinstance(each, Conflict)] == []
    recovery.sweep(world.ports)
    world.settle()
    assert row(run).status in (Status.CANCELLED, Status.COMPLETED)


def test_two_starts_with_one_key_at_once_are_one_run() -> None:
    world = World()
    version = world.version(call("a"))

    def begin():
        return commands.start(version.flow_id, version.pk, input={}, key="k", ports=world.ports).pk

    found = at_once(begin, begin)
    assert len(set(found)) == 1 == Instance.objects.count()


def test_a_key_answers_the_same_run_for_a_day_even_across_versions() -> None:
    world = World()
    version = world.version(call("a"))

    def start(version, value):
        return commands.start(version.flow_id, version.pk, input=value, key="k", ports=world.ports).pk

    first = start(version, {"n": 1})
    newer = type(version).objects.create(
        flow=version.flow, number=version.number + 1, definition={}, graph=version.graph, content_hash="x", source=""
    )
    assert start(newer, {"n": 1}) == first
    with pytest.raises(Conflict):
        start(newer, {"n": 2})
    world.clock.moment = world.clock.moment.replace(day=9)
    assert start(newer, {"n": 2}) != first


def test_answering_after_a_wish_to_cancel_is_refused() -> None:
    world = World()
    run = world.start(event("e"))
    world.settle()
    _wish_to_cancel(run, world)
    with pytest.raises(Conflict):
        commands.resume(run, data={}, ports=world.ports)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite writes a step in several statements")
def test_a_step_of_a_long_run_is_one_statement_and_reads_nothing() -> None:
    world = World()
    run = world.start(*(call(f"a{number}") for number in range(20)))
    counts = []
    world.functions.answers = {
        f"a{n}": lambda each: counts.append(len(connection.queries_log)) or {} for n in range(20)
    }
    with CaptureQueriesContext(connection) as captured:
        driver.drive(run, world.ports)
    assert row(run).status == "completed"
    assert len(set(counts[1:])) == 1, [each["sql"][:80] for each in captured.captured_queries]


def test_deleting_a_run_deletes_every_row_of_it_and_its_children() -> None:
    world = World()
    run = world.start(parallel("p", task("t"), call("a"), call("b")), call("c"))
    world.settle()
    child = Instance.objects.get(parent=run, node_id="t").pk
    world.answer(child, ok=1)
    world.settle()
    assert row(run).status == "completed"
    commands.delete(run)
    assert not Instance.objects.exists()
    left = {model.__name__: model._default_manager.count() for model in commands.KEPT_BY_RUN}
    assert set(left.values()) == {0}, left
    commands.deliver_result(run, visit_seq=1, attempt=1, result=Succeeded(1), ports=world.ports)
    assert Signal.objects.count() == 0


def test_inbox_answers_have_the_limits_of_outputs() -> None:
    world = World()
    run = world.start(task("t"))
    world.settle()
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    for response in ({"a": deep}, {"a": float("nan")}, {"a": "x" * 1_100_000}, {"a": "\ud800"}):
        with pytest.raises(inbox.InvalidInput):
            world.answer(run, **response)
    assert InboxTask.objects.get().status == "pending"
