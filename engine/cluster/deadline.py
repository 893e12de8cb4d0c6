"""The deadline of one body: an alarm in the worker, and behind it a second line that the sentinel holds.

First line: a timer of the kernel raises DeadlinePassed in the worker's main thread, at any line of the body. Second
line, for a body that sits in C code or swallows the exception: the worker writes the deadline into memory that it
shares with the sentinel, which kills the worker OVERRUN seconds after it (engine notes, section 3).
"""

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

OVERRUN = 2.0  # seconds a worker may live on after a deadline
_REPEAT = 1.0  # seconds between alarms: Python drops one that meets a destructor

_is_armed = False
_shared: ctypes.c_double | None = None


class DeadlinePassed(BaseException):
    """The body took longer than it may. Not an Exception, so that the body's own ``except Exception`` lets it go."""


def arm(seconds: float) -> None:
    """Start the clock: DeadlinePassed is raised in this thread ``seconds`` from now, then each second until disarm().

    One body at a time; a second call moves the deadline. Outside a worker only the alarm exists, in another than the
    main thread (Python delivers signals there alone) and on Windows not even that.
    """
    global _is_armed
    if _shared is not None:
        _shared.value = time.monotonic() + seconds
    if _has_alarm():
        signal.signal(signal.SIGALRM, _on_alarm)
        _is_armed = True
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), _REPEAT)  # zero would mean: no timer


def disarm() -> None:
    """Stop the clock; safe to call when it does not run.

    An alarm that comes just before is raised from here, so call it (and ``deadline``) inside the ``try`` that
    handles DeadlinePassed. Once this has returned none can come.
    """
    global _is_armed
    _is_armed = False
    if _shared is not None:
        _shared.value = 0.0
    if _has_alarm():
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """arm() and disarm() around a block."""
    try:
        arm(seconds)
        yield
    finally:
        disarm()


def share(value: ctypes.c_double) -> None:
    """Use ``value`` (shared memory, monotonic seconds, 0 for none) as the second line. Called once in each worker."""
    global _shared
    _shared = value


def is_overrun(value: ctypes.c_double) -> bool:
    """The sentinel's question: has the worker with this shared value outlived its deadline by OVERRUN seconds?"""
    return 0.0 < value.value < time.monotonic() - OVERRUN


def _has_alarm() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _on_alarm(signum: int, frame: FrameType | None) -> None:
    if _is_armed:
        raise DeadlinePassed
