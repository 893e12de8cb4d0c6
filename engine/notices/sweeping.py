"""Finds the notices that a lost message or a dead worker left behind."""

from datetime import timedelta
from typing import Final

from django.db import transaction

from engine.models import Notice
from engine.notices.delivery import SEND_SECONDS, conclude
from engine.notices.result import unknown
from engine.ports import Ports
from engine.states import NoticeState

BATCH: Final = 200
LOST_AFTER: Final = timedelta(seconds=SEND_SECONDS * 3)
"""A worker that claimed a notice is done with it by then, or dead."""


def sweep(ports: Ports) -> int:
    """Send the hints again that led to nothing, and give up what a dead worker was sending; answers how many notices it found.
    Safe in every cluster at once."""
    return _hint_again(ports) + _bury(ports)


def _hint_again(ports: Ports) -> int:
    now = ports.clock.now()
    lost = Notice.objects.filter(state=NoticeState.OPEN, due_at__lt=min(now, ports.queue.hints_arrived_until()))
    count = 0
    for notice_id, due_at in list(lost.order_by("due_at").values_list("id", "due_at")[:BATCH]):
        with transaction.atomic():
            same = Notice.objects.filter(id=notice_id, state=NoticeState.OPEN, due_at=due_at)
            if same.update(due_at=now):
                ports.queue.notice(notice_id)
                count += 1
    return count


def _bury(ports: Ports) -> int:
    silent = Notice.objects.filter(state=NoticeState.SENDING, claimed_at__lt=ports.clock.now() - LOST_AFTER)
    found = list(silent.order_by("due_at")[:BATCH])
    for notice in found:
        conclude(notice, unknown("The worker died while it was sent."), ports)
    return len(found)
