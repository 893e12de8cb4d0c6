"""Events as programs get them: reading what is new of a run or a tree, and raisin's form of it.

reference/flow-format.md, section 11. An event's row holds its small fields; an output is read from the visit it belongs to.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Max, Q

from engine import moments
from engine.models import Event, Instance, LiveText, Visit
from engine.states import TERMINAL

BATCH: Final = 100
"""Events read at once; each may bring an output of 1 MiB."""
REPEATED: Final = timedelta(minutes=1)
"""How far back a resumed tree stream repeats its child runs' events: longer than any transaction takes to commit."""


@dataclass(slots=True)
class Place:
    """How far a stream has come: the number of the last event sent, by run. ``last`` is what the client had before."""

    instance_id: UUID
    root_id: UUID
    last: int = 0
    tree: bool = False
    sent: dict[UUID, int] = field(default_factory=dict)
    heard: dict[UUID, tuple[str, int]] = field(default_factory=dict)
    """By run: which answer of its agent is being heard, and how much of it was sent."""

    def __post_init__(self) -> None:
        self.sent.setdefault(self.instance_id, self.last)


@dataclass(frozen=True, slots=True)
class Line:
    """One event on the wire. Only the run's own events have an ``id``: their numbers are what a client resumes after."""

    data: dict[str, Any]
    id: int | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What was read. ``more``: there was more than fits; ``over``: the run has ended and this was the last of it."""

    lines: list[Line]
    more: bool
    over: bool


def count_if_ended(instance_id: UUID) -> int | None:
    """How many events the run has when no other will come (late answers aside), 0 when it is gone; else ``None``."""
    own = Instance.objects.filter(pk=instance_id).values_list("status", "event_count").first()
    if own is None:
        return 0
    status, count = own
    return count if status in TERMINAL else None


def read(place: Place) -> News:
    """What happened since ``place``, which moves on. What an agent is saying comes before the events that may end it."""
    end = count_if_ended(place.instance_id)
    chunks = list(_chunks(place)) if end is None else []
    events = list(Event.objects.filter(_unsent(place)).order_by("id")[:BATCH])
    for event in events:
        place.sent[event.instance_id] = event.number
    more = len(events) == BATCH
    over = end is not None and place.sent[place.instance_id] >= end and not more
    return News(chunks + _lines(place, events), more, over)


def _chunks(place: Place) -> Iterator[Line]:
    """What agents have said since the last look (:mod:`engine.livetext`), as raisin's ``text_chunk``. It has no number: nobody
    can resume after it."""
    wanted = Q(root=place.root_id) if place.tree else Q(pk=place.instance_id)
    for said in LiveText.objects.filter(wanted):
        before, length = place.heard.get(said.pk, ("", 0))
        new = said.text[length if before == said.place else 0 :]
        place.heard[said.pk] = (said.place, len(said.text))
        if new:
            data = {"type": "text_chunk", "timestamp": moments.text_of(said.at), "node_id": said.node_id, "text": new}
            yield Line(data | ({"instance_id": str(said.pk)} if place.tree else {}))


def _unsent(place: Place) -> Q:
    wanted = Q(instance=place.instance_id, number__gt=place.sent[place.instance_id])
    if not place.tree:
        return wanted
    family = _descendants(place)
    if place.last and len(place.sent) == 1:
        place.sent |= _surely_sent(place, family)
    for instance_id, count in family.items():
        if count > place.sent.get(instance_id, 0):
            wanted |= Q(instance=instance_id, number__gt=place.sent.get(instance_id, 0))
    return wanted


def _descendants(place: Place) -> dict[UUID, int]:
    """The runs below the one followed, each with how many events it has. A child's id is above its parent's."""
    tree = Instance.objects.filter(root=place.root_id).order_by("id").values_list("id", "parent_id", "event_count")
    found: dict[UUID, int] = {}
    for instance_id, parent_id, count in tree:
        if parent_id == place.instance_id or parent_id in found:
            found[instance_id] = count
    return found


def _surely_sent(place: Place, family: Iterable[UUID]) -> dict[UUID, int]:
    """What a client that comes back has of the child runs for certain; what is not certain is sent once more."""
    at = Event.objects.filter(instance=place.instance_id, number=place.last).values_list("at", flat=True).first()
    if at is None:
        return {}
    older = Event.objects.filter(instance__in=list(family), at__lt=at - REPEATED).order_by()
    return dict(older.values("instance_id").annotate(last=Max("number")).values_list("instance_id", "last"))


def _lines(place: Place, events: Sequence[Event]) -> list[Line]:
    outputs = _outputs(events)
    lines = []
    for event in events:
        data = wire_form(event, outputs)
        if place.tree:
            data |= {"instance_id": str(event.instance_id), "number": event.number}
        lines.append(Line(data, event.number if event.instance_id == place.instance_id else None))
    return lines


def _outputs(events: Iterable[Event]) -> dict[tuple[UUID, int], Any]:
    """The outputs of the steps that these events say are completed, by run and visit."""
    wanted = Q(pk__in=[])
    for event in events:
        if event.type == "step_completed":
            wanted |= Q(instance=event.instance_id, seq=event.visit_seq)
    found = Visit.objects.filter(wanted).order_by().values_list("instance_id", "seq", "output")
    return {(instance_id, seq): output for instance_id, seq, output in found}


def wire_form(event: Event, outputs: Mapping[tuple[UUID, int], Any]) -> dict[str, Any]:
    """The event with raisin's members: ``error`` is its message; all that is known of it stands in ``error_details``."""
    data: dict[str, Any] = {"type": event.type, "timestamp": moments.text_of(event.at), **event.data}
    if node_id := event.node_id or data.pop("step", None):
        data["node_id"] = node_id
    if event.type == "step_completed" and event.visit_seq is not None:
        data["output"] = outputs.get((event.instance_id, event.visit_seq))
    error = data.get("error")
    if isinstance(error, dict):
        data |= {"error": error.get("message", ""), "error_details": error}
    return data
