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
    with django_db_blocker.unblock():
        _make_durable(False)  # nobody needs these commits to outlive a power cut
        yield
        clean()
        _make_durable(True)


def _make_durable(durable: bool) -> None:
    statement, words = "SET synchronous_commit = {}", ("OFF", "ON")
    if connection.vendor == "sqlite":
        statement, words = "PRAGMA synchronous = {}", ("OFF", "FULL")
    with connection.cursor() as cursor:
        cursor.execute(statement.format(words[durable]))
