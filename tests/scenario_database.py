"""The database of this run as scenarios need it: without a transaction around the test."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from engine.scenarios.cleaning import clean


@pytest.fixture(scope="module")
def scenario_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Runs really commit, and are gone afterwards; nobody needs their commits to outlive a power cut."""
    statement = "PRAGMA synchronous = {}" if connection.vendor == "sqlite" else "SET synchronous_commit = {}"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(statement.format("OFF"))
        yield
        clean()
        cursor.execute(statement.format("FULL" if connection.vendor == "sqlite" else "ON"))
