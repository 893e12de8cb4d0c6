"""A worker dies at each moment of a reconcile: the same end, and one effect (design/recovery.md, "Unknown outcomes")."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from engine import resolutions
from engine.models import Compensation, Undo, Visit
from engine.outcomes import Failed, Result, Succeeded, Unknown
from engine.ports import Call
from engine.scenarios.cleaning import clean
from tests.engine.deaths import Killer, live_on
from tests.engine.drawing import Node, call, group
from tests.engine.world import World, row

pytestmark = pytest.mark.django_db(transaction=True)

RETRY = {"retry": {"max_retries": 5, "base_delay_ms": 1}}
LOST = Unknown("The connection was lost.", "connection_lost")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
SAFE = {"effect": "write", "idempotent": True}
MANIFESTS = {
    "book": {"effect": "write", "output_schema": SCHEMA},
    "look": {"effect": "read"},
    **dict.fromkeys(("un-book", "undo-book", "end"), SAFE),
}
LOOK = call("look", retry={"max_retries": 1, "base_delay_ms": 1})
BOOK = call(
    "book",
    on_unknown="reconcile",
    reconcile={"steps": [LOOK], "outcome": "steps.look.n != null", "result": {"n": "${steps.look.n}"}},
    undo={"function_ref": "/lib/un-book", "arguments": {}},
    compensation_ref="/lib/undo-book",
    **RETRY,
)
END = call("end", arguments={"n": "${steps.book.n}"}, **RETRY)
BREAKS = call("break", retry={"max_retries": 0})


class Bookings:
    """A shop that books and then loses the connection, or loses it before: ``kept`` are the bookings it really has."""

    def __init__(self, *, acts: bool, can_look: bool = True) -> None:
        self.acts, self.can_look = acts, can_look
        self.kept: list[int] = []
        self.made = 0
        self.losses = 1

    def book(self, _: Call) -> Result:
        is_lost, self.losses = self.losses > 0, self.losses - 1
        if self.acts or not is_lost:
            self.made += 1
            self.kept.append(self.made)
        return LOST if is_lost else Succeeded({"n": self.made})

    def look(self, _: Call) -> Result:
        if not self.can_look:
            return Failed("No entry.", "forbidden", 403)
        return Succeeded({"n": self.kept[-1] if self.kept else None})

    def cancel(self, _: Call) -> Result:
        self.kept = self.kept[:-1]
        return Succeeded({})


def alone() -> list[Node]:
    return [BOOK, END]


def redone() -> list[Node]:
    return [group("g", BOOK, BREAKS, recovery={"redo": "whole_group"}), END]


def rolled_back() -> list[Node]:
    return [BOOK, END, BREAKS]


def played(nodes: list[Node], at: int, *, breaks: int = 0, **shop: bool) -> tuple[UUID, Bookings, int]:
    """The run through the death at that moment; a hold is settled by somebody who looks at what the shop has."""
    bookings = Bookings(**shop)
    failures = iter([Failed("not yet")] * breaks)
    world = World(
        book=bookings.book,
        look=bookings.look,
        un_book=bookings.cancel,
        undo_book=bookings.cancel,
        **{"break": lambda _: next(failures, {})},
    )
    clean()
    run, killer = world.start(*nodes, manifests=MANIFESTS), Killer(at)
    live_on(world, killer, rounds=12, between=lambda: settle_hold(world, run, bookings))
    return run, bookings, killer.seen


def settle_hold(world: World, run: UUID, bookings: Bookings) -> None:
    if row(run).status == "held":
        told: dict[str, Any] = (
            {"ack": "applied", "result": {"n": bookings.made}} if bookings.kept else {"ack": "not_applied"}
        )
        resolutions.resume_failed(run, **told, ports=world.ports)


def story(run: UUID) -> list[tuple[str, str]]:
    """Each step whose visit stands, and how it ended."""
    visits = Visit.objects.filter(instance=run, replaced=None).exclude(node_id__contains="@").order_by("seq")
    return [(each.node_id, each.outcome) for each in visits]


@pytest.mark.parametrize("can_look", [True, False], ids=["it finds out", "it cannot tell, somebody does"])
@pytest.mark.parametrize("acts", [True, False], ids=["it took effect", "it did not"])
@pytest.mark.parametrize("flow", [alone, redone, rolled_back])
def test_a_death_at_any_moment_leads_to_the_same_end_and_no_booking_too_many(
    flow: Callable[[], list[Node]], acts: bool, can_look: bool
) -> None:
    shop: dict[str, Any] = {"acts": acts, "can_look": can_look, "breaks": 0 if flow is alone else 1}
    straight, _, moments = played(flow(), 0, **shop)
    expected = "rolled_back" if flow is rolled_back else "completed"
    assert row(straight).status == expected, row(straight).error
    told = story(straight)
    assert moments > 10
    for at in range(1, moments + 1):
        run, bookings, _ = played(flow(), at, **shop)
        assert row(run).status == expected, at
        assert story(run) == told, at
        assert_booked_once(run, bookings, at)


def assert_booked_once(run: UUID, bookings: Bookings, at: int) -> None:
    """One booking for each visit that succeeded; those that a redo or the rollback took back were taken back, nothing else.

    A death in the step that breaks is one failure more, and so one redo more.
    """
    outputs = [
        *Visit.objects.filter(instance=run, node_id="book", outcome="succeeded").values_list("output", flat=True)
    ]
    assert bookings.made == len(outputs) and sorted(each["n"] for each in outputs) == [*range(1, bookings.made + 1)], at
    undone = [*Undo.objects.filter(instance=run).values_list("state", flat=True)]
    states = Counter(Compensation.objects.filter(instance=run).values_list("state", flat=True))
    assert undone == ["done"] * Visit.objects.filter(instance=run, node_id="book", replaced__isnull=False).count(), at
    assert states["withdrawn"] == len(undone) and states["registered"] + states["done"] == 1, (at, states)
    assert bookings.kept == ([bookings.made] if states["registered"] else []), at
