from pathlib import Path

import pytest
from django.conf import settings


@pytest.fixture(autouse=True, scope="session")
def static_root() -> None:
    """Where collected assets would lie: without the folder, every test client warns of its absence."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
