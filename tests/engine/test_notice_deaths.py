"""A worker dies at each moment around a decision and its notice: whoever is to be told is told once, and never twice."""

from collections.abc import Callable

import pytest
from django.core import mail

from engine import notices
from engine.models import Event, Notice
from engine.outcomes import Failed
from engine.scenarios.cleaning import clean
from flows.models import NotificationTarget
from tests.engine.deaths import Killer, live_on
from tests.engine.drawing import Node, call, group, parallel
from tests.engine.world import World, row

pytestmark = pytest.mark.django_db(transaction=True)
ONCE = {"retry": {"max_retries": 0}}


def recovers(then: str, target: str, failures: int = 0) -> dict[str, object]:
    return {"stop_after": {"failures": failures, "within": "1h"}, "then": then, "notify": target}


def held() -> Node:
    return group("g", call("c", **ONCE), recovery=recovers("hold", "outer", failures=1))


def escalated() -> Node:
    inner = group("i", call("c", **ONCE), recovery=recovers("escalate", "inner"))
    return group("g", inner, recovery=recovers("fail", "outer"))


def out_of_a_branch() -> Node:
    branch = group("i", call("c", **ONCE), recovery=recovers("escalate", "inner"))
    return group("g", parallel("p", branch, call("b", retry={"max_retries": 3})), recovery=recovers("hold", "outer"))


def played(node: Node, at: int) -> tuple[str, Killer]:
    """How the run of ``node``, whose step ``c`` always fails, came to stand through the death at that moment."""
    clean()
    mail.outbox.clear()
    world, killer = World(c=Failed("no")), Killer(at)
    run = world.start(node, call("end"))
    live_on(world, killer, rounds=12, between=lambda: notices.sweep(world.ports))
    return row(run).status, killer


def told() -> list[str]:
    """Each target that was sent a mail, in the order of names."""
    return sorted(sent.to[0].split("@")[0] for sent in mail.outbox)


@pytest.mark.parametrize(
    ("flow", "status", "targets"),
    [
        (held, "held", ["outer"]),
        (escalated, "failed", ["inner", "outer"]),
        (out_of_a_branch, "held", ["inner", "outer"]),
    ],
)
def test_a_death_at_any_moment_leaves_nobody_told_twice(
    flow: Callable[[], Node], status: str, targets: list[str]
) -> None:
    for name in ("inner", "outer"):
        NotificationTarget.objects.create(name=name, addresses=f"{name}@example.org")
    _, unharmed = played(flow(), at=0)
    assert told() == targets
    died: set[str | None] = set()
    for at in range(1, unharmed.seen + 1):
        found, killer = played(flow(), at)
        died.add(killer.moment)
        assert found == status, killer.moment
        assert sorted(Notice.objects.values_list("target", flat=True)) == targets, killer.moment
        assert_told(targets, killer.moment)
    assert {"claimed", "decided", "committed", "telling", "told"} <= died


def assert_told(targets: list[str], moment: str | None) -> None:
    """Everybody was; one may be missing where the worker died while it sent, and then the record says that nobody knows."""
    states = sorted(Notice.objects.values_list("state", flat=True))
    if moment in ("telling", "told"):
        assert states == [*["sent"] * (len(targets) - 1), "unknown"], moment
        assert len(told()) == len(targets) - (moment == "telling"), moment
        assert [each.data["unknown"] for each in Event.objects.filter(type="notify_failed")] == [True], moment
    else:
        assert (told(), states) == (targets, ["sent"] * len(targets)), moment
