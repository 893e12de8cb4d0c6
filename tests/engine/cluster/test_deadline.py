"""The alarm around one body; the kill behind it is tried in test_survival."""

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from engine.cluster import deadline as clock
from engine.cluster.deadline import DeadlinePassed, arm, deadline, disarm


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[ctypes.c_double]:
    """The value that a worker shares with its sentinel."""
    value = ctypes.c_double(0.0)
    monkeypatch.setattr(clock, "_shared", None)
    clock.share(value)
    yield value
    disarm()


@pytest.mark.parametrize("body", [spin, time.sleep])
def test_a_body_is_interrupted_at_its_deadline(body: object) -> None:
    start = time.monotonic()
    with pytest.raises(DeadlinePassed), deadline(0.05):
        body(5)  # type: ignore[operator]
    assert 0.05 <= time.monotonic() - start < 3


def test_no_alarm_comes_after_a_body_that_was_in_time() -> None:
    with deadline(0.05):
        pass
    time.sleep(0.1)


def test_an_exception_handler_of_the_body_lets_it_go() -> None:
    with pytest.raises(DeadlinePassed), deadline(0.05), suppress(Exception):
        time.sleep(5)


def test_a_body_that_swallows_it_is_interrupted_again() -> None:
    start = time.monotonic()
    with pytest.raises(DeadlinePassed), deadline(0.05):
        with suppress(BaseException):
            time.sleep(5)
        time.sleep(5)
    assert time.monotonic() - start < 4


@pytest.mark.parametrize("seconds", [0, -3])
def test_a_deadline_that_has_passed_already_interrupts_at_once(seconds: float) -> None:
    with pytest.raises(DeadlinePassed), deadline(seconds):
        time.sleep(5)


def test_a_second_arm_moves_the_deadline() -> None:
    arm(0.05)
    arm(5)
    time.sleep(0.1)
    disarm()


def test_disarming_what_is_not_armed_does_nothing() -> None:
    disarm()
    disarm()


def test_in_another_thread_there_is_no_alarm() -> None:
    ended = []

    def body() -> None:
        with deadline(0.02):
            time.sleep(0.1)
        ended.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert ended == [True]


def test_the_sentinel_can_read_the_deadline_while_the_body_runs(shared: ctypes.c_double) -> None:
    with deadline(30):
        assert 29 < shared.value - time.monotonic() <= 30
        assert not clock.is_overrun(shared)
    assert shared.value == 0.0


def test_a_deadline_is_overrun_two_seconds_after_it(shared: ctypes.c_double) -> None:
    for past, expected in [(1.5, False), (2.5, True)]:
        shared.value = time.monotonic() - past
        assert clock.is_overrun(shared) is expected


def test_without_a_deadline_nothing_is_overrun(shared: ctypes.c_double) -> None:
    assert not clock.is_overrun(shared)
