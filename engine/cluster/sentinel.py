"""The process that watches over the others: replaces who dies, releases what a dead one held, gives signs of life.

It takes the place of django-q2's Sentinel, which stands still for ever when a process is killed while it holds a
semaphore. The loops inside the processes are django-q2's own.
"""

import ctypes
import logging
import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.sharedctypes import RawValue, synchronized
from typing import TYPE_CHECKING, Any, Literal

from django.db import connections
from django_q.conf import Conf

from engine.cluster.broker import FlowBroker
from engine.cluster.deadline import is_overrun
from engine.cluster.identity import node_name, worker_name
from engine.cluster.linux import die_with_parent, name_process
from engine.cluster.packets import Flag, PacketQueue
from engine.cluster.worker import run_monitor, run_pusher, run_worker

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

log = logging.getLogger(__name__)

CYCLE = 0.5  # seconds between two looks when nothing happens; a death ends the wait at once
BEAT_EVERY = 2.0  # seconds
YOUNG = 1.0  # seconds: who dies younger is replaced only after a CYCLE
PATIENCE = 10.0  # seconds for the pusher and the monitor to end when asked to
SMALLEST_BUFFER = 4608  # bytes: the kernel's least, so that few messages wait in front of a busy worker
RECYCLED = -2  # what django-q2's worker leaves in its timer when it has done its number of tasks
TIMED_OUT = 0  # and when it ends after reporting that django-q2's own time-out struck

Role = Literal["worker", "monitor", "pusher"]
EVERYBODY: tuple[Role, ...] = ("worker", "monitor", "pusher")
ONLY_MONITOR: tuple[Role, ...] = ("monitor",)


@dataclass(frozen=True)
class Hooks:
    """What the engine wants to know. Both run in the sentinel's process; what they raise is logged and tried again."""

    worker_died: Callable[[str], None]  # the worker's name: expire its leases, tell its runs
    beat: Callable[[str], None]  # the node's name: it is alive


@dataclass
class Child:
    """One process and the memory shared with it.

    ``in_hand``: what would be lost with it, the id of a message or, in the pusher, a claim of the broker; 0 for none.
    """

    role: Role
    process: "ForkProcess"
    in_hand: ctypes.c_int64
    due: ctypes.c_double
    timer: ctypes.c_float
    born: float = field(default_factory=time.monotonic)

    def was_lost(self) -> bool:
        """Whether the process ended without having finished what it had in hand. Ask only once it has ended."""
        if self.process.exitcode != 0 or self.role != "worker":
            return self.process.exitcode != 0
        return self.in_hand.value != 0 and self.timer.value not in (RECYCLED, TIMED_OUT)


@dataclass(frozen=True)
class Loss:
    """What is still to be told about a process that died."""

    worker: str | None = None
    messages: tuple[int, ...] = ()
    claim: int = 0


