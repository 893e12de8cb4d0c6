"""How much is killed, and the table in which the calls leave their traces."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.chaos.effects.models import Effect


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--chaos-kills", type=int, default=20, help="how many workers are killed")
    parser.addoption("--chaos-instances", type=int, default=200, help="how many runs are under way meanwhile")


@pytest.fixture
def effects(transactional_db: None) -> Iterator[None]:
    """The table of :class:`Effect`, whose app is installed in the worker processes alone."""
    with connection.schema_editor() as editor:
        editor.create_model(Effect)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Effect)
