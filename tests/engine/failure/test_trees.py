"""Failures and holds inside sub-flows and branches: told at the root, settled at the root."""

from uuid import UUID

import pytest

from engine import commands, resolutions
from engine.errors import Conflict
from engine.failure import failure_document
from engine.models import Compensation, InboxTask, Instance
from engine.outcomes import Failed, Succeeded, Unknown
from tests.engine.drawing import call, child_flow, group, loop, parallel, pause, task, undone
from tests.engine.world import World, called, row

pytestmark = pytest.mark.django_db(transaction=True)

ONCE = {"max_retries": 0}
WRITES = {"effect": "write", "retry": ONCE}
DOWN = Failed("down")


def resume(world: World, run: UUID, **said) -> None:
    decision = resolutions.resume_failed(run, **said, ports=world.ports)
    world.settle()
    resolutions.carried_out(decision)


def abandon(world: World, run: UUID) -> None:
    resolutions.abandon(run, ports=world.ports)
    world.settle()


def settled(world: World, *nodes, **more) -> UUID:
    run = world.start(*nodes, **more)
    world.settle()
    return run


def answers(*results):
    """One answer after the other, the last for ever."""
    left = list(results)
    return lambda each: left.pop(0) if len(left) > 1 else left[0]


def failed_step(run: UUID) -> str:
    return str(failure_document(run)["failed_step"]["name"])


# --- sub-flows -----------------------------------------------------------------------------------------------------


def kept_child(world: World, **child) -> UUID:
    world.version(undone("a"), call("b", retry=ONCE), call("c"), path="/flows/inner", **child)
    return settled(world, undone("first"), child_flow("inner"), call("last"), on_failure="keep")


def test_a_child_that_kept_its_effects_goes_on_at_its_own_failed_step() -> None:
    world = World(b=answers(DOWN, {}))
    run = kept_child(world, on_failure="keep")
    assert (row(run).status, failed_step(run)) == ("failed", "inner/b")
    resume(world, run)
    assert (row(run).status, called(world)) == ("completed", ["first", "a", "b", "b", "c", "last"])
    assert Instance.objects.filter(parent=run).count() == 1


def test_a_child_that_rolled_itself_back_is_started_anew() -> None:
    world = World(b=answers(DOWN, {}))
    run = kept_child(world)
    assert row(run).status == "failed"
    resume(world, run)
    assert (row(run).status, called(world)) == ("completed", ["first", "a", "b", "undo-a", "a", "b", "c", "last"])
    assert Instance.objects.filter(parent=run).count() == 2


def test_the_steps_of_a_failed_child_are_listed_behind_their_parent() -> None:
    run = kept_child(World(b=DOWN), on_failure="keep")
    document = failure_document(run)
    assert [each["name"] for each in document["completed_steps"]] == ["first", "inner/a"]
    assert [each["resource"] for each in document["unwind_on_abandon"]] == ["inner/a: A", "first: First"]


def test_an_abandon_undoes_the_child_in_its_place() -> None:
    world = World(b=DOWN)
    run = kept_child(world, on_failure="keep")
    abandon(world, run)
    assert (row(run).status, called(world)[3:]) == ("rolled_back", ["undo-a", "undo-first"])


def test_what_a_resumed_child_did_is_undone_once() -> None:
    world = World(b=answers(DOWN, {}), last=DOWN)
    world.version(undone("a"), call("b", retry=ONCE), path="/flows/inner", on_failure="keep")
    run = settled(world, child_flow("inner"), call("last", retry=ONCE), on_failure="keep")
    resume(world, run)
    assert failed_step(run) == "last"
    abandon(world, run)
    assert (row(run).status, called(world)) == ("rolled_back", ["a", "b", "b", "last", "undo-a"])