class FlowSentinel:
    """Runs until ``stop`` is set and everything in hand is finished; sets ``started`` once all processes run."""

    def __init__(self, hooks: Hooks, stop: Flag, started: Flag) -> None:
        self._hooks = hooks
        self._stop = stop
        self._started = started
        self._broker = FlowBroker()
        self._tasks = PacketQueue(capacity=SMALLEST_BUFFER)
        self._results = PacketQueue()
        self._children: list[Child] = []
        self._losses: list[Loss] = []
        self._next_beat = 0.0
        self._is_hasty = False  # somebody died young: do not replace them as fast as they die

    def run(self) -> None:
        try:
            for _ in range(Conf.WORKERS - 1):
                self._spawn("worker")
            for role in EVERYBODY:
                self._spawn(role)
            self._started.set()
            while not self._stop.is_set():
                self._tend(replace=EVERYBODY)
                self._pause()
            self._wind_down()
        finally:
            for child in self._children:
                child.process.kill()

    def _wind_down(self) -> None:
        """Finish the bodies that run, give everything else back to the queue, then let the results be saved."""
        self._outlast("worker", "pusher", replace=ONLY_MONITOR)
        self._results.put("STOP")
        self._outlast("monitor", replace=())
        self._tell_losses()

    def _outlast(self, *roles: Role, replace: Collection[Role]) -> None:
        """Wait until these are gone: a worker may finish its body, the others have PATIENCE."""
        patience_ends = time.monotonic() + PATIENCE
        while any(child.role in roles for child in self._children):
            self._pause()
            for child in self._children:
                if child.role in roles and child.role != "worker" and time.monotonic() > patience_ends:
                    child.process.kill()
            self._give_back_prefetched()
            self._tend(replace=replace)

    def _tend(self, *, replace: Collection[Role]) -> None:
        for child in self._children:
            if child.role == "worker" and is_overrun(child.due):
                log.warning("worker %s did not stop at its deadline and is killed", worker_name(child.process.pid))
                child.process.kill()
                child.process.join(1)
        for child in [child for child in self._children if not child.process.is_alive()]:
            self._bury(child)
            if child.role in replace:
                self._spawn(child.role)
        self._tell_losses()
        self._beat()

    def _pause(self) -> None:
        """Wait until a process ends, the cluster is asked to stop, or CYCLE is over."""
        if self._is_hasty:
            self._is_hasty = False
            time.sleep(CYCLE)
            return
        asked = [] if self._stop.is_set() else [self._stop.fileno()]
        ready = wait([*asked, *(child.process.sentinel for child in self._children)], CYCLE)
        for child in self._children:
            if child.process.sentinel in ready:
                child.process.join(1)  # its files are closed before it can be collected

    # --- births and deaths ---------------------------------------------------------------------------------------

    def _spawn(self, role: Role) -> None:
        connections.close_all()  # a connection must not be shared through a fork
        in_hand = RawValue(ctypes.c_int64, 0)
        due = RawValue(ctypes.c_double, 0.0)
        timer = RawValue(ctypes.c_float, -1.0)
        process = multiprocessing.get_context("fork").Process(
            target=self._run_child, args=(role, os.getpid(), in_hand, due, timer), daemon=True
        )
        process.start()
        self._children.append(Child(role, process, in_hand, due, timer))

    def _run_child(
        self, role: Role, parent: int, in_hand: ctypes.c_int64, due: ctypes.c_double, timer: ctypes.c_float
    ) -> None:
        prepare_process(f"flow-{role}", parent)
        if role == "monitor":
            run_monitor(self._results, self._broker, in_hand=in_hand)
        elif role == "pusher":
            run_pusher(self._tasks, self._stop, self._broker, in_hand=in_hand)
        else:
            # django-q2's worker takes the lock of its timer. It is made here, after the fork: nobody else has it.
            run_worker(self._tasks, self._results, synchronized(timer), stop=self._stop, in_hand=in_hand, due=due)

    def _bury(self, child: Child) -> None:
        self._children.remove(child)
        if not child.was_lost():
            return
        self._is_hasty = time.monotonic() - child.born < YOUNG
        log.warning("%s %s ended with exit code %s", child.role, child.process.pid, child.process.exitcode)
        in_hand = child.in_hand.value
        if child.role == "pusher":
            self._losses.append(Loss(claim=in_hand))
        else:
            worker = worker_name(child.process.pid) if child.role == "worker" else None
            self._losses.append(Loss(worker, messages=(in_hand,) if in_hand else ()))

    def _tell_losses(self) -> None:
        self._losses = [loss for loss in self._losses if not self._tell(loss)]

    def _tell(self, loss: Loss) -> bool:
        """First the lease, then the message: in the other order the message would meet a lease that still holds."""
        return (
            (loss.worker is None or self._try(self._hooks.worker_died, loss.worker))
            and (not loss.messages or self._try(self._broker.release, loss.messages))
            and (not loss.claim or self._try(self._broker.release_claim, loss.claim))
        )

    def _give_back_prefetched(self) -> None:
        """Release the messages that no worker has begun."""
        messages = []
        try:
            while True:
                messages.append(self._tasks.get_nowait()["ack_id"])
        except queue.Empty:
            self._losses.extend([Loss(messages=tuple(messages))] if messages else [])

    def _beat(self) -> None:
        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + BEAT_EVERY
            self._try(self._hooks.beat, node_name())

    def _try(self, action: Callable[[Any], None], argument: object) -> bool:
        """Call into the database; on an error: log, drop the connections, return False."""
        try:
            action(argument)
        except Exception as error:
            log.warning("%s(%s) failed: %s", getattr(action, "__name__", action), argument, error)
            connections.close_all()
            return False
        return True


def prepare_process(name: str, parent: int) -> None:
    """Tie a process of the cluster to its parent, name it, and leave stopping it to the parent.

    A handler that does nothing, instead of ignoring the signals: a program that a step starts would inherit that.
    """
    die_with_parent(parent)
    name_process(name)
    for sig in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sig, lambda signum, frame: None)
