"""Wake-ups: what comes due is claimed, told to its run and hinted in one transaction, never before its time."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from engine.models import InboxTask, Wakeup
from engine.ports import Ports
from engine.store.tables import table
from engine.transitions import expire_tasks, lock_run, post

BATCH = 100
HURRIED = ("timer", "retry", "call", "undo", "undo_call")
"""Kinds of wake-up that compressed time jumps to."""
RETRIES = ("retry", "undo")
"""Kinds that begin the next attempt, of a step or of what takes one back."""


def next_due() -> datetime | None:
    """When the earliest open wake-up is due; ``None`` when there is none."""
    return Wakeup.objects.order_by("due_at", "id").values_list("due_at", flat=True).first()


def fire_due(ports: Ports, *, limit: int = BATCH) -> int:
    """Fire what is due by the clock; answers how many wake-ups were claimed.

    Safe in every cluster at once: a row is claimed by deleting it. The runs are told from the highest id to the lowest, the order
    in which everybody locks several runs.
    """
    with transaction.atomic():
        rows = _claim(ports.clock.now(), limit)
        for instance_id, seq, kind, attempt in sorted(rows, key=lambda row: row[0], reverse=True):
            lock_run(instance_id)
            if kind == "deadline" and not _deadline_wins(instance_id, seq):
                continue
            post(instance_id, "wake", {"kind": kind, "seq": seq, "attempt": attempt}, ports)
    return len(rows)


def hurry(instance_id: UUID, ports: Ports) -> bool:
    """Fire the earliest timer of a run whose time is compressed; ``False`` when it rests on something else.

    People and events are waited for all the same (design/engine-notes.md, section 8).
    """
    return _fire_early(instance_id, HURRIED, ports)


def expire(instance_id: UUID, ports: Ports) -> bool:
    """Let the deadline of what a test run asks people pass now; ``False`` when there is none."""
    return _fire_early(instance_id, ("deadline",), ports)


def retry_now(instance_id: UUID, ports: Ports, *, by: str) -> bool:
    """Make the attempt now that a run waits for; ``False`` when it waits for none. The clock is not moved by it."""
    return _fire_early(instance_id, RETRIES, ports, by=by)


def _fire_early(instance_id: UUID, kinds: Sequence[str], ports: Ports, *, by: str | None = None) -> bool:
    with transaction.atomic():
        lock_run(instance_id)
        wakeup = Wakeup.objects.filter(instance=instance_id, kind__in=kinds).order_by("due_at", "id").first()
        if wakeup is None or not Wakeup.objects.filter(pk=wakeup.pk).delete()[0]:
            return False
        if wakeup.kind == "deadline" and not _deadline_wins(instance_id, wakeup.visit_seq):
            return False
        early = max(0.0, (wakeup.due_at - ports.clock.now()).total_seconds())
        payload = {"kind": wakeup.kind, "seq": wakeup.visit_seq, "attempt": wakeup.attempt}
        post(instance_id, "wake", payload | ({"early": early} if by is None else {"by": by}), ports)
    return True


def _claim(now: datetime, limit: int) -> list[tuple[UUID, int, str, int]]:
    target = table("wakeup", connection.vendor)
    skip = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    due = target.columns["due_at"].prepare(now)
    sql = (
        f"DELETE FROM {target.name} WHERE id IN (SELECT id FROM {target.name} WHERE due_at <= %s "
        f"ORDER BY due_at, id LIMIT %s {skip}) RETURNING instance_id, visit_seq, kind, attempt, due_at, id"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [due, limit])
        found = cursor.fetchall()
    found.sort(key=lambda row: (row[4], row[5]))
    return [(_uuid(row[0]), row[1], row[2], row[3]) for row in found]


def _deadline_wins(instance_id: UUID, seq: int) -> bool:
    """Whether the deadline, and not an answer in the same instant, ends the wait: one of the two moves the task."""
    if not InboxTask.objects.filter(instance=instance_id, visit_seq=seq).exists():
        return True  # an event wait has no task
    return expire_tasks(instance_id, seq)


def _uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
