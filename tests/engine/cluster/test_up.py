"""``manage.py up``: the real command with the real web server and the real cluster."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django_q.models import OrmQ

from engine import queue
from engine.models import WorkerNode
from tests.engine.cluster.conftest import eventually, is_alive

pytestmark = [pytest.mark.chaos, pytest.mark.django_db(transaction=True)]


class Up:
    def __init__(self, log: Path, environment: dict[str, str], *options: str) -> None:
        self.log = log
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), *options]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=settings.BASE_DIR, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
        self.root = psutil.Process(self.process.pid)

    def named(self, name: str) -> list[psutil.Process]:
        return [child for child in self.root.children(recursive=True) if is_alive(child) and child.name() == name]

    def answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/no-such-page").status_code == 404
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        members = self.root.children(recursive=True)
        self.process.terminate()
        assert self.process.wait(timeout=10) == 0
        assert not [member for member in members if is_alive(member)]

    def destroy(self) -> None:
        if self.process.poll() is None:
            for process in [*self.root.children(recursive=True), self.root]:
                process.kill()
        self.process.wait()


@pytest.fixture
def up(tmp_path: Path, process_environment: dict[str, str]) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(*options: str) -> Up:
        started.append(Up(tmp_path / "log", process_environment, *options))
        return started[-1]

    yield start
    for running in started:
        running.destroy()


def test_one_command_runs_web_server_and_workers_and_stops_both(up: Callable[..., Up]) -> None:
    running = up("--workers", "3")
    eventually(lambda: len(running.named("flow-worker")) == 3 and WorkerNode.objects.exists(), within=40)
    eventually(running.answers, within=40)
    running.stop()
    assert running.log.read_text().splitlines() == [
        f"web server on http://127.0.0.1:{running.port} started",
        "cluster started",
        "stopping",
        "stopped",
    ]


def test_without_web_only_the_workers_run_and_a_killed_cluster_comes_back(up: Callable[..., Up]) -> None:
    running = up("--no-web", "--workers", "1")
    eventually(WorkerNode.objects.exists, within=40)
    first = WorkerNode.objects.get().name
    (cluster,) = running.root.children()
    cluster.kill()
    eventually(WorkerNode.objects.exclude(name=first).exists, within=40)
    queue.send_hint("00000000-0000-7000-8000-000000000000")
    eventually(lambda: not OrmQ.objects.exists(), within=40)
    assert not running.answers()
    running.stop()
    assert "Traceback" not in running.log.read_text()


@pytest.mark.parametrize("workers", ["0", "many"])
def test_a_number_of_workers_that_makes_no_sense_is_refused(workers: str) -> None:
    with pytest.raises(CommandError, match="--workers"):
        call_command("up", "--workers", workers)
