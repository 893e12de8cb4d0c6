"""Sending hints to the workers. Besides engine/cluster this is the only module that knows django-q2.

A hint is a message with the id of an instance, or of a notice, and nothing else: it says "have a look". The rows are the
truth, so a hint may be lost, late or doubled without harm (engine notes, section 1).
"""

from datetime import datetime
from functools import cache
from uuid import UUID, uuid4

from django.db import DEFAULT_DB_ALIAS
from django.utils import timezone
from django_q.signing import SignedPackage

from engine.cluster.broker import FlowBroker
from engine.cluster.worker import has_prefetched, is_stopping

__all__ = ["has_ready_messages", "is_stopping", "oldest_ready", "queue_depth", "send", "send_hint"]

DRIVE = "engine.tasks.drive"
TELL = "engine.tasks.tell"
NO_TIMEOUT = -1  # django-q2's own time-out would take the timer that the engine's deadlines need


def send_hint(instance_id: str | UUID, *, using: str = DEFAULT_DB_ALIAS, eta: datetime | None = None) -> None:
    """Have a worker drive this instance, soon or from ``eta`` on. Part of the caller's transaction."""
    send(DRIVE, str(instance_id), using=using, eta=eta)


def send(function: str, *args: str | int, using: str = DEFAULT_DB_ALIAS, eta: datetime | None = None) -> int:
    """Have a worker call ``function`` (its dotted name) with ``args``; return the id of the message.

    The message is what django-q2's ``async_task`` writes, less what nobody here reads: its signal, its log line and
    its readable task name, which together take longer than the insert.
    """
    task_id = uuid4().hex
    task = {
        "id": task_id,
        "name": task_id,
        "func": function,
        "args": args,
        "kwargs": {},
        "started": timezone.now(),
        "timeout": NO_TIMEOUT,
        "ack_failure": True,
    }
    return _broker(using).enqueue(SignedPackage.dumps(task), due_at=eta)


def has_ready_messages(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Whether anybody waits for a worker: in front of this cluster's workers, or in the table. One cheap query."""
    return has_prefetched() or _broker(using).has_ready()


def queue_depth(using: str = DEFAULT_DB_ALIAS) -> int:
    """How many messages are due and not taken by any cluster; counts rows, so it is for pages and metrics."""
    return _broker(using).queue_size()


def oldest_ready(using: str = DEFAULT_DB_ALIAS) -> datetime | None:
    """Since when the message that waits longest for a worker has been due; ``None`` when none waits.

    Messages go out in that order, so whatever was sent before it has been delivered.
    """
    return _broker(using).oldest_ready()


@cache
def _broker(using: str) -> FlowBroker:
    """Kept, one per database: it holds no connection, so a fork does it no harm."""
    return FlowBroker(using=using)
