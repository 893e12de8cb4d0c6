"""Holds by ``then: hold``, in a run and in its branches: settled at the root, the window begins anew."""

import pytest

from engine.failure import failure_document
from engine.outcomes import Failed
from tests.engine.drawing import call, group, parallel, undone
from tests.engine.failure.test_trees import ONCE, abandon, answers, resume, settled
from tests.engine.world import World, called, row

pytestmark = pytest.mark.django_db(transaction=True)

DOWN = Failed("down")
HOLD = {"stop_after": {"failures": 0, "within": "1h"}, "then": "hold"}


def test_a_run_that_a_scope_holds_is_told_and_goes_on() -> None:
    world = World(b=answers(DOWN, {}))
    run = settled(world, group("g", call("a"), call("b", retry=ONCE), recovery=HOLD), call("c"))
    step = failure_document(run)["failed_step"]
    assert (row(run).status, step["name"], step["outcome"]) == ("held", "b", "failed")
    resume(world, run)
    assert (row(run).status, called(world)) == ("completed", ["a", "b", "b", "c"])


def test_a_branch_that_a_scope_around_it_holds_is_settled_at_the_root() -> None:
    world = World(b=answers(DOWN, DOWN, {}))
    fork = parallel("p", call("a"), call("b", retry=ONCE))
    run = settled(world, group("g", fork, recovery=HOLD), call("c"))
    assert (row(run).status, failure_document(run)["failed_step"]["name"]) == ("held", "b")
    resume(world, run)
    assert (row(run).status, failure_document(run)["failure"]) == ("held", 2)
    resume(world, run)
    assert (row(run).status, called(world).count("b"), called(world)[-1]) == ("completed", 3, "c")


def test_a_run_that_a_scope_holds_is_given_up() -> None:
    world = World(b=DOWN)
    run = settled(world, group("g", undone("a"), call("b", retry=ONCE), recovery=HOLD))
    abandon(world, run)
    assert (row(run).status, (row(run).error or {})["message"], called(world)) == (
        *("rolled_back", "down"),
        ["a", "b", "undo-a"],
    )
