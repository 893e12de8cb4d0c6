"""Keeps programs running: starts them, starts them again when they end, and stops them without leaving any behind."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.4, 15.0  # seconds before a program that ended is started again; doubled each time
SETTLED = 30.0  # seconds after which a program counts as running well, and its next pause is short again
LOOK_EVERY = 0.1  # seconds
CHECK_EVERY = 5.0  # seconds between two questions whether a program is stuck


@dataclass
class Program:
    """Something to keep running.

    ``command`` is asked for the command line at every start. ``is_stuck`` is given the seconds the program has been
    running and asked each CHECK_EVERY seconds, in a thread; two times True in a row have it killed and started
    again. What it raises counts as False: a check that cannot be made says nothing about the program.
    """

    name: str
    command: Callable[[], Sequence[str]]
    is_stuck: Callable[[float], bool] | None = None
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)
    started_at: float = field(default=0.0, init=False)
    failures: int = field(default=0, init=False)
    start_at: float = field(default=0.0, init=False)


class Supervisor:
    """Runs in the main thread; ``say`` is called with one line for each event.

    Each program leads a session of its own and is tied to this process: should this process be killed, the kernel
    sends SIGTERM to the programs. To stop, SIGTERM goes to the leader alone, which ends its children in order; after
    ``grace`` seconds, or at the second signal, the whole group is killed.
    """

    def __init__(
        self, programs: Sequence[Program], *, grace: float, directory: str, say: Callable[[str], None]
    ) -> None:
        self._programs = programs
        self._grace = grace
        self._directory = directory
        self._say = say
        self._signals = 0

    def run(self) -> None:
        """Return when SIGTERM, SIGINT or SIGHUP was received and everything has ended."""
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(sig, self._note_signal)
        threading.Thread(target=self._watch, daemon=True, name="watchdog").start()
        while not self._signals:
            for program in self._programs:
                self._look_after(program)
            time.sleep(LOOK_EVERY)
        self._stop_all()

    def _look_after(self, program: Program) -> None:
        process = program.process
        if process is None:
            if time.monotonic() >= program.start_at:
                self._start(program)
        elif (code := process.poll()) is not None:
            self._note_end(program, process.pid, code)
        elif time.monotonic() - program.started_at > SETTLED:
            program.failures = 0

    def _start(self, program: Program) -> None:
        tether = [sys.executable, "-m", "engine.cluster.tether", str(os.getpid())]
        program.process = subprocess.Popen(
            [*tether, *program.command()], cwd=self._directory, stdin=subprocess.DEVNULL, start_new_session=True
        )
        program.started_at = time.monotonic()
        self._say(f"{program.name} started")

    def _note_end(self, program: Program, group: int, code: int) -> None:
        _kill_group(group)  # what its leader left behind
        pause = min(FIRST_PAUSE * 2.0**program.failures, LONGEST_PAUSE)
        program.process = None
        program.failures = min(program.failures + 1, 10)
        program.start_at = time.monotonic() + pause
        self._say(f"{program.name} ended ({_describe(code)}), starts again in {pause:.1f} s")

    def _stop_all(self) -> None:
        self._say("stopping")
        running = [program for program in self._programs if program.process is not None]
        for program in running:
            assert program.process is not None
            program.process.send_signal(signal.SIGTERM)
        end = time.monotonic() + self._grace
        for program in running:
            assert program.process is not None
            while program.process.poll() is None and time.monotonic() < end and self._signals < 2:
                time.sleep(LOOK_EVERY / 2)
            if program.process.poll() is None:
                self._say(f"{program.name} did not stop and is killed")
            _kill_group(program.process.pid)
            program.process.wait()
        self._say("stopped")

    def _watch(self) -> None:
        suspects: set[int] = set()
        while True:
            time.sleep(CHECK_EVERY)
            stuck = {program.process.pid: program for program in self._programs if program.process is not None}
            stuck = {pid: program for pid, program in stuck.items() if _is_stuck(program)}
            for pid in suspects & set(stuck):
                self._say(f"{stuck[pid].name} gives no sign of life and is killed")
                _kill_group(pid)  # the main loop sees its end and starts it again
            suspects = set(stuck)

    def _note_signal(self, signum: int, frame: FrameType | None) -> None:
        self._signals += 1


def _is_stuck(program: Program) -> bool:
    if program.is_stuck is None:
        return False
    try:
        return program.is_stuck(time.monotonic() - program.started_at)
    except Exception as error:
        log.warning("whether %s is alive cannot be told: %s", program.name, error)
        return False


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):  # nobody is left
        os.killpg(leader, signal.SIGKILL)


def _describe(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
