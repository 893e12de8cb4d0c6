"""Events that are recorded beside a run's own transitions: by web processes, and by a call while it is out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from engine.models import Event, Instance
from engine.transitions import EVENTS_CHANNEL


def add_event(
    instance_id: UUID, kind: str, *, node_id: str, visit_seq: int | None, at: datetime, data: Mapping[str, Any]
) -> None:
    """Add one event; nothing happens where the run is gone. Its number is taken by the same UPDATE that a transition takes its
    own by, so that numbers stay gapless and in the order of commits (design/engine-notes.md, section 9)."""
    with transaction.atomic():
        if not Instance.objects.filter(pk=instance_id).update(event_count=F("event_count") + 1):
            return
        number, root = Instance.objects.values_list("event_count", "root_id").get(pk=instance_id)
        Event.objects.create(
            instance_id=instance_id,
            number=number,
            type=kind,
            node_id=node_id,
            visit_seq=visit_seq,
            at=at,
            data=dict(data),
        )
        tell_watchers(root or instance_id)


def tell_watchers(root: UUID) -> None:
    """Wake those who follow the tree of the run ``root``, with the commit. On SQLite they look by themselves."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [EVENTS_CHANNEL, str(root)])
