"""A real web server on loopback, on the database of the test that asks for it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx

from engine.cluster.linux import die_with_parent

ROOT = Path(__file__).parents[2]


class Server:
    """A running server; ``url`` is where, ``threads()`` how many it has."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.process = process
        self.url = url

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))


@contextmanager
def running_server(environment: dict[str, str]) -> Iterator[Server]:
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", "designer.asgi:application", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--log-level", "warning"],
        cwd=ROOT,
        env=environment,
        preexec_fn=partial(die_with_parent, os.getpid()),
    )
    try:
        server = Server(process, f"http://127.0.0.1:{port}")
        _wait_until_ready(server)
        yield server
    finally:
        process.kill()
        process.wait()


def _wait_until_ready(server: Server) -> None:
    deadline = time.monotonic() + 120  # its imports alone take seconds, and more where much else runs
    while server.process.poll() is None and time.monotonic() < deadline:
        try:
            httpx.get(f"{server.url}/api/nowhere", timeout=30)
            return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"The web server did not start; its exit code is {server.process.poll()}.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