def test_a_child_two_levels_down_goes_on_there() -> None:
    world = World(b=answers(DOWN, DOWN, {}))
    world.version(call("a"), call("b", retry=ONCE), path="/flows/deep", on_failure="keep")
    world.version(call("m"), child_flow("deep"), path="/flows/inner", on_failure="keep")
    run = settled(world, child_flow("inner"), on_failure="keep")
    assert failed_step(run) == "inner/deep/b"
    resume(world, run)
    assert (row(run).status, failure_document(run)["failure"]) == ("failed", 2)
    resume(world, run)
    assert (row(run).status, called(world)) == ("completed", ["m", "a", "b", "b", "b"])


def test_a_child_run_is_not_resumed_by_itself() -> None:
    world = World(b=DOWN)
    child = Instance.objects.get(parent=kept_child(world, on_failure="keep"))
    with pytest.raises(Conflict, match="resumed as a whole") as refused:
        resolutions.resume_failed(child.pk, ports=world.ports)
    assert refused.value.code == "not_resumable"
    with pytest.raises(Conflict, match="give that one up"):
        resolutions.abandon(child.pk, ports=world.ports)


# --- branches ------------------------------------------------------------------------------------------------------


def test_the_branches_that_failed_go_on_and_the_good_ones_stay() -> None:
    world = World(b=answers(DOWN, {}), c=answers(DOWN, {}))
    fork = parallel("p", group("g", call("a"), call("b", retry=ONCE)), call("c", retry=ONCE), call("d"))
    run = settled(world, {**fork, "merge_strategy": "all_success"}, call("e"), on_failure="keep")
    assert (row(run).status, failed_step(run)) == ("failed", "b")
    resume(world, run)
    assert row(run).status == "completed"
    assert sorted(called(world)) == ["a", "b", "b", "c", "c", "d", "e"]


def test_a_branch_that_rolled_itself_back_begins_anew() -> None:
    world = World(b=answers(DOWN, {}))
    fork = parallel("p", group("g", undone("a"), call("b", retry=ONCE)), call("d"))
    run = settled(world, {**fork, "merge_strategy": "all_success"})
    assert row(run).status == "failed"
    resume(world, run)
    assert row(run).status == "completed"
    assert sorted(called(world)) == ["a", "a", "b", "b", "d", "undo-a"]


def test_a_fan_out_numbers_the_steps_of_its_branches() -> None:
    world = World(pay=lambda each: DOWN if each.arguments["n"] == 2 else {})
    fork = parallel("p", call("pay", arguments={"n": "${input.item}"}, retry=ONCE), fan_out={"over": "${input.all}"})
    run = settled(world, {**fork, "merge_strategy": "all_success"}, on_failure="keep", input={"all": [1, 2, 3]})
    document = failure_document(run)
    assert document["failed_step"]["name"] == "pay[1]"
    assert sorted(each["name"] for each in document["completed_steps"]) == ["pay[0]", "pay[2]"]


def test_a_failure_in_nested_loops_has_an_index_for_each() -> None:
    world = World(pay=answers({}, {}, {}, DOWN))
    inner = loop("inner", call("pay", retry=ONCE), times=3)
    run = settled(world, loop("outer", inner, times=2), on_failure="keep")
    assert failed_step(run) == "pay[1][0]"
    assert [each["name"] for each in failure_document(run)["completed_steps"]] == [
        *("pay[0][0]", "pay[0][1]", "pay[0][2]")
    ]


# --- holds ---------------------------------------------------------------------------------------------------------


def held_branch(world: World, *beside, **more) -> UUID:
    fork = parallel("p", group("g", call("a"), call("pay"), call("c")), *beside)
    return settled(world, fork, call("end"), manifests={"pay": WRITES}, **more)


