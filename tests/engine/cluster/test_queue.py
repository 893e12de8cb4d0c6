"""What the engine calls: hints inside its transactions, and cheap questions about the queue."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage
from django_q.tasks import async_task

from engine import queue
from tests.engine.cluster.conftest import on_a_real_database

pytestmark = on_a_real_database


def test_a_hint_is_a_task_of_django_q_that_names_the_instance() -> None:
    instance = uuid4()
    queue.send_hint(instance)
    task = SignedPackage.loads(OrmQ.objects.get(key=Conf.CLUSTER_NAME).payload)
    assert (task["func"], task["args"], task["timeout"]) == ("engine.tasks.drive", (str(instance),), -1)


def test_a_hint_has_what_django_q_itself_would_write() -> None:
    queue.send_hint("1")
    async_task("engine.tasks.drive", "1", timeout=-1)
    ours, theirs = (SignedPackage.loads(row.payload) for row in OrmQ.objects.order_by("pk"))
    assert ours.keys() == theirs.keys()
    same = ("func", "args", "kwargs", "timeout", "ack_failure")
    assert [ours[key] for key in same] == [theirs[key] for key in same]


def test_a_hint_is_rolled_back_with_its_transaction() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        queue.send_hint("1")
        1 / 0  # noqa: B018
    assert not OrmQ.objects.exists()


def test_a_hint_is_one_statement() -> None:
    with CaptureQueriesContext(connection) as queries:
        queue.send_hint("1")
    assert len(queries) == 1


def test_a_hint_is_small() -> None:
    queue.send_hint(uuid4())
    assert len(OrmQ.objects.get().payload) < 500


def test_a_hint_for_later_is_not_ready() -> None:
    queue.send_hint("1", eta=timezone.now() + timedelta(minutes=1))
    assert not queue.has_ready_messages()
    assert queue.queue_depth() == 0


def test_whether_messages_are_ready_is_one_statement() -> None:
    assert not queue.has_ready_messages()
    queue.send_hint("1")
    with CaptureQueriesContext(connection) as queries:
        assert queue.has_ready_messages()
    assert len(queries) == 1


def test_the_depth_counts_the_messages_that_are_due() -> None:
    for _ in range(3):
        queue.send_hint("1")
    assert queue.queue_depth() == 3


def test_outside_a_worker_nothing_is_stopping() -> None:
    assert not queue.is_stopping()


def test_the_oldest_message_tells_since_when_workers_are_short() -> None:
    now = timezone.now()
    assert queue.oldest_ready() is None
    for seconds in (-5, -9, 60):
        queue.send_hint("1", eta=now + timedelta(seconds=seconds))
    assert queue.oldest_ready() == now - timedelta(seconds=9)
