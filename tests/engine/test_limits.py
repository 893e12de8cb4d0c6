"""Loops and parallels whose time is over, on the database: what is inside ends, and what it did stays registered."""

from datetime import timedelta

import pytest

from engine import commands, resolutions
from engine.models import Compensation, InboxTask, Instance, Visit, Wakeup
from engine.outcomes import Failed, Pending, Unknown
from tests.engine.drawing import call, event, group, loop, parallel, pause, task, undone
from tests.engine.world import World, called, row

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = {"timeout_ms": 60_000}


def start(world, *nodes, **more):
    run = world.start(*nodes, **more)
    world.settle()
    return run


def outcomes(run):
    return {visit.node_id: visit.outcome for visit in Visit.objects.filter(instance=run).order_by("seq")}


def open_rows(run):
    family = [run, *Instance.objects.filter(root=run).values_list("pk", flat=True)]
    return Wakeup.objects.filter(instance__in=family).count(), InboxTask.objects.filter(status="pending").count()


def limited(*children, **keys):
    """A loop of one minute; an ``error_edge`` and the like stand on the node."""
    return {**loop("l", *children, times=3), **MINUTE, **keys}


# --- loops -----------------------------------------------------------------------------------------------------------


def test_a_loop_that_ends_in_time_leaves_no_alarm() -> None:
    run = start(World(), limited(call("a")), call("b"))
    assert (row(run).status, open_rows(run)) == ("completed", (0, 0))


@pytest.mark.parametrize("inside", [pause("w", "1h"), event("w"), task("w"), group("g", task("w", "/groups/all"))])
def test_a_loop_that_waits_too_long_fails_with_a_time_out(inside) -> None:
    world = World()
    run = start(world, limited(call("a"), inside), call("b"))
    world.later(minutes=1)
    ended = row(run)
    assert (ended.status, ended.error["error_type"], ended.error["step_id"]) == ("failed", "timeout", "l")
    assert (outcomes(run)["l"], outcomes(run)["w"], called(world)) == ("failed", "failed", ["a"])
    assert open_rows(run) == (0, 0)


def test_its_timeout_edge_says_where_to_go() -> None:
    world = World()
    run = start(world, limited(pause("w"), timeout_edge="c"), call("b"), call("c"))
    world.later(minutes=1)
    assert (row(run).status, called(world), open_rows(run)) == ("completed", ["c"], (0, 0))


def test_what_can_be_passed_over_is() -> None:
    world = World()
    run = start(world, limited(pause("w"), optional=True), call("b"))
    world.later(minutes=1)
    assert (row(run).status, called(world)) == ("completed", ["b"])


def test_a_time_out_is_not_tried_again() -> None:
    world = World()
    run = start(world, limited(pause("w"), retry={"max_retries": 2}))
    world.later(minutes=1)
    assert row(run).status == "failed"


def test_each_attempt_has_the_whole_time() -> None:
    world = World(a=Failed("no"))
    failing = call("a", retry_strategy="none")
    run = start(world, limited(pause("w", "40s"), failing, retry={"max_retries": 1, "base_delay_ms": 30_000}))
    world.later(seconds=40)
    assert row(run).wait_kind == "retry"
    world.later(seconds=30)
    world.later(seconds=30)
    assert row(run).wait_kind == "timer"
    world.later(seconds=10)
    assert (row(run).status, row(run).error["message"], open_rows(run)) == ("failed", "no", (0, 0))


def test_a_call_that_is_out_is_awaited_and_recorded() -> None:
    world = World(a=Pending())
    slow = call("a", compensation_ref="/lib/undo-a", timeout_ms=120_000)
    run = start(world, limited(slow))
    world.later(minutes=1)
    assert row(run).wait_kind == "function"
    world.deliver(run, {"n": 1})
    assert (row(run).status, outcomes(run), called(world)) == (
        "rolled_back",
        {"l": "failed", "a": "succeeded"},
        ["a", "undo-a"],
    )


def test_a_call_that_was_out_and_failed_does_not_decide() -> None:
    world = World(a=Pending())
    slow = call("a", timeout_ms=120_000, retry_strategy="none")
    run = start(world, limited(slow, timeout_edge="c"), call("b"), call("c"))
    world.later(minutes=1)
    world.deliver(run, Failed("no"))
    assert (row(run).status, called(world), row(run).error) == ("completed", ["a", "c"], None)


def test_the_child_runs_inside_are_cancelled_first() -> None:
    world = World()
    run = start(world, limited(parallel("p", pause("w"), undone("a"))))
    world.later(minutes=1)
    assert row(run).status == "rolled_back"
    assert set(Instance.objects.filter(parent=run).values_list("status", flat=True)) == {"cancelled", "completed"}
    assert open_rows(run) == (0, 0)


def test_an_inner_loop_goes_with_the_outer_one() -> None:
    world = World()
    run = start(
        world, {**loop("o", limited(pause("w", "30s")), times=3), "timeout_ms": 45_000, "timeout_edge": "b"}, call("b")
    )
    world.later(seconds=30)
    world.later(seconds=15)
    assert (row(run).status, outcomes(run)["l"], outcomes(run)["o"], called(world)) == (
        "completed",
        "failed",
        "failed",
        ["b"],
    )
    assert open_rows(run) == (0, 0)


