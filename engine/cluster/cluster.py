"""Starting and stopping a cluster from its parent process."""

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from django.db import connections
from django_q.cluster import Cluster

from engine.cluster import linux
from engine.cluster.identity import node_name
from engine.cluster.packets import Flag
from engine.cluster.sentinel import BEAT_EVERY, FlowSentinel, Hooks, prepare_process
from engine.cluster.timekeeper import Timekeeper

log = logging.getLogger(__name__)

SENTINEL_DIED = 3  # exit code: the supervisor starts the cluster anew


class AnyCluster(Protocol):
    def start(self) -> None: ...

    def is_alive(self) -> bool: ...

    def stop(self) -> None: ...


class FlowCluster:
    """A sentinel of ours and its processes; all of them end with the process that called start()."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._stop = Flag()
        self._started = Flag()
        self._sentinel = multiprocessing.get_context("fork").Process(target=self._run_sentinel, args=(os.getpid(),))

    def start(self) -> None:
        """Fork the sentinel and wait until it has forked the rest. Raises RuntimeError when it ends instead."""
        node_name()  # settled before the fork, so that all processes agree
        connections.close_all()
        self._sentinel.start()
        while not self._started.wait(0.1):
            if not self._sentinel.is_alive():
                raise RuntimeError(f"the cluster did not start: exit code {self._sentinel.exitcode}")

    def is_alive(self) -> bool:
        return self._sentinel.is_alive()

    def stop(self) -> None:
        """Ask the cluster to stop and wait until the bodies that run have finished."""
        self._stop.set()
        self._sentinel.join()

    def _run_sentinel(self, parent: int) -> None:
        prepare_process("flow-sentinel", parent)
        FlowSentinel(self._hooks, self._stop, self._started).run()


class StockCluster:
    """django-q2's own cluster, for systems without the means that FlowCluster needs.

    Nobody there tells of dead workers: their leases run out.
    """

    def __init__(self) -> None:
        self._cluster = Cluster()

    def start(self) -> None:
        connections.close_all()
        self._cluster.start()

    def is_alive(self) -> bool:
        return bool(self._cluster.sentinel.is_alive())

    def stop(self) -> None:
        self._cluster.stop()


def make_cluster(hooks: Hooks) -> AnyCluster:
    if linux.IS_LINUX:
        return FlowCluster(hooks)
    log.warning("this is not Linux: django-q2's own cluster is used, which a killed worker can bring to a standstill")
    return StockCluster()


def run_cluster(hooks: Hooks, timekeeper: Timekeeper) -> int:
    """Run a cluster and, in this process, its timekeeper until SIGTERM or SIGINT; return the exit code.

    Call it in the main thread of a process without other threads: it forks.
    """
    cluster = make_cluster(hooks)
    if isinstance(cluster, StockCluster):
        timekeeper.add_chore(BEAT_EVERY, lambda: hooks.beat(node_name()))
    is_asked = _on_stop_signals()
    cluster.start()
    try:
        timekeeper.run(until=lambda: is_asked() or not cluster.is_alive())
        return 0 if cluster.is_alive() else SENTINEL_DIED
    finally:
        cluster.stop()


def _on_stop_signals() -> Callable[[], bool]:
    """Handlers that only note the signal: one that did more could meet a lock that its own process holds."""
    received: list[int] = []

    def note(signum: int, frame: FrameType | None) -> None:
        received.append(signum)

    for sig in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sig, note)
    return lambda: bool(received)
