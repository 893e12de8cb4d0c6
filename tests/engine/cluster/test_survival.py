"""What one cluster survives: every kill of every process, and tasks that misbehave."""

import random
import time

import psutil
import pytest
from django.db import connection, transaction
from django_q.models import OrmQ

from tests.engine.cluster import notes
from tests.engine.cluster.conftest import RunningCluster, eventually, on_a_real_database, send

pytestmark = [pytest.mark.chaos, on_a_real_database]


def ran(*labels: str) -> bool:
    return sorted(notes.details("ran")) == sorted(labels)


def test_a_message_runs_once_and_leaves_the_queue(cluster: RunningCluster) -> None:
    send("note", "a")
    assert eventually(lambda: ran("a")) < 3
    eventually(lambda: not OrmQ.objects.exists())


def test_a_message_of_an_open_transaction_waits_for_the_commit(cluster: RunningCluster) -> None:
    with transaction.atomic():
        send("note", "a")
        time.sleep(0.2)
        assert not notes.read("ran")
    eventually(lambda: ran("a"))


@pytest.mark.parametrize("role", ["worker", "monitor", "pusher"])
def test_killed_idle_processes_are_replaced(cluster: RunningCluster, role: str) -> None:
    for turn in range(4):
        cluster.of(role)[0].kill()
        send("note", str(turn))
        eventually(lambda: len(notes.read("ran")) > turn, within=8)  # noqa: B023
        eventually(lambda: not OrmQ.objects.exists())


def test_the_message_of_a_killed_worker_runs_again_at_once(cluster: RunningCluster) -> None:
    send("work", "a", 600)
    eventually(lambda: notes.details("began") == ["a"])
    cluster.busy().kill()
    assert eventually(lambda: notes.details("began") == ["a", "a"]) < 3
    eventually(lambda: ran("a"))


def test_the_engine_is_told_of_a_dead_worker_at_once(cluster: RunningCluster) -> None:
    send("work", "a", 300)
    eventually(lambda: notes.details("began") == ["a"])
    victim = cluster.busy()
    victim.kill()
    assert eventually(lambda: any(name.endswith(f":{victim.pid}") for name in notes.details("died"))) < 2
    eventually(lambda: ran("a"))


@pytest.mark.parametrize("task", ["die_once", "exit_once"])
def test_a_task_that_ends_its_own_worker_comes_again(cluster: RunningCluster, task: str) -> None:
    send(task, "a")
    eventually(lambda: ran("a"))


@pytest.mark.parametrize("task", ["return_what_cannot_be_pickled", "return_a_megabyte"])
def test_a_result_that_cannot_travel_is_dropped(cluster: RunningCluster, task: str) -> None:
    send(task, "a")
    eventually(lambda: not OrmQ.objects.exists())
    assert ran("a")
    assert cluster.logged("is dropped")


def test_a_body_is_interrupted_at_its_deadline(cluster: RunningCluster) -> None:
    send("sleep_until_the_deadline", "a")
    assert eventually(lambda: ran("a")) < 4
    assert not notes.read("died")


def test_bodies_that_resist_their_deadline_are_killed_two_seconds_later(cluster: RunningCluster) -> None:
    send("swallow_the_deadline", "python")
    send("sit_in_c_code", "c")
    eventually(lambda: ran("python", "c"))
    for began in notes.read("began"):
        (died,) = (note for note in notes.read("died") if note.detail.endswith(f":{began.pid}"))
        assert 2.2 <= died.at - began.at < 5


def test_a_database_that_is_away_for_a_moment_is_survived(cluster: RunningCluster, vendor: str) -> None:
    for label in "abc":
        if vendor == "postgresql":
            break_all_other_connections()
        else:
            with transaction.atomic():  # it begins by taking the lock that all writers need
                time.sleep(0.5)
        send("note", label)
        eventually(lambda: notes.details("ran")[-1:] == [label])  # noqa: B023
    eventually(lambda: not OrmQ.objects.exists())


def break_all_other_connections() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_worker_sees_messages_that_were_fetched_and_wait_for_it(cluster: RunningCluster) -> None:
    send("work_until_noted", "a", "others")
    send("note_whether_others_wait", "b")
    eventually(lambda: len(notes.read("began")) == 2)
    assert not notes.read("others")
    send("note", "c")
    eventually(lambda: ran("a", "c"))
    assert notes.details("others") == ["True"]


def test_heartbeats_come_every_two_seconds(cluster: RunningCluster) -> None:
    eventually(lambda: len(notes.read("beat")) == 2, within=8)
    first, second = (beat.at for beat in notes.read("beat"))
    assert 1.9 < second - first < 4


def test_thirty_five_random_kills_lose_nothing(cluster: RunningCluster) -> None:
    labels = [str(number) for number in range(280)]
    dice = random.Random(35)
    kills = 0
    for label in labels:
        send("work", label, 10)
        while kills < int(label) // 8:
            kills += kill_one(cluster, dice)
            time.sleep(0.05)
    kill_one(cluster, dice)
    eventually(lambda: not OrmQ.objects.exists(), within=60)
    assert set(notes.details("ran")) == set(labels)
    assert len(notes.read("ran")) < 320


def kill_one(cluster: RunningCluster, dice: random.Random) -> bool:
    """Kill any process below the sentinel; False when the chosen one has just ended by itself."""
    try:
        dice.choice(cluster.of("worker", "monitor", "pusher")).kill()
    except (psutil.NoSuchProcess, IndexError):
        return False
    return True
