"""What a branch tells and what it is told, when it comes late: to a run that is held, is being rolled back, or is over."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from engine import commands
from engine.models import Compensation, Instance, Visit
from engine.outcomes import Failed, Pending
from engine.transitions import lock_run, post
from tests.engine.drawing import Node, call, group, parallel, undone
from tests.engine.world import World

pytestmark = pytest.mark.django_db(transaction=True)
ERROR = {"error_type": "step_error", "message": "late", "step_id": "c"}
HOLDS = {"redo": "this_step", "stop_after": {"failures": 0, "within": "1h"}, "then": "hold"}
ONCE = {"retry": {"max_retries": 0}}


def branches(**scope) -> Node:
    return group("g", parallel("p", group("one", undone("a"), call("c", **ONCE)), call("b", **ONCE)), **scope)


def ran(world: World, **scope) -> UUID:
    run = world.start(branches(**scope), undone("d"), call("e", **ONCE))
    world.settle()
    return run


def completed() -> tuple[World, UUID]:
    world = World()
    return world, ran(world)


def held() -> tuple[World, UUID]:
    world = World(c=Failed("no"))
    return world, ran(world, recovery=HOLDS)


def unwinding() -> tuple[World, UUID]:
    """The rollback rests on a compensation that is out."""
    world = World(e=Failed("no"), undo_d=Pending())
    return world, ran(world)


def rolled_back() -> tuple[World, UUID]:
    world = World(e=Failed("no"))
    return world, ran(world)


def cancelled() -> tuple[World, UUID]:
    world = World(c=Pending())
    run = ran(world)
    commands.cancel(run, ports=world.ports)
    world.settle()
    return world, run


def state(run: UUID) -> tuple[Any, ...]:
    family = Instance.objects.filter(root=run) | Instance.objects.filter(pk=run)
    rows = list(family.order_by("pk").values_list("status", "phase", "wait_kind", "node_id", "event_count"))
    visits = list(
        Visit.objects.filter(instance__in=family).order_by("instance", "seq").values_list("node_id", "outcome")
    )
    return rows, visits, list(Compensation.objects.order_by("pk").values_list("state", "attempts"))


@pytest.mark.parametrize("begin", [completed, held, unwinding, rolled_back, cancelled])
def test_news_that_comes_late_changes_nothing(begin: Callable[[], tuple[World, UUID]]) -> None:
    """Told twice, for every visit of every branch: so one of them is the very news that was told when it was new."""
    world, run = begin()
    before = state(run)
    parallel_visit = Visit.objects.get(instance=run, node_id="p")
    for visit in Visit.objects.filter(instance__parent=run).order_by("-instance", "seq"):
        place = {"node": 0, "at": visit.seq, "error": ERROR}
        told = {**place, "seq": parallel_visit.seq, "made_by": 1, "child": str(visit.instance_id), "must": True}
        for _ in range(2):
            say(run, "branch_failed", told, world)
            say(visit.instance_id, "ruled", {**place, "decision": "fail", "scope": "g", "round": 1}, world)
    world.settle()
    assert state(run) == before


def say(run: UUID, kind: str, payload: dict[str, Any], world: World) -> None:
    with transaction.atomic():
        lock_run(run)
        post(run, kind, payload, world.ports)
