"""The queue of a scenario."""

from uuid import uuid4

import pytest
from django.db import transaction

from engine.scenarios.queue import InProcessQueue

pytestmark = pytest.mark.django_db(transaction=True)


def drained(queue):
    return list(iter(queue.take, None))


def test_hints_come_in_the_order_of_their_commits() -> None:
    queue, ids = InProcessQueue(), [uuid4() for _ in range(3)]
    with transaction.atomic():
        queue.hint(ids[0])
        assert not queue.has_ready()
    queue.hint(ids[1])
    queue.hint(ids[2])
    assert drained(queue) == ids


def test_a_hint_goes_with_its_transaction() -> None:
    queue = InProcessQueue()
    with pytest.raises(RuntimeError), transaction.atomic():
        queue.hint(uuid4())
        raise RuntimeError
    assert drained(queue) == []


def test_every_hint_ever_sent_can_be_delivered_once_more() -> None:
    queue, ids = InProcessQueue(), [uuid4(), uuid4()]
    for each in ids:
        queue.hint(each)
    drained(queue)
    queue.redeliver()
    assert drained(queue) == ids
    queue.redeliver()
    assert drained(queue) == ids


def test_hints_that_are_lost_can_still_be_delivered_once_more() -> None:
    queue, one = InProcessQueue(), uuid4()
    queue.hint(one)
    queue.lose()
    assert drained(queue) == []
    queue.redeliver()
    assert drained(queue) == [one]
