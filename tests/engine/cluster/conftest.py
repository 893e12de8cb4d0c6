"""Real clusters on the database of the run."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from django.db import connection, connections
from django_q.models import OrmQ
from pytest_django import DjangoDbBlocker

from engine import queue
from tests.engine.cluster import notes
from tests.engine.cluster.host import host
from tests.engine.cluster.tasks import HERE

# Real processes look on, so nothing may be rolled back; naming the one app keeps the flush after each test short.
on_a_real_database = pytest.mark.django_db(transaction=True, available_apps=["django_q"])


def eventually(condition: Callable[[], object], within: float = 20.0) -> float:
    """Wait until ``condition()`` is true; return the seconds it took, fail the test after ``within``."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < within, f"not within {within} s"
        time.sleep(0.02)
    return time.monotonic() - start


def send(task: str, *args: str | int) -> int:
    return queue.send(f"{HERE}.{task}", *args)


class RunningCluster:
    """A process that runs host(), and those below it."""

    def __init__(self, log: Path, workers: int = 2, is_linux: bool = True) -> None:
        before = len(notes.read("beat"))
        connections.close_all()
        self._log = log
        arguments = (os.getpid(), workers, is_linux, log)
        self._process = multiprocessing.get_context("fork").Process(target=host, args=arguments)
        self._process.start()
        assert self._process.pid is not None
        self.root = psutil.Process(self._process.pid)
        eventually(lambda: len(notes.read("beat")) > before and len(self.all()) == workers + 4)

    def all(self) -> list[psutil.Process]:
        return [self.root, *self.root.children(recursive=True)]

    def of(self, *roles: str) -> list[psutil.Process]:
        """The processes of these roles: sentinel, worker, monitor or pusher."""
        names = {f"flow-{role}" for role in roles}
        return [child for child in self.root.children(recursive=True) if _name(child) in names]

    def busy(self) -> psutil.Process:
        """The worker that noted its beginning last."""
        return psutil.Process(notes.read("began")[-1].pid)

    def logged(self, text: str) -> bool:
        return text in self._log.read_text()

    def wait(self, within: float) -> int | None:
        """The exit code; None when the cluster has not ended in that time."""
        self._process.join(within)
        return self._process.exitcode

    def stop(self, within: float = 20.0) -> int | None:
        """Ask it to stop; fail if anything is left of it, return the exit code."""
        members = self.all()
        self.root.terminate()
        code = self.wait(within)
        eventually(lambda: not any(is_alive(member) for member in members), within=5)
        return code

    def destroy(self) -> None:
        if self._process.is_alive():
            for member in self.all():
                member.kill()
        self._process.join()


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; an orphan that nobody has collected yet does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


@pytest.fixture(scope="module")
def tables(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        notes.create_tables()
        yield
        notes.drop_tables()
        connections.close_all()


@pytest.fixture
def clean(tables: None, transactional_db: None) -> None:
    """An empty queue and no notes. Real processes look on, so nothing may be rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM cluster_note")
        cursor.execute("DELETE FROM cluster_timer")


@pytest.fixture(scope="module")
def lasting_cluster(tables: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    cluster = RunningCluster(tmp_path_factory.mktemp("cluster") / "log")
    yield cluster
    cluster.destroy()


@pytest.fixture
def cluster(lasting_cluster: RunningCluster, clean: None) -> Iterator[RunningCluster]:
    """A cluster of two workers that all tests of a module share: it has to survive what they do to it."""
    yield lasting_cluster
    eventually(lambda: not OrmQ.objects.exists())


@pytest.fixture
def start_cluster(clean: None, tmp_path: Path) -> Iterator[Callable[..., RunningCluster]]:
    """A function that starts a cluster of the test's own."""
    started: list[RunningCluster] = []

    def start(workers: int = 2, is_linux: bool = True) -> RunningCluster:
        started.append(RunningCluster(tmp_path / "log", workers, is_linux))
        return started[-1]

    yield start
    for cluster in started:
        cluster.destroy()
