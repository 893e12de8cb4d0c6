"""Taking a run up: the claim of its lease, and what a driver then needs to know."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from engine.machine import position as positions
from engine.machine.run import Bound, EndedChild, Facts, Outputs, Run, Undo
from engine.models import Binding, Compensation, Instance, Signal, Visit
from engine.ports import Flows
from engine.states import ACTIVE, CompensationState, Status
from engine.store.history import StoredHistory
from engine.store.statements import lease_until
from engine.store.tables import table

LEASE_SECONDS = 60.0
"""How long a lease lasts beyond the moment it was last written; a call with a later deadline makes it longer."""


@dataclass(slots=True)
class Claimed:
    """A run whose lease this driver holds: the row's columns by name, and the token that proves it."""

    row: dict[str, Any]
    token: UUID


@dataclass(frozen=True, slots=True)
class News:
    """One signal: its row's id, kind and payload."""

    id: int
    kind: str
    payload: Mapping[str, Any]


def claim(
    connection: BaseDatabaseWrapper, instance_id: UUID, worker: str, *, among: Iterable[Status] = ACTIVE
) -> Claimed | None:
    """Take the lease of a run that nobody holds and whose status is ``among`` those given; ``None`` when there is nothing to
    move, somebody else does, or the tree it belongs to is held."""
    vendor = connection.vendor
    target = table("instance", vendor)
    token = uuid4()
    expired = f"lease_until < {lease_until(vendor)}"
    statuses = sorted(status.value for status in among)
    sql = (
        f"UPDATE {target.name} SET lease_token = %s, lease_owner = %s, lease_until = {lease_until(vendor)} "
        f"WHERE id = %s AND status IN ({', '.join(['%s'] * len(statuses))}) AND (lease_token IS NULL OR {expired}) "
        f"AND NOT EXISTS (SELECT 1 FROM {target.name} held WHERE held.id = {target.name}.root_id AND held.status = 'held') "
        f"RETURNING {_COLUMNS}"
    )
    prepared = target.columns["lease_token"].prepare
    parameters: list[Any] = [prepared(token), worker, LEASE_SECONDS, prepared(instance_id), *statuses, 0.0]
    return _claimed(connection, sql, parameters, token)


def take_over(connection: BaseDatabaseWrapper, instance_id: UUID, token: UUID) -> Claimed | None:
    """A run whose lease an earlier transaction of this very worker took with ``token``; ``None`` when it was lost."""
    target = table("instance", connection.vendor)
    prepared = target.columns["lease_token"].prepare
    sql = f"SELECT {_COLUMNS} FROM {target.name} WHERE id = %s AND lease_token = %s"
    return _claimed(connection, sql, [prepared(instance_id), prepared(token)], token)


_FIELDS = tuple(Instance._meta.concrete_fields)
_COLUMNS = ", ".join(str(field.column) for field in _FIELDS)


def _claimed(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any], token: UUID) -> Claimed | None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        values = cursor.fetchone()
    if values is None:
        return None
    row = {field.attname: _read(connection, field, value) for field, value in zip(_FIELDS, values, strict=True)}
    return Claimed(row, token)


def _read(connection: BaseDatabaseWrapper, field: "models.Field[Any, Any]", value: Any) -> Any:
    """A column's value as Django's own reading would give it; a reference to a row reads as the key of that row does."""
    expression = field.get_col(field.model._meta.db_table)
    for convert in connection.ops.get_db_converters(expression) + expression.get_db_converters(connection):
        value = convert(value, expression, connection)
    return value


def load(claimed: Claimed, flows: Flows) -> Run:
    """The run as the transition function reads it."""
    return _run(claimed.row, flows)


def _run_of(instance_id: UUID, flows: Flows) -> Run:
    """A run that somebody else reads."""
    return _run(Instance.objects.filter(id=instance_id).values().get(), flows)


def _run(row: Mapping[str, Any], flows: Flows) -> Run:
    pinned = flows.version(row["version_id"])
    place = positions.from_json(row["position"])
    started: datetime | None = row["started_at"]
    return Run(
        facts=Facts(
            id=row["id"],
            workspace_id=row["workspace_id"],
            flow_path=pinned.flow_path,
            version=pinned.number,
            input=row["input"],
            trigger=row["trigger"],
            started_at=started.isoformat() if started else "",
            is_test=row["is_test"],
            test_config=row["test_config"],
            root=row["root_id"],
        ),
        graph=pinned.graph,
        position=place,
        bindings=_bindings(row["id"]) if place.completions else {},
        outputs=Outputs(lambda seqs: _outputs(row["id"], seqs)),
        entries=Outputs(lambda seqs: _entries(row["id"], seqs)),
        results=lambda seq: _results(row["id"], seq),
        children=lambda seq, attempt: _children(row["id"], seq, attempt),
        plan=_Plan(row["id"]),
        history=StoredHistory(row["id"], lambda child: _run_of(child, flows)),
    )


