"""What happened before in a run, read for a redo alone (:class:`engine.machine.run.History`)."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from engine.machine.run import Run, UndoCall, Visited
from engine.machine.slots import NO_LOOP
from engine.models import Compensation, Instance, Undo, Visit
from engine.states import CompensationState
from flows import kinds

FIELDS = ("seq", "node_id", "number", "outcome", "completion", "iterations")
OPEN = (CompensationState.REGISTERED, CompensationState.RUNNING)
TAKEN_BACK = (CompensationState.DONE, CompensationState.ABSENT)


class StoredHistory:
    """The history of one run. Each method is a query or two; nothing is kept, for what it tells changes."""

    def __init__(self, instance_id: UUID, load: Callable[[UUID], Run]) -> None:
        self._id = instance_id
        self._load = load

    def visits(self, first: int) -> Sequence[Visited]:
        compensated = Compensation.objects.filter(instance=self._id, state__in=TAKEN_BACK).values("visit_seq")
        return _visited(self._current().filter(seq__gte=first).exclude(seq__in=compensated))

    def before(self, first: int, nodes: Iterable[str]) -> Sequence[Visited]:
        earlier = self._current().filter(seq__lt=first)
        rows = _visited(earlier.filter(node_id__in=list(nodes)).order_by("seq"))
        latest = {each.node_id: each for each in rows if each.outcome}
        for seq, missed in earlier.exclude(not_run=None).order_by("seq").values_list("seq", "not_run"):
            for node_id in missed or ():
                if node_id in latest and latest[node_id].seq < seq:
                    del latest[node_id]
        return [*latest.values(), *(each for each in rows if not each.outcome)]

    def failures(self, first: int, since: datetime) -> int:
        young = Q(counted=True, ended_at__gt=since)
        found = Visit.objects.filter(young, instance=self._id, seq__gte=first).count()
        branches = self._branches([self._id], first)
        while branches:
            found += Visit.objects.filter(young, instance__in=branches).count()
            branches = self._branches(branches, 0)
        return found

    def family(self, first: int) -> Sequence[tuple[int, Run]]:
        children = Instance.objects.filter(parent=self._id, parent_visit__gte=first).order_by("-id")
        return [(seq or 0, self._load(child)) for child, seq in children.values_list("id", "parent_visit")]

    def undos(self) -> Sequence[UndoCall]:
        rows = list(Undo.objects.filter(instance=self._id, state__in=OPEN).order_by("place"))
        registered = Compensation.objects.filter(
            instance__in={row.owner for row in rows}, state=CompensationState.REGISTERED
        )
        counted = registered.values("instance", "visit_seq").annotate(count=Count("id"))
        counts = {(each["instance"], each["visit_seq"]): each["count"] for each in counted}
        return [
            UndoCall(
                row.place,
                row.owner,
                row.visit_seq,
                row.node_id,
                row.path,
                row.arguments,
                row.missing_ok,
                row.attempts,
                counts.get((row.owner, row.visit_seq), 0),
            )
            for row in rows
        ]

    def key(self, node_id: str, slot: str) -> str | None:
        known = Visit.objects.filter(node_id=node_id, slot=slot).exclude(idempotency_key="")
        for instance in (self._id, *_forerunners(self._id)):
            found = known.filter(instance=instance).order_by("-seq").values_list("idempotency_key", flat=True).first()
            if found is not None:
                return found
        return None

    def superseded(self, node_id: str, slot: str) -> Sequence[int]:
        slots = [slot, ""] if slot == NO_LOOP else [slot]
        replaced = Visit.objects.filter(instance=self._id, node_id=node_id, slot__in=slots, replaced__isnull=False)
        rows = Compensation.objects.filter(
            instance=self._id, visit_seq__in=replaced.values("seq"), state=CompensationState.REGISTERED
        )
        return list(rows.values_list("position", flat=True))

    def _current(self) -> "QuerySet[Visit]":
        return Visit.objects.filter(instance=self._id, replaced=None)

    def _branches(self, parents: Sequence[UUID], first: int) -> list[UUID]:
        """The branches of parallel containers visited from ``first`` on; a sub-flow is another flow."""
        forks = Visit.objects.filter(instance__in=parents, kind=kinds.PARALLEL, seq__gte=first)
        places = set(forks.values_list("instance", "seq"))
        rows = Instance.objects.filter(parent__in=parents).values_list("id", "parent", "parent_visit")
        return [child for child, parent, seq in rows if (parent, seq) in places]


def _visited(rows: "QuerySet[Visit]") -> list[Visited]:
    found = rows.values_list(*FIELDS)
    return [
        Visited(seq, node, number, outcome, done or 0, around) for seq, node, number, outcome, done, around in found
    ]


def _forerunners(instance_id: UUID) -> list[UUID]:
    """The child runs that were started before in the place of this one, newest first: by the same node in the same iterations, as
    the same branch; a fan-out's for the same item. Those of the parent's own forerunners are among them."""
    own = Instance.objects.get(pk=instance_id)
    if own.parent_id is None:
        return []
    parents = [own.parent_id, *_forerunners(own.parent_id)]
    others = Instance.objects.filter(parent__in=parents, flow=own.flow_id, branch=own.branch).exclude(pk=own.pk)
    place = _place(own)
    return [
        each.pk
        for each in others.order_by("-id")
        if _place(each) == place and (not own.branch_id or each.input == own.input)
    ]


def _place(child: Instance) -> tuple[str, tuple[str, ...]]:
    """Where a child run was started: the node, and the numbers of the iterations around it."""
    rows = Visit.objects.filter(instance=child.parent_id, seq=child.parent_visit or 0)
    node_id, iterations = rows.values_list("node_id", "iterations").get()
    return node_id, tuple(each.split(":")[1] for each in iterations.split("/") if each)
