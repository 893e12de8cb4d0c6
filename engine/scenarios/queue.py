"""The queue of a scenario: hints wait in a list until the pump takes them."""

from collections import deque
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from django.db import transaction


class InProcessQueue:
    """Implements :class:`engine.ports.Queue`. Keeps all hints ever sent, so that they can be delivered once more."""

    def __init__(self) -> None:
        self._waiting: deque[UUID] = deque()
        self._sent: list[UUID] = []

    def hint(self, instance_id: UUID) -> None:
        transaction.on_commit(partial(self._arrive, instance_id))

    def notice(self, notice_id: UUID, *, at: datetime | None = None) -> None:
        """Nobody outside is told of what a scenario plays."""

    def has_ready(self) -> bool:
        return bool(self._waiting)

    def is_stopping(self) -> bool:
        return False

    def hints_arrived_until(self) -> datetime:
        """All that were sent led to something or were lost: the pump sweeps only when it has nothing else to do."""
        return datetime.max.replace(tzinfo=UTC)

    def wake_timekeeper(self) -> None:
        """Nothing sleeps here: the pump asks for the earliest wake-up before it moves the clock."""

    def take(self) -> UUID | None:
        """The oldest hint that waits, or ``None``."""
        return self._waiting.popleft() if self._waiting else None

    def lose(self) -> None:
        """Forget the hints that wait, as a queue does that loses its messages."""
        self._waiting.clear()

    def redeliver(self) -> None:
        """Put every hint sent so far into the queue once more, in the order of their sending."""
        self._waiting.extend(self._sent)

    def _arrive(self, instance_id: UUID) -> None:
        self._sent.append(instance_id)
        self._waiting.append(instance_id)
