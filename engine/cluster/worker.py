"""The inside of the processes, and what the code that runs in a worker may ask about it.

django-q2's own loops do the work. They are given queues that keep a note of the message in hand, so that the sentinel
can release the message of a process that was killed.
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
from engine.cluster.broker import FlowBroker
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
    """The reading end of a queue; ``in_hand`` holds the id of the message that its process has taken, 0 for none.

    ``stop``: once it is set, get() answers "STOP" instead of the next message, which ends the reader's loop.
    """

    def __init__(self, tasks: PacketQueue, in_hand: ctypes.c_int64, stop: Flag | None = None) -> None:
        self._queue = tasks
        self._queue.note_in(in_hand)
        self._in_hand = in_hand
        self._stop = stop
        self._poll = select.poll()
        for source in (tasks, stop) if stop is not None else (tasks,):
            self._poll.register(source.fileno(), select.POLLIN)

    def get(self) -> Any:
        self._in_hand.value = 0
        while True:
            self._poll.poll()
            if self.is_stopping():
                return "STOP"
            with suppress(queue.Empty):  # another worker was faster
                return self._queue.get_nowait()

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
    in_hand: ctypes.c_int64,
    due: ctypes.c_double,
) -> None:
    global _inbox
    deadline.share(due)
    _inbox = Inbox(tasks, in_hand, stop)
    worker(_inbox, Outbox(results), timer, Conf.TIMEOUT)


def run_monitor(results: PacketQueue, broker: FlowBroker, *, in_hand: ctypes.c_int64) -> None:
    monitor(Inbox(results, in_hand), broker)


def run_pusher(tasks: PacketQueue, stop: Flag, broker: FlowBroker, *, in_hand: ctypes.c_int64) -> None:
    broker.claim_in_hand = in_hand
    pusher(tasks, stop, broker)
