"""The clock of a scenario: it stands still until the scenario moves it."""

from datetime import UTC, datetime
from typing import Final

START: Final = datetime(2030, 1, 7, 9, tzinfo=UTC)
"""A Monday, at nine in the morning."""


class VirtualClock:
    """Implements :class:`engine.ports.Clock`."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def move_to(self, moment: datetime) -> None:
        """Go on to ``moment``. A clock never goes back: an earlier moment leaves it where it is."""
        self._now = max(self._now, moment)
