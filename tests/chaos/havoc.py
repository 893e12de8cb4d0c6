"""Real clusters, and how they are killed: always SIGKILL, always at a moment of chance."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

WORKER, SENTINEL, PARENT = "flow-worker", "flow-sentinel", "flowcluster"
CALL_WITHIN = 1.0  # seconds to wait for a worker to be in a call
REBORN_WITHIN = 90.0  # seconds for the processes that were killed to be replaced


@dataclass
class Cluster:
    """A command that runs workers, and whom of it was killed when (monotonic seconds, taken just before the signal)."""

    process: "subprocess.Popen[bytes]"
    workers: int
    killed: dict[int, float] = field(default_factory=dict)
    blows: list[str] = field(default_factory=list)

    def kill(self, role: str) -> None:
        """Kill one process of that role, whichever it is, at a moment of chance."""
        self.wait_until_complete()
        time.sleep(random.uniform(0, 0.05))
        self._kill_one_of(self._pids(role), role)

    def kill_busy_worker(self, busy: Callable[[], Collection[int]]) -> None:
        """Kill a worker that is in a call as far as ``busy`` (process ids) knows; whichever when none is for a while."""
        self.wait_until_complete()
        end = time.monotonic() + CALL_WITHIN
        while not (victims := set(self._pids(WORKER)) & set(busy())) and time.monotonic() < end:
            time.sleep(0.001)
        self._kill_one_of(list(victims) or self._pids(WORKER), WORKER)

    def _kill_one_of(self, victims: list[int], role: str) -> None:
        if not victims:
            return  # it is being replaced at this very moment
        victim = random.choice(victims)
        moment = time.monotonic()
        for pid in [victim, *_below(victim)]:
            self.killed.setdefault(pid, moment)
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
            self.blows.append(role)

    def wait_until_complete(self) -> None:
        """Return once all workers run. Raises ``TimeoutError``."""
        end = time.monotonic() + REBORN_WITHIN
        while len(self._pids(WORKER)) < self.workers:
            if time.monotonic() > end or self.process.poll() is not None:
                raise TimeoutError(f"{len(self._pids(WORKER))} of {self.workers} workers run ({self.process.poll()=}).")
            time.sleep(0.02)

    def _pids(self, role: str) -> list[int]:
        below = _below(self.process.pid)
        if role == PARENT:
            sentinels = [pid for pid in below if _name(pid) == SENTINEL]
            return [_parent(pid) for pid in sentinels]
        return [pid for pid in below if _name(pid) == role]


@contextmanager
def running(environment: dict[str, str], *command: str, workers: int) -> Iterator[Cluster]:
    """Run ``manage.py`` with ``command`` and that many workers; all of it is gone afterwards."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        env={**environment, "DJANGO_SETTINGS_MODULE": "tests.chaos.settings", "SULTANA_WORKERS": str(workers)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    cluster = Cluster(process, workers)
    try:
        yield cluster
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def _below(pid: int) -> list[int]:
    """All descendants of a process that are there at this moment."""
    try:
        children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(below for child in children for below in _below(child))]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
