"""The timekeeper's loop in this process; its lateness is measured in test_lateness."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from engine.cluster.timekeeper import Timekeeper
from tests.engine.cluster.conftest import on_a_real_database

pytestmark = on_a_real_database


class Timers:
    """Wake-ups in memory: due times, and when each was fired."""

    def __init__(self, *seconds: float) -> None:
        self.due = [datetime.now(UTC) + timedelta(seconds=second) for second in seconds]
        self.fired: list[datetime] = []

    def next_due(self) -> datetime | None:
        return min(self.due, default=None)

    def fire_due(self) -> int:
        now = datetime.now(UTC)
        ripe = [due for due in self.due if due <= now]
        self.due = [due for due in self.due if due > now]
        self.fired += [now] * len(ripe)
        return len(ripe)


def until(condition: Callable[[], object], within: float = 10.0) -> Callable[[], bool]:
    end = time.monotonic() + within
    return lambda: bool(condition()) or time.monotonic() > end


def test_it_sleeps_until_the_next_one_is_due() -> None:
    timers = Timers(0.1, 0.2)
    due = list(timers.due)
    Timekeeper(timers.next_due, timers.fire_due).run(until=until(lambda: len(timers.fired) == 2))
    assert all(
        timedelta(0) <= at - moment < timedelta(seconds=0.3) for at, moment in zip(timers.fired, due, strict=True)
    )


def test_it_notices_within_half_a_second_that_it_shall_stop() -> None:
    end = time.monotonic() + 0.05
    Timekeeper(lambda: None, lambda: 0).run(until=lambda: time.monotonic() > end)
    assert time.monotonic() - end < 1.5


def test_trouble_with_the_database_is_logged_and_passes(caplog: pytest.LogCaptureFixture) -> None:
    timers = Timers(0.0)
    failures = iter([OperationalError("down"), OperationalError("still down")])

    def next_due() -> datetime | None:
        if error := next(failures, None):
            raise error
        return timers.next_due()

    Timekeeper(next_due, timers.fire_due).run(until=until(lambda: timers.fired))
    assert len(timers.fired) == 1
    assert "still down" in caplog.text


def test_a_chore_is_done_at_once_and_then_now_and_again() -> None:
    done: list[float] = []
    Timekeeper(lambda: None, lambda: 0, [(0.2, lambda: done.append(time.monotonic()))]).run(
        until=until(lambda: len(done) == 3)
    )
    assert 0.2 <= done[1] - done[0] < 0.6
    assert 0.2 <= done[2] - done[1] < 0.6


def test_chores_are_done_while_timers_never_cease_to_be_due() -> None:
    done: list[float] = []
    now = datetime.now(UTC)
    Timekeeper(lambda: now, lambda: 1, [(0.05, lambda: done.append(time.monotonic()))]).run(
        until=until(lambda: len(done) == 3, within=5)
    )
    assert len(done) == 3


def test_timers_that_another_cluster_fires_are_not_asked_for_without_pause() -> None:
    asked: list[int] = []
    now = datetime.now(UTC)

    def fire_nothing() -> int:
        asked.append(1)
        return 0

    Timekeeper(lambda: now, fire_nothing).run(until=until(lambda: False, within=0.2))
    assert len(asked) <= 21
