"""Real worker processes, and waiting for what they do without disturbing them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connection
from django.db.models import Count

from bench.definitions import Published
from engine import commands
from engine.models import Instance
from engine.ports_production import ports
from engine.states import TERMINAL, Status

PATIENCE = 600.0  # seconds until a measurement that does not end is given up
LOOK_EVERY = 0.0005  # seconds between two looks at SQLite's version; one takes some microseconds
QUIET = 1.0  # seconds between two looks that nobody shall notice
TOO_SLOW = f"The workers did not get there in {PATIENCE:.0f} s; their log is above."
CHANNEL = "sultana_events"  # on which the store tells of runs that rest or end


class Cluster:
    """A running ``flowcluster``."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        return [pid for pid in _descendants(self._process.pid) if _name(pid) == "flow-worker"]

    def memory_mb(self) -> float:
        """The mean proportional set size of a worker in MB: pages that several processes share count by their share."""
        sizes = [_pss_kb(pid) for pid in self.workers()]
        return sum(sizes) / len(sizes) / 1024

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)


@contextmanager
def running_cluster(workers: int, warm_up: Published) -> Iterator[Cluster]:
    """A cluster on the database of this process, whose workers have each carried out ``warm_up`` a few times."""
    environment = {
        **os.environ,
        "SULTANA_WORKERS": str(workers),
        "DJANGO_SETTINGS_MODULE": "bench.settings",
    }
    process = subprocess.Popen([sys.executable, "manage.py", "flowcluster"], cwd=settings.BASE_DIR, env=environment)
    try:
        run_quietly(warm_up, 10 * workers)
        cluster = Cluster(process)
        yield cluster
        cluster.stop()
    finally:
        process.kill()
        process.wait()


class Watch:
    """Wakes when something was committed: by LISTEN on PostgreSQL, by SQLite's ``data_version`` there."""

    def __init__(self) -> None:
        self._listener: psycopg.Connection[tuple[object, ...]] | None = None
        if connection.vendor == "postgresql":
            self._listener = psycopg.connect(**connection.get_connection_params(), autocommit=True)
            self._listener.execute(f"LISTEN {CHANNEL}")

    def until(self, condition: Callable[[], bool]) -> float:
        """The moment (``time.perf_counter``) at which ``condition`` was found true. Raises ``TimeoutError``."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            version = self._version()
            if condition():
                return time.perf_counter()
            self._wait(version)
        raise TimeoutError(TOO_SLOW)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()

    def _wait(self, version: int) -> None:
        if self._listener is not None:
            list(self._listener.notifies(timeout=0.25, stop_after=1))
            return
        while self._version() == version:
            time.sleep(LOOK_EVERY)

    def _version(self) -> int:
        if self._listener is not None:
            return 0
        connection.ensure_connection()
        version: int = connection.connection.execute("PRAGMA data_version").fetchone()[0]
        return version


@contextmanager
def watching() -> Iterator[Watch]:
    watch = Watch()
    try:
        yield watch
    finally:
        watch.close()


def start(flow: Published, **given: object) -> Instance:
    """Start a run with ``n`` 0 and ``given`` as its input."""
    return commands.start(flow.flow_id, flow.version_id, input={"n": 0, **given}, ports=ports())


def run_quietly(flow: Published, count: int) -> float:
    """Start so many runs one by one and look for their ends now and then; answers about the seconds it took.

    One look a second: whoever waits shall not be measured together with the workers.
    """
    begun = time.monotonic()
    have_ended = all_ended([start(flow).id for _ in range(count)])
    while not have_ended():
        if time.monotonic() > begun + PATIENCE:
            raise TimeoutError(TOO_SLOW)
        time.sleep(QUIET)
    return time.monotonic() - begun


def all_ended(runs: Sequence[UUID]) -> Callable[[], bool]:
    """Whether these runs have ended: a look at the last of them, and at all once that one has.

    Raises ``RuntimeError`` for one that did not complete.
    """

    def look() -> bool:
        if Instance.objects.values_list("status", flat=True).get(id=runs[-1]) not in TERMINAL:
            return False
        counted = Instance.objects.filter(id__in=runs).values_list("status").annotate(Count("id"))
        found: dict[str, int] = dict(counted.order_by())
        wrong = set(found) & TERMINAL - {Status.COMPLETED}
        if wrong:
            raise RuntimeError(f"Runs that should have completed ended {', '.join(sorted(wrong))}.")
        return found.get(Status.COMPLETED) == len(runs)

    return look


def _descendants(pid: int) -> list[int]:
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(below for child in children for below in _descendants(child))]


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def _pss_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise RuntimeError(f"The kernel does not say how much memory process {pid} has.")
