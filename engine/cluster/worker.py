"""The inside of a worker process, and what the code that runs there may ask about it.

django-q2's own worker loop does the work; it is only given queues that keep a note of the message in hand, so that
the sentinel can release the message of a worker that was killed.
"""

import ctypes
import logging
import queue
import select
from contextlib import suppress
from typing import Any

from django_q.conf import Conf
from django_q.monitor import monitor
from django_q.pusher import pusher
from django_q.worker import worker

from engine.cluster import deadline
from engine.cluster.broker import FlowBroker, InHand
from engine.cluster.packets import Flag, PacketQueue

log = logging.getLogger(__name__)

_inbox: "Inbox | None" = None


def is_stopping() -> bool:
    """Whether this worker's cluster was asked to stop: a long drive should then hand itself back to the queue."""
    return _inbox is not None and _inbox.is_stopping()


def has_prefetched() -> bool:
    """Whether a claimed message waits for a free worker of this cluster; always False outside a worker."""
    return _inbox is not None and not _inbox.empty()


class Inbox:
    """The reading end of a queue, which notes the id of the message that its process has in hand.

    ``stop``: once it is set, get() answers "STOP" instead of the next message, which ends the reader's loop.
    """

    def __init__(self, tasks: PacketQueue, in_hand: InHand, stop: Flag | None = None) -> None:
        self._queue = tasks
        self._in_hand = in_hand
        self._stop = stop
        self._poll = select.poll()
        for source in (tasks, stop) if stop is not None else (tasks,):
            self._poll.register(source.fileno(), select.POLLIN)

    def get(self) -> Any:
        self._in_hand[0] = 0
        while True:
            self._poll.poll()
            if self.is_stopping():
                return "STOP"
            with suppress(queue.Empty):  # another worker was faster
                message = self._queue.get_nowait()
                break
        self._in_hand[0] = message.get("ack_id", 0) if isinstance(message, dict) else 0
        return message

    def empty(self) -> bool:
        return self._queue.empty()

    def is_stopping(self) -> bool:
        return self._stop is not None and self._stop.is_set()


class Outbox:
    """The writing end of the result queue. A result that cannot travel is replaced by a note that says so.

    Nothing here reads results, and an error in put() would end the worker and bring the same message back.
    """

    def __init__(self, results: PacketQueue) -> None:
        self._queue = results

    def put(self, task: dict[str, Any]) -> None:
        try:
            self._queue.put(task)
        except Exception as error:  # pickling runs code of whatever the task returned
            log.error("the result of %s is dropped: %s", task["name"], error)
            self._queue.put({**task, "args": (), "kwargs": {}, "result": f"dropped: {error}"[:1000]})


def run_worker(
    tasks: PacketQueue,
    results: PacketQueue,
    timer: Any,
    *,
    stop: Flag,
    in_hand: InHand,
    due: ctypes.c_double,
) -> None:
    global _inbox
    deadline.share(due)
    _inbox = Inbox(tasks, in_hand, stop)
    worker(_inbox, Outbox(results), timer, Conf.TIMEOUT)


def run_monitor(results: PacketQueue, broker: FlowBroker, *, in_hand: InHand) -> None:
    monitor(Inbox(results, in_hand), broker)


def run_pusher(tasks: PacketQueue, stop: Flag, broker: FlowBroker, *, in_hand: InHand) -> None:
    broker.in_hand = in_hand
    pusher(tasks, stop, broker)
