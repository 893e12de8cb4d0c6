"""Fires what is due, on time: sleeps until the next due moment, or until an earlier one is written."""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from engine.cluster.waiting import Waiter, make_waiter

log = logging.getLogger(__name__)

CHANNEL = "sultana_timekeeper"  # NOTIFY it when an earlier wake-up was written (PostgreSQL)
MAX_WAIT = 0.5  # seconds: how late a stop or a jump of the clock is noticed
CONTENDED = 0.01  # seconds to wait when another timekeeper fired what was due


class Timekeeper:
    """``next_due``: when the next wake-up is due, None for none. ``fire_due``: claim and fire what is due, in a
    transaction of its own, and return how many. ``every``: (seconds, function) for what is done now and then.

    Safe in several processes at once as far as ``fire_due`` is. Nothing these functions raise ends it.
    """

    def __init__(
        self,
        next_due: Callable[[], datetime | None],
        fire_due: Callable[[], int],
        every: Sequence[tuple[float, Callable[[], object]]] = (),
        *,
        using: str = DEFAULT_DB_ALIAS,
    ) -> None:
        self._next_due = next_due
        self._fire_due = fire_due
        self._chores: list[_Chore] = []
        self._using = using
        self._waiter: Waiter | None = None
        self._failures = 0
        for seconds, function in every:
            self.add_chore(seconds, function)

    def add_chore(self, seconds: float, function: Callable[[], object]) -> None:
        """Have ``function`` called at once and then every so many seconds, once run() runs."""
        self._chores.append(_Chore(seconds, function))

    def run(self, *, until: Callable[[], bool]) -> None:
        """Keep time until ``until()``, which is asked at least each MAX_WAIT seconds."""
        while not until():
            for chore in self._chores:
                if chore.is_due():
                    self._do(chore)
            self._step()
        self._drop_connections()

    def _step(self) -> None:
        try:
            self._fire_or_wait()
            self._failures = 0
        except Exception:
            self._failures += 1
            log.exception("the timekeeper could not do its round (try %s)", self._failures)
            self._drop_connections()
            time.sleep(min(0.1 * 2.0 ** min(self._failures, 10), 2.0))

    def _fire_or_wait(self) -> None:
        if self._waiter is None:
            self._waiter = make_waiter(CHANNEL, using=self._using)
        self._waiter.arm()
        due = self._next_due()
        seconds = MAX_WAIT if due is None else min((due - timezone.now()).total_seconds(), MAX_WAIT)
        if seconds > 0:
            self._waiter.wait(min([seconds, *(chore.seconds_left() for chore in self._chores)]))
        elif not self._fire_due():
            time.sleep(CONTENDED)

    def _do(self, chore: "_Chore") -> None:
        try:
            chore.do()
        except Exception:
            log.exception("the timekeeper's %s failed", chore.name)
            self._drop_connections()

    def _drop_connections(self) -> None:
        """The next round connects anew: after an error nobody knows what state a connection is in."""
        try:
            if self._waiter is not None:
                self._waiter.close()
            connections[self._using].close()
        except Exception as error:
            log.debug("closing a broken connection: %s", error)
        self._waiter = None


class _Chore:
    """Something to be done each so many seconds, for the first time at once."""

    def __init__(self, seconds: float, function: Callable[[], object]) -> None:
        self.name = getattr(function, "__name__", repr(function))
        self._seconds = seconds
        self._function = function
        self._next = 0.0

    def is_due(self) -> bool:
        return self.seconds_left() <= 0

    def seconds_left(self) -> float:
        return max(self._next - time.monotonic(), 0.0)

    def do(self) -> None:
        self._next = time.monotonic() + self._seconds
        self._function()
