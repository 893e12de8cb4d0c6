"""``manage.py up``: the web server and the cluster under one command, each started again when it ends."""

import os
import sys
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from engine.cluster.identity import new_node_name
from engine.cluster.supervisor import Program, Supervisor

SILENCE = 15.0  # seconds without a sign of life after which a cluster is killed
FIRST_SIGN = 60.0  # seconds a cluster may take to give the first one: a busy machine is slow to start
GRACE = 30.0  # seconds for what runs to finish when asked to stop


class Command(BaseCommand):
    help = "Runs everything: the web server and the workers. Stop it with Ctrl+C; a second Ctrl+C does not wait."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address the web server listens on")
        parser.add_argument("--port", type=int, default=8000, help="port the web server listens on")
        parser.add_argument("--workers", type=_at_least_one, help="worker processes, by default SULTANA_WORKERS or 2")
        parser.add_argument("--no-web", action="store_true", help="run the workers only")
        parser.add_argument(
            "--grace", type=float, default=GRACE, help="seconds for running steps to finish when it is stopped"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"]:
            os.environ["SULTANA_WORKERS"] = str(options["workers"])  # for the cluster, which reads its own settings
        programs = [_cluster()]
        if not options["no_web"]:
            programs.insert(0, _web(options["host"], options["port"]))
        Supervisor(programs, grace=options["grace"], directory=str(settings.BASE_DIR), say=self._say).run()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _web(host: str, port: int) -> Program:
    command = [sys.executable, "-m", "uvicorn", "designer.asgi:application", "--host", host, "--port", str(port)]
    # Pages that follow a run keep a connection open; they are cut off, their browsers come back by themselves.
    quiet = ["--log-level", "warning", "--no-access-log", "--timeout-graceful-shutdown", "3"]
    return Program(f"web server on http://{host}:{port}", lambda: [*command, *quiet])


def _cluster() -> Program:
    cluster = _Cluster()
    return Program("cluster", cluster.command, cluster.is_stuck)


class _Cluster:
    """One start of the cluster after the other, each under a name that tells its signs of life apart."""

    def __init__(self) -> None:
        self._node = ""

    def command(self) -> Sequence[str]:
        self._node = new_node_name()
        return [sys.executable, "manage.py", "flowcluster", "--node", self._node]

    def is_stuck(self, running_for: float) -> bool:
        from engine import recovery  # here, for the reason given in flowcluster

        try:
            silent_for = recovery.seconds_since_beat(self._node)
        finally:
            connection.close()  # asked every few seconds: not worth keeping one that may break meanwhile
        return running_for > FIRST_SIGN if silent_for is None else silent_for > SILENCE


def _at_least_one(text: str) -> int:
    if (count := int(text)) < 1:
        raise ValueError("at least one worker is needed")
    return count
