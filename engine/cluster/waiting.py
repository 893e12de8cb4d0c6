"""Waiting until somebody may have committed something, or until a time is up.

Use: ``arm()``, then look at the rows, then ``wait()``. What is committed after ``arm()`` ends the wait, so nothing
that the look has missed is slept through.
"""

import time
from typing import Any, Protocol

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

TICK = 0.01  # seconds between two looks on SQLite


class Waiter(Protocol):
    def arm(self) -> None:
        """Forget what has happened so far."""

    def wait(self, seconds: float) -> bool:
        """Return True as soon as something has happened since ``arm()``, False after ``seconds``."""

    def close(self) -> None:
        """Give back what the waiter holds; it cannot be used again."""


def make_waiter(channel: str, *, using: str = DEFAULT_DB_ALIAS) -> Waiter:
    """A waiter for this database. Make it after the fork, use it in one thread.

    ``channel``: on PostgreSQL the channel of the NOTIFY; on SQLite any commit of another connection counts.
    """
    vendor = connections[using].vendor
    if vendor == "sqlite":
        return SqliteWaiter(using)
    if vendor == "postgresql":
        return PostgresWaiter(channel, using)
    raise ValueError(f'database "{using}" is {vendor}: the queue runs on SQLite and on PostgreSQL')


class SqliteWaiter:
    """Asks for SQLite's ``data_version``, which changes when another connection has committed."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._seen: int | None = None

    def arm(self) -> None:
        self._seen = self._version()

    def wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(TICK, left))
            if self._version() != self._seen:
                return True
        return False

    def close(self) -> None:
        """Nothing to do: the connection is Django's."""

    def _version(self) -> int:
        connection = connections[self._using]
        connection.ensure_connection()
        version: int = connection.connection.execute("PRAGMA data_version").fetchone()[0]
        return version


class PostgresWaiter:
    """Listens on a connection of its own: Django's may be inside a transaction, which delays notifications."""

    def __init__(self, channel: str, using: str) -> None:
        parameters: dict[str, Any] = connections[using].get_connection_params()
        self._connection = psycopg.connect(**parameters, autocommit=True)
        self._connection.execute(f'LISTEN "{channel}"')

    def arm(self) -> None:
        list(self._connection.notifies(timeout=0))

    def wait(self, seconds: float) -> bool:
        return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))

    def close(self) -> None:
        self._connection.close()
