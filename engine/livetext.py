"""What a model says while it says it: shown to those who follow the run, and gone when the answer is there.

A token is no event: a run would have thousands of them. There is one row a run at most, rewritten a few times a second while its
agent writes, and deleted when the call is over; the whole answer comes with the step's output. A worker that dies leaves its row
behind: the next call of the run rewrites it, or the sweep deletes it.
"""

import time
from datetime import timedelta
from typing import Final

from engine.history import tell_watchers
from engine.models import Instance, LiveText
from engine.ports import Call, Clock, Ports

EVERY: Final = 0.25
"""Seconds between two writes."""
MOST: Final = 32_768
"""Characters that are shown; what comes after them is read when the answer is there."""
LEFT_BEHIND: Final = timedelta(hours=1)


class LiveWriter:
    """Shows one call's text as it grows. Each reply of the model is a ``part`` of its own."""

    def __init__(self, call: Call, clock: Clock) -> None:
        self._call = call
        self._clock = clock
        self._part = 0
        self._text = ""
        self._written_at = 0.0
        self._is_there = False

    def say(self, text: str) -> None:
        """The model has said some more."""
        self._text = (self._text + text)[:MOST]
        if text and time.monotonic() - self._written_at >= EVERY:
            self._written_at = time.monotonic()
            self._write()

    def end_part(self) -> None:
        """The reply is whole; what is said next begins anew."""
        self._part += 1
        self._text = ""

    def end(self) -> None:
        """The call is over."""
        if self._is_there:
            LiveText.objects.filter(pk=self._call.instance_id).delete()

    def _write(self) -> None:
        call = self._call
        known = Instance.objects.filter(pk=call.instance_id).values_list("root_id", flat=True)
        for root in known:
            row = LiveText(
                instance_id=call.instance_id,
                root=root or call.instance_id,
                node_id=call.node_id,
                place=f"{call.visit_seq}.{call.attempt}.{self._part}",
                text=self._text,
                at=self._clock.now(),
            )
            changed = ["root", "node_id", "place", "text", "at"]
            LiveText.objects.bulk_create(
                [row], update_conflicts=True, unique_fields=["instance"], update_fields=changed
            )
            self._is_there = True
            tell_watchers(root or call.instance_id)


def forget_left_behind(ports: Ports) -> int:
    """Delete what workers that died left behind; answers how much."""
    deleted, _ = LiveText.objects.filter(at__lt=ports.clock.now() - LEFT_BEHIND).delete()
    return deleted
