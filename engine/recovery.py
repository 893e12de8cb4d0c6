"""What a lost message or a dead worker left behind goes back to the queue. Recovery runs nothing itself."""

from django.db import connection, models, transaction
from django.db.models import F, Q
from django.utils import timezone

from engine.models import Instance, WorkerNode
from engine.ports import Ports
from engine.states import Status
from engine.store.statements import lease_until
from engine.transitions import release

NODE_LOST_AFTER = 10.0
BATCH = 500


def sweep(ports: Ports) -> int:
    """Hint every run that should move and that nobody moves; answers how many.

    Those are runs whose last hint cannot be on its way any more: queued or running without a lease (or with one that ran out), or
    resting with news. What nodes without a sign of life held is released first.
    """
    _release_lost_nodes(ports)
    stale = Q(lease_token=None) | Q(lease_until__lt=_now())
    moving = Q(status__in=[Status.PENDING, Status.RUNNING])
    told = Q(status=Status.WAITING) & ~Q(signal_count=F("signals_seen"))
    with transaction.atomic():
        lost = Instance.objects.filter(stale, moving | told, hinted_at__lt=ports.queue.hints_arrived_until())
        lost = lost.filter(~Q(root__status=Status.HELD) | Q(root=None))
        found = list(lost.order_by("hinted_at").values_list("id", flat=True)[:BATCH])
        for instance_id in sorted(found, reverse=True):
            Instance.objects.filter(id=instance_id).update(hinted_at=timezone.now())
            ports.queue.hint(instance_id)
    return len(found)


def worker_died(worker: str, ports: Ports) -> int:
    """A worker process is dead: its runs are free at once; answers how many it held."""
    with transaction.atomic():
        held = list(Instance.objects.filter(lease_owner=worker, lease_token__isnull=False).values_list("id", flat=True))
        for instance_id in sorted(held, reverse=True):
            release([instance_id], worker)
            ports.queue.hint(instance_id)
    return len(held)


def beat(node: str) -> None:
    """Say that a node lives, by the database's clock: machines differ."""
    WorkerNode.objects.update_or_create(
        name=node, defaults={"beat_at": _now()}, create_defaults={"beat_at": timezone.now()}
    )


def seconds_since_beat(node: str) -> float | None:
    """How long ago that node last said that it lives, by the database's clock; ``None`` for a node that never did."""
    target = WorkerNode.objects.filter(name=node).annotate(now=_now())
    row = target.values_list("beat_at", "now").first()
    return None if row is None else float((row[1] - row[0]).total_seconds())


def _release_lost_nodes(ports: Ports) -> None:
    """Free what was leased to machines that have been silent for too long."""
    silent = WorkerNode.objects.filter(beat_at__lt=_now(-NODE_LOST_AFTER)).values_list("name", flat=True)
    for node in list(silent):
        owners = Instance.objects.filter(lease_owner__startswith=f"{node}:", lease_token__isnull=False)
        for owner in set(owners.values_list("lease_owner", flat=True)):
            worker_died(owner, ports)
        WorkerNode.objects.filter(name=node, beat_at__lt=_now(-NODE_LOST_AFTER)).delete()


def _now(seconds: float = 0.0) -> models.expressions.RawSQL:
    """The database's clock, ``seconds`` away."""
    return models.expressions.RawSQL(lease_until(connection.vendor), [seconds], models.DateTimeField())
