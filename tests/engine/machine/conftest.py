"""Flows on the real engine and database; only the clock is virtual, and calls answer from a script."""

import pytest

from tests.engine.machine.scene import Scene
from tests.scenario_database import transactional_db as transactional_db


@pytest.fixture
def begin(transactional_db):
    """Start a run of the given nodes; it comes to rest before this returns.

    ``agents`` and ``functions`` map paths to what consecutive calls answer, ``groups`` names to members; other keywords belong to
    the flow.
    """
    return Scene
