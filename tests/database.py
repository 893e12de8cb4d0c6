"""Pytest plugin, loaded before Django: ``--database sqlite|postgres`` chooses what the whole run is made on.

It only sets the environment that ``designer.settings`` reads, so tests and the real processes they start agree.
"""

import os
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["sqlite", "postgres"],
        default="sqlite",
        help="the database of this run; PostgreSQL is started for it in a temporary directory",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """A wrapper runs before pytest-django loads the settings. Workers of pytest-xdist inherit the environment."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        stack = ExitStack()
        stack.enter_context(_environment(early_config.known_args_namespace.database))
        early_config.add_cleanup(stack.close)
    # A time-out around pytest ends it like Ctrl+C does: what the tests started is stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield


@contextmanager
def _environment(database: str) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="sultana-tests-", ignore_cleanup_errors=True) as place:
        os.environ["SULTANA_VAR_DIR"] = place
        if database == "sqlite":
            os.environ["SULTANA_DATABASE_URL"] = f"sqlite:///{Path(place) / 'sultana.sqlite3'}"
            yield
        else:
            from tests import postgres  # only now: it needs the wheel with the binaries

            with postgres.running_server() as url:
                os.environ["SULTANA_DATABASE_URL"] = url
                yield
