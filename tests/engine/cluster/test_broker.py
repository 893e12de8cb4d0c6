"""The queue in the database, from one process."""

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from engine import queue
from engine.cluster import broker as broker_module
from engine.cluster.broker import DEAD, MAX_WAIT, FlowBroker
from tests.engine.cluster.conftest import on_a_real_database, send

pytestmark = on_a_real_database


@pytest.fixture
def broker() -> Iterator[FlowBroker]:
    broker = FlowBroker()
    yield broker
    broker.close()


def in_a_moment(action: Callable[[], object]) -> threading.Thread:
    """Do something 0.1 s from now in another thread, hence on another connection."""

    def run() -> None:
        time.sleep(0.1)
        action()
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def claim(broker: FlowBroker) -> list[int]:
    return [row_id for row_id, _ in broker.dequeue() or []]


def test_a_message_is_claimed_once(broker: FlowBroker) -> None:
    message = send("note", "a")
    assert claim(broker) == [message]
    assert claim(broker) == []
    assert OrmQ.objects.get().lock > timezone.now() + timedelta(seconds=Conf.RETRY - 10)


def test_messages_are_claimed_in_the_order_of_their_due_times(broker: FlowBroker) -> None:
    now = timezone.now()
    ids = [queue.send("x", eta=now - timedelta(seconds=seconds)) for seconds in (1, 4, 3, 2)]
    assert claim(broker) == sorted([ids[1], ids[2]])
    assert claim(broker) == sorted([ids[0], ids[3]])


def test_a_held_message_is_left_alone_until_it_is_due(broker: FlowBroker) -> None:
    due = timezone.now() + timedelta(milliseconds=200)
    message = queue.send("x", eta=due)
    while not (claimed := claim(broker)):
        pass
    assert claimed == [message]
    assert timedelta(0) <= timezone.now() - due < timedelta(seconds=MAX_WAIT)


def test_waiting_ends_after_half_a_second(broker: FlowBroker) -> None:
    start = time.monotonic()
    assert broker.dequeue() is None
    assert MAX_WAIT <= time.monotonic() - start < 3


def test_a_message_from_elsewhere_ends_the_wait(broker: FlowBroker) -> None:
    sender = in_a_moment(lambda: send("note", "a"))
    start = time.monotonic()
    assert broker.dequeue() is None
    assert time.monotonic() - start < MAX_WAIT
    assert len(claim(broker)) == 1
    sender.join()


def test_two_clusters_never_claim_the_same_message() -> None:
    messages = [send("note", "a") for _ in range(60)]
    claimed: list[int] = []

    def take_all() -> None:
        broker = FlowBroker()
        end = time.monotonic() + 20
        while broker.has_ready() and time.monotonic() < end:
            claimed.extend(claim(broker))
        broker.close()
        connections.close_all()

    threads = [threading.Thread(target=take_all) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == messages


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        ("nonsense", "BadSignature"),
        (SignedPackage.dumps("a text"), "lacks everything"),
        (SignedPackage.dumps({"id": "1", "name": "1", "args": ()}), "lacks func, kwargs"),
        (SignedPackage.dumps({"args": "x" * 100_000}), "the limit is 100000"),
    ],
    ids=["unsigned", "no task", "incomplete", "too long"],
)
def test_a_message_that_does_not_load_is_put_aside(
    broker: FlowBroker, caplog: pytest.LogCaptureFixture, payload: str, complaint: str
) -> None:
    broken = broker.enqueue(payload)
    sound = send("note", "a")
    assert claim(broker) == [sound]
    assert OrmQ.objects.get(pk=broken).key == DEAD
    assert f"message {broken} does not load" in caplog.text
    assert complaint in caplog.text


def test_a_message_whose_code_is_gone_is_put_aside(broker: FlowBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        pass

    monkeypatch.setattr(f"{__name__}.Gone", Gone, raising=False)
    Gone.__qualname__ = "Gone"
    message = broker.enqueue(SignedPackage.dumps({"func": Gone()}))
    monkeypatch.undo()
    assert claim(broker) == []
    assert OrmQ.objects.get(pk=message).key == DEAD


def test_dequeue_survives_a_broken_connection(broker: FlowBroker, caplog: pytest.LogCaptureFixture) -> None:
    message = send("note", "a")
    connection.connection.close()
    assert broker.dequeue() is None
    assert "the queue cannot be read (try 1)" in caplog.text
    assert claim(broker) == [message]


def test_acknowledging_survives_a_broken_connection(broker: FlowBroker) -> None:
    message = send("note", "a")
    connection.connection.close()
    broker.acknowledge(message)
    assert not OrmQ.objects.exists()


def test_acknowledging_gives_up_without_an_error(broker: FlowBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_module, "_DELETE", "DELETE FROM no_such_table WHERE id = %s")
    monkeypatch.setattr(broker_module, "ACKNOWLEDGE_TRIES", 2)
    broker.acknowledge(send("note", "a"))
    assert OrmQ.objects.count() == 1


def test_the_messages_of_a_dead_process_are_due_again(broker: FlowBroker) -> None:
    messages = [send("note", "a"), send("note", "b")]
    assert claim(broker) == messages
    broker.release(messages)
    assert claim(broker) == messages


def test_the_claim_of_a_killed_pusher_can_be_undone(broker: FlowBroker) -> None:
    broker.claim_in_hand = ctypes.c_int64(0)
    messages = [send("note", "a"), send("note", "b")]
    assert claim(broker) == messages
    assert not broker.has_ready()
    broker.release_claim(broker.claim_in_hand.value)
    assert broker.queue_size() == 2


def test_the_claim_reads_the_index_and_not_the_table() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_seqscan = off")  # with few rows the planner would rather read them all
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} SELECT id FROM django_q_ormq WHERE key = 'a' AND lock <= '2026-01-01' ORDER BY lock")
        assert "flow_ormq_due" in str(cursor.fetchall())
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_seqscan = on")
