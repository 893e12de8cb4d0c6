"""How late things are, measured in real processes; the limits are wide, for a busy machine."""

import random
import time
from datetime import timedelta
from statistics import median

import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ

from engine import queue
from engine.cluster.timekeeper import CHANNEL
from tests.engine.cluster import notes
from tests.engine.cluster.conftest import RunningCluster, eventually, on_a_real_database, send
from tests.engine.cluster.tasks import HERE

pytestmark = [pytest.mark.chaos, on_a_real_database]


def write_timer(due_at: float) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO cluster_timer (due_at) VALUES (%s)", [due_at])
        notes.notify(CHANNEL)


def fired() -> list[tuple[float, float]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT due_at, fired_at FROM cluster_timer WHERE fired_at IS NOT NULL ORDER BY due_at")
        return [(due, at) for due, at in cursor.fetchall()]


def test_timers_fire_on_time(cluster: RunningCluster) -> None:
    dice = random.Random(60)
    start = time.time() + 0.5
    for _ in range(60):
        write_timer(start + 3 * dice.random())
    eventually(lambda: len(fired()) == 60)
    late = sorted(at - due for due, at in fired())
    assert median(late) < 0.1
    assert late[-1] < 1


def test_an_earlier_timer_wakes_the_timekeeper(cluster: RunningCluster) -> None:
    write_timer(time.time() + 0.45)
    time.sleep(0.05)
    write_timer(time.time() + 0.05)
    eventually(lambda: len(fired()) == 2)
    assert all(at - due < 0.3 for due, at in fired())


def test_a_chore_that_fails_is_done_again_and_timers_still_fire(cluster: RunningCluster) -> None:
    eventually(lambda: len(notes.read("chore")) == 3, within=8)
    write_timer(time.time())
    assert eventually(fired) < 1


def test_held_messages_run_when_they_are_due(cluster: RunningCluster) -> None:
    now = timezone.now()
    for milliseconds in range(300, 1500, 60):
        due = now + timedelta(milliseconds=milliseconds)
        queue.send(f"{HERE}.note", str(due.timestamp()), eta=due)
    eventually(lambda: len(notes.read("ran")) == 20)
    late = sorted(note.at - float(note.detail) for note in notes.read("ran"))
    assert late[0] >= 0
    assert median(late) < 0.1


def test_messages_run_soon_after_they_are_sent(cluster: RunningCluster) -> None:
    for number in range(20):
        send("note", str(time.time()))
        eventually(lambda: len(notes.read("ran")) > number)  # noqa: B023
    assert median(note.at - float(note.detail) for note in notes.read("ran")) < 0.1


def test_a_hundred_messages_do_not_take_long(cluster: RunningCluster) -> None:
    for number in range(100):
        send("note", str(number))
    assert eventually(lambda: not OrmQ.objects.exists()) < 8
    assert len(notes.read("ran")) == 100
