"""``manage.py up``: the real command with the real web server and the real cluster."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django_q.models import OrmQ

from engine import queue
from engine.cluster.supervisor import Supervisor
from engine.models import WorkerNode
from tests.engine.cluster.conftest import eventually, is_alive

pytestmark = [pytest.mark.chaos, pytest.mark.django_db(transaction=True)]

PATIENCE = 120.0  # seconds: several Pythons start, and the machine may be busy


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
        found = []
        for child in self.root.children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it may end while it is looked at
                if is_alive(child) and child.name() == name:
                    found.append(child)
        return found

    def answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/no-such-page").status_code == 404
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        members = self.root.children(recursive=True)
        self.process.terminate()
        assert self.process.wait(timeout=40) == 0
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


def test_one_command_runs_web_server_and_workers_and_starts_a_killed_cluster_again(up: Callable[..., Up]) -> None:
    running = up("--workers", "3")
    eventually(lambda: len(running.named("flow-worker")) == 3 and WorkerNode.objects.exists(), within=PATIENCE)
    eventually(running.answers, within=PATIENCE)
    first = WorkerNode.objects.get().name
    running.named("flow-sentinel")[0].kill()
    eventually(WorkerNode.objects.exclude(name=first).exists, within=PATIENCE)
    queue.send_hint("00000000-0000-7000-8000-000000000000")
    eventually(lambda: not OrmQ.objects.exists(), within=PATIENCE)
    running.stop()
    web = f"web server on http://127.0.0.1:{running.port} started"
    ended = "cluster ended (exit code 3), starts again in 0.4 s"
    assert running.log.read_text().splitlines() == [
        web,
        "cluster started",
        ended,
        "cluster started",
        "stopping",
        "stopped",
    ]


def test_without_web_only_the_workers_run(monkeypatch: pytest.MonkeyPatch) -> None:
    supervised: list[str] = []

    class Noting(Supervisor):
        def run(self) -> None:
            supervised.extend(program.name for program in self._programs)

    monkeypatch.setattr("engine.management.commands.up.Supervisor", Noting)
    call_command("up", "--no-web")
    assert supervised == ["cluster"]


@pytest.mark.parametrize("workers", ["0", "many"])
def test_a_number_of_workers_that_makes_no_sense_is_refused(workers: str) -> None:
    with pytest.raises(CommandError, match="--workers"):
        call_command("up", "--workers", workers)