def test_a_cancelled_run_forgets_its_limits() -> None:
    world = World()
    run = start(world, limited(pause("w")))
    commands.cancel(run, ports=world.ports)
    assert (row(run).status, open_rows(run)) == ("cancelled", (0, 0))


# --- parallels -------------------------------------------------------------------------------------------------------


def test_a_parallel_that_ends_in_time_leaves_no_alarm() -> None:
    run = start(World(), parallel("p", call("a"), call("b"), **MINUTE), call("c"))
    assert (row(run).status, open_rows(run)) == ("completed", (0, 0))


@pytest.mark.parametrize("merge", ["merge_all", "all_success", "first_success"])
def test_a_parallel_that_takes_too_long_fails_with_a_time_out(merge) -> None:
    world = World()
    run = start(world, parallel("p", undone("a"), pause("w"), task("t"), merge_strategy=merge, **MINUTE), call("c"))
    assert row(run).wait_due is not None
    world.later(minutes=1)
    ended = row(run)
    assert (ended.status, ended.error["error_type"], ended.error["step_id"]) == ("rolled_back", "timeout", "p")
    assert called(world) == ["a", "undo-a"]
    assert open_rows(run) == (0, 0)


def test_a_parallels_timeout_edge_says_where_to_go_and_effects_are_kept() -> None:
    world = World(d=Failed("no"))
    late = parallel("p", undone("a"), pause("w"), timeout_edge="d", **MINUTE)
    run = start(world, late, call("c"), call("d", retry_strategy="none"))
    world.later(minutes=1)
    assert (row(run).status, called(world)) == ("rolled_back", ["a", "d", "undo-a"])
    assert Compensation.objects.filter(instance=run, child__isnull=False).count() == 1


def test_branches_that_fail_just_then_change_nothing() -> None:
    world = World(a=Pending())
    slow = call("a", must_succeed=True, timeout_ms=120_000)
    run = start(world, parallel("p", slow, pause("w"), timeout_edge="c", **MINUTE), call("b"), call("c"))
    world.later(minutes=1)
    assert row(run).status == "waiting"
    branch = Instance.objects.get(parent=run, wait_kind="function")
    world.deliver(branch.pk, Failed("no"))
    assert (row(run).status, called(world)) == ("completed", ["a", "c"])


def test_a_worker_that_dies_when_the_time_is_over_changes_nothing() -> None:
    world = World()
    run = start(world, limited(parallel("p", pause("w"), **MINUTE), timeout_edge="c"), call("b"), call("c"))
    world.clock.moment += timedelta(minutes=1)
    world.bury()
    world.settle()
    assert (row(run).status, called(world), open_rows(run)) == ("completed", ["c"], (0, 0))


# --- held and failed runs --------------------------------------------------------------------------------------------

PAY = call("pay", **{"retry": {"max_retries": 0}})
GONE = Unknown("gone", "connection_lost")
UNSAFE = {"pay": {"effect": "write"}}


def test_a_held_run_stays_held_when_the_time_of_a_container_is_over_and_minds_it_when_it_goes_on() -> None:
    world = World(pay=GONE)
    run = start(world, limited(PAY, timeout_edge="c"), call("b"), call("c"), manifests=UNSAFE)
    world.later(hours=1)
    assert (row(run).status, called(world)) == ("held", ["pay"])
    resolutions.resume_failed(run, ack="applied", ports=world.ports)
    world.settle()
    assert (row(run).status, outcomes(run)["pay"], outcomes(run)["l"]) == ("completed", "succeeded", "failed")
    assert (called(world), open_rows(run)) == (["pay", "c"], (0, 0))


def test_a_run_that_failed_inside_has_no_alarm_left_and_the_whole_time_when_it_goes_on() -> None:
    world = World(pay=Failed("down"))
    run = start(world, limited(PAY, pause("w", "30s")), call("b"), on_failure="keep")
    assert (row(run).status, open_rows(run)) == ("failed", (0, 0))
    world.later(hours=1)
    world.functions.answers["pay"] = {}
    resolutions.resume_failed(run, ports=world.ports)
    world.settle()
    assert row(run).status == "waiting"
    world.later(seconds=59)
    assert row(run).status == "waiting"
    world.later(seconds=1)
    assert (row(run).error["error_type"], open_rows(run)) == ("timeout", (0, 0))


def test_a_parallel_that_goes_on_after_a_resume_has_the_whole_time_again() -> None:
    world = World(pay=Failed("down"))
    keys = {**MINUTE, "merge_strategy": "all_success", "timeout_edge": "c"}
    both = parallel("p", group("one", PAY, pause("x")), pause("w", "30s"), **keys)
    run = start(world, group("g", both), call("b"), call("c"), on_failure="keep")
    world.later(seconds=30)
    world.later(hours=1)
    assert (row(run).status, open_rows(run)) == ("failed", (0, 0))
    world.functions.answers["pay"] = {}
    resolutions.resume_failed(run, ports=world.ports)
    world.settle()
    world.later(seconds=59)
    assert row(run).status == "waiting"
    world.later(seconds=1)
    assert (row(run).status, called(world)[-1], open_rows(run)) == ("completed", "c", (0, 0))
