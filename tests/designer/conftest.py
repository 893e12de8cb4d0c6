from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from engine import ports_production


@pytest.fixture(autouse=True, scope="session")
def static_root() -> None:
    """Where collected assets would lie: without the folder, every test client warns of its absence."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


@pytest.fixture(autouse=True)
def forgotten_versions() -> Iterator[None]:
    """A version never changes, so a process keeps its graph; a test's rollback makes its id mean another one."""
    yield
    ports_production._pinned.cache_clear()