def test_a_hold_in_a_branch_holds_the_root_and_is_settled_there() -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    run = held_branch(world, task("t"))
    document = failure_document(run)
    assert (row(run).status, document["failed_step"]["name"], document["failed_step"]["outcome"]) == (
        *("held", "pay"),
        "unknown",
    )
    resume(world, run, ack="applied", result={"ok": 1})
    assert (row(run).status, row(run).wait_kind) == ("waiting", "child")
    branch = InboxTask.objects.get().instance_id
    world.answer(branch)
    world.settle()
    assert (row(run).status, called(world)) == ("completed", ["a", "pay", "c", "end"])


def test_nothing_new_starts_in_a_tree_that_is_held() -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    run = held_branch(world, group("h", pause("nap"), call("late")))
    world.later(hours=2)
    assert (row(run).status, called(world)) == ("held", ["a", "pay"])
    resume(world, run, ack="applied")
    assert (row(run).status, sorted(called(world))) == ("completed", ["a", "c", "end", "late", "pay"])


def test_a_hold_in_a_sub_flow_is_settled_at_the_root() -> None:
    world = World(pay=answers(Unknown("gone", "connection_lost"), {"n": 1}))
    world.version(call("pay"), path="/flows/inner", manifests={"pay": {**WRITES, "retry": {"max_retries": 1}}})
    run = settled(world, child_flow("inner"), call("end"))
    assert (row(run).status, failed_step(run)) == ("held", "inner/pay")
    resume(world, run, ack="not_applied")
    world.later(hours=1)
    assert (row(run).status, called(world)) == ("completed", ["pay", "pay", "end"])


def test_two_holds_of_one_tree_are_settled_one_after_the_other() -> None:
    world = World(pay=Unknown("gone", "connection_lost"), buy=Unknown("gone", "timeout"))
    fork = parallel("p", call("pay"), call("buy"))
    run = settled(world, fork, manifests={"pay": WRITES, "buy": WRITES})
    if Instance.objects.filter(parent=run, status="held").count() < 2:
        resume(world, run, ack="applied")
        assert failure_document(run)["failure"] == 2
        resume(world, run, ack="applied")
    else:
        resume(world, run, ack="applied")
        assert (row(run).status, failure_document(run)["failure"]) == ("held", 2)
        resume(world, run, ack="applied")
    assert row(run).status == "completed"


def test_a_held_tree_is_given_up_as_a_whole() -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    fork = parallel("p", group("g", undone("a"), call("pay")), group("h", undone("b"), task("t")))
    run = settled(world, undone("first"), fork, manifests={"pay": WRITES})
    assert row(run).status == "held"
    abandon(world, run)
    assert (row(run).status, InboxTask.objects.get().status) == ("rolled_back", "cancelled")
    assert sorted(called(world)[-3:-1]) == ["undo-a", "undo-b"] and called(world)[-1] == "undo-first"
    assert set(Compensation.objects.filter(child=None).values_list("state", flat=True)) == {"done"}


def test_a_held_tree_is_cancelled_as_a_whole() -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    run = held_branch(world, task("t"))
    commands.cancel(run, ports=world.ports)
    world.settle()
    assert set(Instance.objects.values_list("status", flat=True)) == {"cancelled"}


def test_what_must_go_in_any_case_goes_in_the_children_too() -> None:
    world = World(pay=answers(Unknown("gone", "connection_lost"), Succeeded({})))
    fork = parallel("p", group("g", undone("lock", compensation_when="always"), call("pay")), task("t"))
    run = settled(world, fork, manifests={"pay": WRITES})
    assert [each["undo"] for each in failure_document(run)["unwind_always"]] == ["call /lib/undo-lock {}"]
    resume(world, run, ack="applied")
    assert called(world) == ["lock", "pay", "undo-lock"]


def test_a_part_of_a_held_tree_is_not_cancelled_alone() -> None:
    world = World(pay=Unknown("gone", "connection_lost"))
    run = held_branch(world, task("t"))
    child = Instance.objects.filter(parent=run).first()
    assert child is not None
    with pytest.raises(Conflict, match="which is held"):
        commands.cancel(child.pk, ports=world.ports)
