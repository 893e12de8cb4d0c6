"""What every test may ask for: the database of this run, and an environment for real processes that share it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from engine import ports_production
from flows.versions import graph_of
from tests import failure_documents

DATABASE = {"db", "transactional_db"}


@pytest.fixture(scope="session")
def vendor() -> str:
    """``sqlite`` or ``postgresql``: what ``--database`` chose."""
    return connection.vendor


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """SQLite: a file per worker instead of memory, so that real worker processes can join."""
    config = settings.DATABASES["default"]
    if "sqlite" in config["ENGINE"]:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        config["TEST"]["NAME"] = str(Path(config["NAME"]).with_name(f"test_{worker}.sqlite3"))


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The test database, for whoever asks: pytest-django's own makes it only for tests with its mark or fixtures."""
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False)
    yield
    with django_db_blocker.unblock():
        _hang_up_others()
        teardown_databases(made, verbosity=0)


def _hang_up_others() -> None:
    """PostgreSQL drops no database in use: nobody may come any more, and threads of a pool that are still there go."""
    if connection.vendor != "postgresql":
        return
    name = connection.settings_dict["NAME"]
    connection.close()
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {connection.ops.quote_name(name)} ALLOW_CONNECTIONS false")
        cursor.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [name])


@pytest.fixture
def process_environment(transactional_db: None) -> Iterator[dict[str, str]]:
    """The environment for a real process on this test's database; the test's own connections are closed first.

    Use it with ``subprocess``: ``[sys.executable, "manage.py", ...]`` in the project's root.
    """
    yield {**os.environ, "SULTANA_DATABASE_URL": database_url()}
    connections.close_all()


def database_url() -> str:
    """The URL of the database the tests really use, in the form ``SULTANA_DATABASE_URL`` takes."""
    config = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{config['NAME']}"
    return f"postgres://{config['USER']}@{config['HOST']}:{config['PORT']}/{config['NAME']}"


@pytest.fixture(autouse=True)
def forgotten_versions() -> Iterator[None]:
    """A version never changes, so a process keeps its graph; a test's rollback makes its id mean another one."""
    yield
    ports_production._pinned.cache_clear()
    graph_of.cache_clear()


@pytest.fixture(autouse=True)
def failure_documents_are_valid(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test lets fail can be told as the contract wants it (it runs before the test's rows are gone)."""
    uses_database = DATABASE & set(request.fixturenames) or request.node.get_closest_marker("django_db") is not None
    for name in DATABASE & set(request.fixturenames):
        request.getfixturevalue(name)
    yield
    if uses_database:
        failure_documents.check()
