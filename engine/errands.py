"""Errands: what somebody asked for that workers carry out in the background, a small portion at a time.

An errand is a row of django-q2's own table of tasks: the product keeps none of its finished messages there, and its columns are
what an errand needs, so it takes no table of its own. ``result`` holds the state as JSON, ``attempt_count`` counts how often it
was noted and guards each note (whoever notes on an older number is told so and leaves), ``cluster`` is empty until it is over,
``group`` names its owner and tells it from the messages that failed, which django-q2 keeps there too.

Each portion is a message that calls ``function`` with the errand's id. The next message is sent when a portion has ended, so
runs have their turn between two of them; a worker that dies leaves its message, and :func:`sweep` finds what lost even that.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_q.models import Task

from engine import queue
from engine.failpoints import reach

STALLED_AFTER: Final = timedelta(minutes=1)
"""An errand that was not noted for so long, and whose message cannot be on its way, is sent again."""
KEPT: Final = timedelta(days=30)
"""How long one that is over can be looked at."""
_GROUP: Final = "errand:"
_OVER: Final = "over"


@dataclass(frozen=True, slots=True)
class Errand:
    """One errand as it was read. ``number`` is how often it was noted; ``owner`` whose it is, ``state`` any JSON object."""

    id: UUID
    function: str
    owner: str
    state: Mapping[str, Any]
    number: int
    begun_at: datetime
    noted_at: datetime
    is_over: bool


def begin(function: str, state: Mapping[str, Any], *, owner: str) -> UUID:
    """Write an errand and send its first message, in one transaction; answers its id.

    ``function`` is the dotted name of what does a portion: it is called with the id, may be called twice at once, and ends by
    :func:`go_on` or by a note that it is over.
    """
    now, errand_id = timezone.now(), uuid4()
    with transaction.atomic():
        Task.objects.create(
            id=errand_id.hex,
            name=errand_id.hex,
            func=function,
            group=_GROUP + owner,
            result=json.dumps(state),
            started=now,
            stopped=now,
            success=False,
        )
        queue.send(function, str(errand_id))
    return errand_id


def go_on(errand: Errand) -> None:
    """Have a worker do the next portion."""
    queue.send(errand.function, str(errand.id))


def find(errand_id: UUID, function: str, *, lock: bool = False) -> Errand | None:
    """The errand as it is now. ``lock`` keeps others from noting anything until the end of the transaction."""
    rows = _rows(function).filter(pk=errand_id.hex)
    row = (rows.select_for_update() if lock else rows).first()
    return None if row is None else _read(row)


def latest(function: str, *, owner: str = "", most: int) -> list[Errand]:
    """The last ones that were begun, newest first; those of one owner, or all."""
    rows = _rows(function).filter(group=_GROUP + owner) if owner else _rows(function)
    return [_read(row) for row in rows.order_by("-started", "-pk")[:most]]


def note(errand: Errand, state: Mapping[str, Any], *, is_over: bool = False) -> Errand | None:
    """Keep how far it is; ``None`` when somebody noted something meanwhile or it is over: then nothing was written."""
    reach("noting")
    now = timezone.now()
    rows = Task.objects.filter(pk=errand.id.hex, attempt_count=errand.number, cluster=None)
    cluster = _OVER if is_over else None
    written = rows.update(
        result=json.dumps(state), attempt_count=errand.number + 1, stopped=now, cluster=cluster, success=is_over
    )
    if not written:
        return None
    reach("noted")
    return Errand(errand.id, errand.function, errand.owner, state, errand.number + 1, errand.begun_at, now, is_over)


def sweep() -> int:
    """Send the message of each errand again that lost it, and forget those that were over long ago; answers how many it sent."""
    now = timezone.now()
    every = Task.objects.filter(group__startswith=_GROUP)
    every.filter(cluster=_OVER, stopped__lt=now - KEPT).delete()
    stalled = every.filter(cluster=None, stopped__lt=min(now - STALLED_AFTER, queue.oldest_ready() or now))
    sent = 0
    for errand_id, function, number in list(stalled.values_list("pk", "func", "attempt_count")):
        with transaction.atomic():
            if stalled.filter(pk=errand_id, attempt_count=number).update(stopped=now):
                queue.send(function, str(UUID(errand_id)))
                sent += 1
    return sent


def _rows(function: str) -> QuerySet[Any]:
    return Task.objects.filter(group__startswith=_GROUP, func=function)  # type: ignore[no-any-return]  # django-q2 has no types


def _read(row: Any) -> Errand:
    return Errand(
        id=UUID(row.pk),
        function=row.func,
        owner=row.group.removeprefix(_GROUP),
        state=json.loads(row.result),
        number=row.attempt_count,
        begun_at=row.started,
        noted_at=row.stopped,
        is_over=row.cluster is not None,
    )
