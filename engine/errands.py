"""Errands: what somebody asked for that workers carry out in the background, a small portion at a time.

``number`` counts how often an errand was noted and guards each note: whoever notes on an older number is told so and leaves.
Each portion is a message that calls ``function`` with the errand's id. The next message is sent when a portion has ended, so
runs have their turn between two of them; a worker that dies leaves its message, and :func:`sweep` finds what lost even that.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from engine import queue
from engine.failpoints import reach
from engine.models import Errand

STALLED_AFTER: Final = timedelta(minutes=1)
"""An errand that was not noted for so long, and whose message cannot be on its way, is sent again."""
KEPT: Final = timedelta(days=30)
"""How long one that is over can be looked at."""


def begin(function: str, state: Mapping[str, Any], *, owner: str) -> UUID:
    """Write an errand and send its first message, in one transaction; answers its id.

    ``function`` is the dotted name of what does a portion: it is called with the id, may be called twice at once, and ends by
    :func:`go_on` or by a note that it is over.
    """
    now = timezone.now()
    with transaction.atomic():
        errand = Errand.objects.create(function=function, owner=owner, state=state, begun_at=now, noted_at=now)
        go_on(errand)
    return errand.pk


def go_on(errand: Errand) -> None:
    """Have a worker do the next portion."""
    queue.send(errand.function, str(errand.id))


def find(errand_id: UUID, function: str, *, lock: bool = False) -> Errand | None:
    """The errand as it is now. ``lock`` keeps others from noting anything until the end of the transaction."""
    rows = Errand.objects.filter(pk=errand_id, function=function)
    return (rows.select_for_update() if lock else rows).first()


def latest(function: str, *, owner: str = "", most: int) -> list[Errand]:
    """The last ones that were begun, newest first; those of one owner, or all."""
    rows = Errand.objects.filter(function=function, **({"owner": owner} if owner else {}))
    return list(rows.order_by("-pk")[:most])


def note(errand: Errand, state: Mapping[str, Any], *, is_over: bool = False) -> Errand | None:
    """Keep how far it is; ``None`` when somebody noted something meanwhile or it is over: then nothing was written."""
    reach("noting")
    rows = Errand.objects.filter(pk=errand.pk, number=errand.number, is_over=False)
    if not rows.update(state=state, number=errand.number + 1, noted_at=timezone.now(), is_over=is_over):
        return None
    reach("noted")
    return Errand.objects.get(pk=errand.pk)


def sweep() -> int:
    """Send the message of each errand again that lost it, and forget those that were over long ago; answers how many it sent."""
    now = timezone.now()
    Errand.objects.filter(is_over=True, noted_at__lt=now - KEPT).delete()
    stalled = Errand.objects.filter(is_over=False, noted_at__lt=min(now - STALLED_AFTER, queue.oldest_ready() or now))
    sent = 0
    for errand in list(stalled.defer("state")):
        with transaction.atomic():
            if stalled.filter(pk=errand.pk, number=errand.number).update(noted_at=now):
                go_on(errand)
                sent += 1
    return sent
