"""Databases to measure on: a file in a temporary directory, or a PostgreSQL server of its own that really syncs."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg

Vendor = Literal["sqlite", "postgres"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where one round of measurements happens: two empty databases on one disk, ours and the other engine's."""

    vendor: Vendor
    ours: str
    theirs: str
    directory: Path


@contextmanager
def make_place(vendor: Vendor) -> Iterator[Place]:
    """An empty place, gone afterwards. Raises ``RuntimeError`` when the server does not sync its log."""
    with tempfile.TemporaryDirectory(prefix="sultana-bench-", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        if vendor == "sqlite":
            ours, theirs = (f"sqlite:///{directory / each}.sqlite3" for each in ("ours", "theirs"))
            yield Place(vendor, ours, theirs, directory)
        else:
            yield from _on_server(directory)


def _on_server(directory: Path) -> Iterator[Place]:
    from tests.postgres import running_server  # only now: it needs the wheel with the binaries

    with running_server(fsync="on") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                found = connection.execute(f"SHOW {setting}").fetchone()
                if found != ("on",):
                    raise RuntimeError(f"The server must run with {setting} on to be measured, not {found}.")
            for name in ("ours", "theirs"):
                connection.execute(f"CREATE DATABASE {name}")
        server = url.rpartition("/")[0]
        yield Place("postgres", f"{server}/ours", f"{server}/theirs", directory)