def news(instance_id: UUID) -> list[News]:
    """What others have told the run and it has not read, in order."""
    rows = Signal.objects.filter(instance=instance_id).order_by("id").values_list("id", "kind", "payload")
    return [News(*each) for each in rows]


def _bindings(instance_id: UUID) -> dict[str, Bound]:
    rows = Binding.objects.filter(instance=instance_id).values_list(
        "node_id", "visits", "seq", "outcome", "completion", "recent"
    )
    return {node: Bound(visits, seq, outcome, done, tuple(recent)) for node, visits, seq, outcome, done, recent in rows}


def _outputs(instance_id: UUID, seqs: Sequence[int]) -> dict[int, Any]:
    return dict(Visit.objects.filter(instance=instance_id, seq__in=list(seqs)).values_list("seq", "output"))


def _entries(instance_id: UUID, seqs: Sequence[int]) -> dict[int, Any]:
    return dict(Visit.objects.filter(instance=instance_id, seq__in=list(seqs)).values_list("seq", "entry"))


def _results(instance_id: UUID, loop_seq: int) -> dict[int, Any]:
    """The iterations' results: null where the last step that ran did not succeed."""
    rows = Visit.objects.filter(instance=instance_id, loop_seq=loop_seq)
    return {index: output for index, output in rows.values_list("iteration", "output") if index is not None}


def _children(instance_id: UUID, seq: int, attempt: int) -> list[EndedChild]:
    rows = Instance.objects.filter(parent=instance_id, parent_visit=seq).order_by("branch", "id")
    places = [(row, positions.from_json(row.position)) for row in rows]
    ended = {
        row.branch: EndedChild(
            id=row.id,
            branch_id=row.branch_id,
            status=row.status,
            output=row.output,
            error=row.error,
            compensations=place.compensations,
            order=-(row.join_order or 0),
            branch=row.branch or 0,
            input=row.input,
        )
        for row, place in places
        if place.made_by == attempt
    }
    return list(ended.values())  # of a branch that was begun anew by a resume, the newest


class _Plan:
    """The compensations that are still to run, read once a drive and shortened as they end."""

    def __init__(self, instance_id: UUID) -> None:
        self._instance_id = instance_id
        self._entries: list[Undo] | None = None

    def __call__(self) -> list[Undo]:
        if self._entries is None:
            self._entries = list(open_compensations(self._instance_id))
        return self._entries

    def shorten(self, ended: Collection[tuple[UUID, int]]) -> None:
        """Forget those entries: their terminal state is committed."""
        if ended and self._entries is not None:
            self._entries = [each for each in self._entries if (each.instance, each.position) not in ended]

    def forget(self) -> None:
        """Read them anew when they are next asked for: others are registered by then."""
        self._entries = None


def open_compensations(instance_id: UUID) -> list[Undo]:
    """What a rollback of that run has still to undo, newest first; a child's own list stands in the child's place
    (design/engine-notes.md, section 6)."""
    rows = Compensation.objects.filter(
        instance=instance_id, state__in=[CompensationState.REGISTERED, CompensationState.RUNNING]
    ).order_by("-position")
    found: list[Undo] = []
    for child in not_joined(instance_id):
        found += open_compensations(child)
    for row in rows:
        if row.child is None:
            found.append(_undo(row))
            continue
        inner = open_compensations(row.child)
        if inner:
            last = inner[-1]
            inner[-1] = _closing(last, (instance_id, row.position))
        found += inner
    return found


def not_joined(instance_id: UUID) -> list[UUID]:
    """The child runs that their parent still waits for, newest first: what they registered it has not taken over yet."""
    children = Instance.objects.filter(parent=instance_id).exclude(status=Status.ROLLED_BACK).order_by("-id")
    found = list(children.values_list("id", "parent_visit"))
    waits = Visit.objects.filter(instance=instance_id, seq__in={seq for _, seq in found}, open_children__gt=0)
    open_visits = set(waits.values_list("seq", flat=True)) if found else set()
    return [child for child, seq in found if seq in open_visits]


def _undo(row: Compensation) -> Undo:
    return Undo(
        instance=row.instance_id,
        position=row.position,
        node_id=row.node_id,
        visit_seq=row.visit_seq,
        path=row.path,
        input=row.input,
        input_error=row.input_error,
        missing_ok=row.missing_ok,
        always=row.always,
        attempts=row.attempts,
        earlier=row.earlier_attempts,
    )


def _closing(undo: Undo, entry: tuple[UUID, int]) -> Undo:
    return replace(undo, closes=(*undo.closes, entry))
