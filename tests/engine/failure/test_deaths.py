"""A worker dies at each moment of a resume and of an abandon: the run comes to the same end, and nothing is skipped."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from engine import resolutions
from engine.failpoints import listen
from engine.failure import failure_document
from engine.models import Resolution
from engine.outcomes import Failed, Unknown
from engine.scenarios.cleaning import clean
from tests.engine.deaths import Killer, bury
from tests.engine.drawing import call, child_flow, undone
from tests.engine.failure.test_trees import WRITES, answers
from tests.engine.world import Died, World, called, row

pytestmark = pytest.mark.django_db(transaction=True)

MOST = 60
IDEMPOTENT = {
    "effect": "write",
    "idempotent": True,
    "retry": {"max_retries": 5, "base_delay_ms": 1000},
    "errors": {"fatal": ["down"]},
}
DOWN = Failed("down", "down")
MANIFESTS = {"pay": WRITES, "b": IDEMPOTENT, "undo-a": IDEMPOTENT, "undo-lock": IDEMPOTENT, "c": IDEMPOTENT}


@pytest.fixture(autouse=True)
def no_listener() -> Iterator[None]:
    yield
    listen(None)


def survived(world: World, decide: Callable[[], object], at: int) -> str | None:
    """Decide, with a worker that dies at the moment and another that takes over; answers the moment."""
    killer = Killer(at + 1)
    decide()
    listen(killer)
    try:
        world.settle()
    except Died:
        bury(world)
        world.settle()
    listen(None)
    for _ in range(3):
        world.later(hours=1)
    return killer.moment


def failed_run(world: World):
    nodes = [undone("lock", compensation_when="always"), undone("a"), call("b"), call("c")]
    run = world.start(*nodes, on_failure="keep", manifests=MANIFESTS)
    world.settle()
    world.functions.answers["b"] = {}
    return run


def held_run(world: World):
    nodes = [undone("lock", compensation_when="always"), undone("a"), call("pay"), call("c")]
    run = world.start(*nodes, manifests=MANIFESTS)
    world.settle()
    return run


def run_with_a_failed_child(world: World):
    inner = [undone("a"), call("b")]
    world.version(*inner, path="/flows/inner", on_failure="keep", manifests=MANIFESTS)
    nodes = [undone("lock", compensation_when="always"), child_flow("inner"), call("c")]
    run = world.start(*nodes, on_failure="keep", manifests=MANIFESTS)
    world.settle()
    world.functions.answers["b"] = {}
    return run


def times(world: World, name: str) -> int:
    return called(world).count(name)


def once_but_for(moment: str, count: int) -> bool:
    """Whether a call was made once; twice where the worker died after the call, before it was recorded."""
    return count == 1 or (moment in ("called", "decided", "posted") and count == 2)


@pytest.mark.parametrize("begin", [failed_run, run_with_a_failed_child])
def test_a_resume_survives_a_death_at_every_moment(begin) -> None:
    for at in range(MOST):
        clean()
        world = World(b=DOWN)
        run = begin(world)
        moment = survived(world, partial(resolutions.resume_failed, run, ports=world.ports), at)
        assert row(run).status == "completed", (at, moment, row(run).error)
        assert (times(world, "lock"), times(world, "a"), times(world, "undo-a")) == (1, 1, 0), (at, moment)
        assert once_but_for(moment or "", times(world, "undo-lock")), (at, moment)
        assert Resolution.objects.get(instance=run).state == "done"
        if moment is None:
            return
    raise AssertionError("The run has more moments than were tried.")


@pytest.mark.parametrize("ack", ["applied", "not_applied"])
def test_a_held_run_survives_a_death_at_every_moment(ack) -> None:
    for at in range(MOST):
        clean()
        world = World(pay=answers(Unknown("gone", "connection_lost"), {}))
        run = held_run(world)
        moment = survived(world, partial(resolutions.resume_failed, run, ack=ack, ports=world.ports), at)
        expected = "completed" if ack == "applied" else "rolled_back"
        assert row(run).status == expected, (at, moment, row(run).error)
        assert once_but_for(moment or "", times(world, "undo-lock")), (at, moment)
        assert (times(world, "pay"), times(world, "lock"), times(world, "a")) == (1, 1, 1), (at, moment)
        if moment is None:
            return
    raise AssertionError("The run has more moments than were tried.")


@pytest.mark.parametrize("begin", [failed_run, held_run, run_with_a_failed_child])
def test_an_abandon_survives_a_death_at_every_moment(begin) -> None:
    for at in range(MOST):
        clean()
        world = World(b=DOWN, pay=Unknown("gone", "connection_lost"))
        run = begin(world)
        moment = survived(world, partial(resolutions.abandon, run, ports=world.ports), at)
        assert row(run).status == "rolled_back", (at, moment)
        assert once_but_for(moment or "", times(world, "undo-lock") + times(world, "undo-a") - 1), (at, moment)
        document = failure_document(run)
        assert [each["step"] for each in document["compensation"]["confirmed"]][-1] == "lock"
        assert (document["unwind_always"], document["compensation"]["unconfirmed"]) == ([], [])
        if moment is None:
            return
    raise AssertionError("The run has more moments than were tried.")


def test_a_resume_that_is_refused_survives_a_death_at_every_moment() -> None:
    for at in range(MOST):
        clean()
        world = World(b=DOWN, undo_lock=DOWN)
        run = failed_run(world)
        moment = survived(world, partial(resolutions.resume_failed, run, ports=world.ports), at)
        decision = Resolution.objects.get(instance=run)
        assert (row(run).status, decision.state) == ("failed", "refused"), (at, moment)
        assert failure_document(run)["failure"] == 1
        assert times(world, "b") == 1
        if moment is None:
            return
    raise AssertionError("The run has more moments than were tried.")
