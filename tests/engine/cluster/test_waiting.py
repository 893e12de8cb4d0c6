"""Waiting for somebody else's commit."""

import threading
import time
from collections.abc import Iterator

import pytest
from django.db import connection, connections

from engine.cluster.waiting import Waiter, make_waiter
from tests.engine.cluster import notes
from tests.engine.cluster.conftest import on_a_real_database

pytestmark = on_a_real_database


@pytest.fixture
def waiter(clean: None) -> Iterator[Waiter]:
    waiter = make_waiter("a_channel")
    yield waiter
    waiter.close()


def commit_elsewhere(after: float = 0.0) -> threading.Thread:
    def run() -> None:
        time.sleep(after)
        notes.write("elsewhere")
        notes.notify("a_channel")
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_commit_elsewhere_ends_the_wait(waiter: Waiter) -> None:
    waiter.arm()
    thread = commit_elsewhere(0.05)
    start = time.monotonic()
    assert waiter.wait(10)
    assert time.monotonic() - start < 5
    thread.join()


def test_a_commit_between_arming_and_waiting_is_not_missed(waiter: Waiter) -> None:
    waiter.arm()
    commit_elsewhere().join()
    start = time.monotonic()
    assert waiter.wait(10)
    assert time.monotonic() - start < 5


def test_what_came_before_arming_is_forgotten(waiter: Waiter) -> None:
    waiter.arm()
    commit_elsewhere().join()
    assert waiter.wait(10)
    waiter.arm()
    assert not waiter.wait(0.05)


def test_nothing_ends_the_wait_but_time(waiter: Waiter) -> None:
    waiter.arm()
    start = time.monotonic()
    assert not waiter.wait(0.1)
    assert 0.1 <= time.monotonic() - start < 2


def test_another_kind_of_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched, pytest.raises(ValueError, match="oracle.*SQLite and on PostgreSQL"):
        patched.setattr(connection, "vendor", "oracle")
        make_waiter("a_channel")
