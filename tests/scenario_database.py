"""The database of this run as scenarios need it: one clean-up a module, not one a test."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from engine.scenarios.cleaning import clean


@pytest.fixture(scope="module")
def transactional_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Stands in for pytest-django's, which empties every table after every test: scenarios empty their own before they
    start. (Its name must be this one: only for tests that ask for it is there a database at all.)
    """
    statement = "PRAGMA synchronous = {}" if connection.vendor == "sqlite" else "SET synchronous_commit = {}"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(statement.format("OFF"))  # nobody needs these commits to outlive a power cut
        yield
        clean()
        cursor.execute(statement.format("FULL" if connection.vendor == "sqlite" else "ON"))
