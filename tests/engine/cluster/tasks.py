"""What the workers of the tests are sent: django-q2 calls these by their dotted names."""

import itertools
import os
import signal
import sys
import time
from contextlib import suppress

from engine import queue
from engine.cluster.deadline import DeadlinePassed, deadline
from tests.engine.cluster import notes

HERE = "tests.engine.cluster.tasks"


def note(label: str) -> None:
    notes.write("ran", label)


def work(label: str, milliseconds: int) -> None:
    notes.write("began", label)
    time.sleep(milliseconds / 1000)
    notes.write("ran", label)


def note_whether_others_wait(label: str) -> None:
    notes.write("began", label)
    end = time.monotonic() + 5
    while not (others := queue.has_ready_messages()) and time.monotonic() < end:
        time.sleep(0.01)
    notes.write("others", others)


def work_until_noted(label: str, what: str) -> None:
    notes.write("began", label)
    while not notes.read(what):
        time.sleep(0.01)
    notes.write("ran", label)


def work_until_asked_to_stop(label: str) -> None:
    notes.write("began", label)
    while not queue.is_stopping():
        time.sleep(0.01)
    notes.write("ran", label)


def sleep_until_the_deadline(label: str) -> None:
    try:
        with deadline(0.2):
            time.sleep(10)
    except DeadlinePassed:
        notes.write("ran", label)


def swallow_the_deadline(label: str) -> None:
    """A stubborn body: the first time it lets nothing through, the second time it only notes itself."""
    if label in notes.details("began"):
        notes.write("ran", label)
        return
    notes.write("began", label)
    with deadline(0.2):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with suppress(DeadlinePassed):
                time.sleep(1)


def sit_in_c_code(label: str) -> None:
    """One call that never returns to Python, so that no exception can be raised in it."""
    if label in notes.details("began"):
        notes.write("ran", label)
        return
    notes.write("began", label)
    with deadline(0.2):
        sum(itertools.repeat(1, 10**11))


def die_once(label: str) -> None:
    if not notes.read("began"):
        notes.write("began", label)
        os.kill(os.getpid(), signal.SIGKILL)
    notes.write("ran", label)


def exit_once(label: str) -> None:
    if not notes.read("began"):
        notes.write("began", label)
        sys.exit(0)
    notes.write("ran", label)


def return_what_cannot_be_pickled(label: str) -> object:
    notes.write("ran", label)
    return lambda: label


def return_a_megabyte(label: str) -> bytes:
    notes.write("ran", label)
    return bytes(1_000_000)
