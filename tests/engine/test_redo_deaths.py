"""A worker dies at each moment of a redo, alone and across branches: the same end, and nothing is undone twice."""

from collections import Counter
from uuid import UUID

import pytest

from engine.models import Instance, Undo, Visit
from engine.outcomes import Failed
from engine.scenarios.cleaning import clean
from tests.engine.deaths import Killer, live_on
from tests.engine.drawing import Node, call, group, parallel
from tests.engine.world import World, row

pytestmark = pytest.mark.django_db(transaction=True)

RETRY = {"retry": {"max_retries": 3, "base_delay_ms": 1}}
WHOLE = {"redo": "whole_group"}


def undoable(name: str) -> Node:
    return call(name, undo={"function_ref": f"/lib/un-{name}", "arguments": {}}, **RETRY)


def alone() -> Node:
    return group("g", undoable("a"), undoable("b"), call("c", retry={"max_retries": 0}), recovery=WHOLE)


def in_a_branch() -> Node:
    branch = group("one", undoable("a"), call("c", retry={"max_retries": 0}))
    return group("g", parallel("p", branch, undoable("b")), recovery={"redo": "this_step"})


def across_branches() -> Node:
    branch = group("one", undoable("a"), call("c", retry={"max_retries": 0}))
    return group("g", undoable("b"), parallel("p", branch), recovery=WHOLE)


def played(node: Node, at: int) -> tuple[UUID, World, int]:
    """The run of ``node``, whose step ``c`` fails once, through the death at that moment."""
    failed = iter([Failed("not yet")])
    world = World(c=lambda _: next(failed, {}))
    clean()
    run, killer = world.start(node, call("end", **RETRY)), Killer(at)
    live_on(world, killer, rounds=20)
    return run, world, killer.seen


@pytest.mark.parametrize("flow", [alone, in_a_branch, across_branches])
def test_a_death_at_any_moment_of_a_redo_leads_to_the_same_end(flow) -> None:
    run, _, moments = played(flow(), at=0)
    assert row(run).status == "completed" and Visit.objects.filter(replaced=1).exists()
    for at in range(1, moments + 1):
        run, _, _ = played(flow(), at)
        assert row(run).status == "completed", at
        assert_undone_once(run, at)


def assert_undone_once(run: UUID, at: int) -> None:
    """Each replaced visit that had an effect was undone, and no other visit was, and none twice."""
    family = [run, *Instance.objects.filter(root=run).values_list("id", flat=True)]
    replaced = Visit.objects.filter(
        instance__in=family, replaced__isnull=False, outcome="succeeded", node_id__in=["a", "b"]
    )
    undone = Undo.objects.filter(instance__in=family)
    assert set(undone.values_list("state", flat=True)) <= {"done"}, at
    assert Counter(undone.values_list("owner", "visit_seq")) == Counter(replaced.values_list("instance", "seq")), at
