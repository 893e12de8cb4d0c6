"""The only writer of a status.

Every move is a compare-and-set: the WHERE clause names what must still be true, the count of rows tells whether it was. On
SQLite ``select_for_update`` is silently ignored, so nothing else would guard a move on every database.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models, transaction
from django.db.models import F, Q

from engine.cluster.timekeeper import CHANNEL as TIMEKEEPER_CHANNEL
from engine.failpoints import reach
from engine.machine import position as positions
from engine.machine.turn import Decision, NewChild, Notice, Replaced
from engine.machine.writes import Write
from engine.models import Compensation, Event, InboxTask, Instance, Signal, Visit
from engine.models import Notice as NoticeRow
from engine.ports import Ports
from engine.states import ALLOWED, CompensationState, NoticeState, Phase, Status, TaskStatus, WaitKind
from engine.store.loading import LEASE_SECONDS, Claimed, not_joined
from engine.store.statements import Batch, Fence, Row, lease_until, write
from engine.store.tables import table

EVENTS_CHANNEL = "sultana_events"
"""PostgreSQL's channel on which web processes hear that a run has moved; the payload is its root's id."""
GRACE_SECONDS = 15.0
"""How much longer than a call's deadline its lease lasts: time to interrupt the call and record its end."""


class Committed:
    """A decision that was written. ``signals`` is the run's count of signals, ``then`` a run this worker may drive next."""

    __slots__ = ("signals", "then")

    def __init__(self, signals: int, then: tuple[UUID, UUID] | None = None) -> None:
        self.signals = signals
        self.then = then


def commit(
    claimed: Claimed, decision: Decision, consumed: list[int], ports: Ports, *, goes_on: bool = True
) -> Committed | None:
    """Write a decision in one transaction; ``None`` when the lease was lost, or news came for a run that wanted to rest.

    With ``goes_on`` this worker takes the lease of the one run that the transition frees, instead of sending a hint.

    Rows are locked in the order child, own run, parent: everybody who locks more than one run does it from the highest id to
    the lowest, so two of them cannot wait for each other.
    """
    _check(Status(claimed.row["status"]), decision.status)
    batch, then = _batch(claimed, decision, consumed, ports), None
    fence = _fence(claimed, decision, ports)
    if connection.vendor == "postgresql" and not _touches_others(claimed, decision):
        signals = write(connection, fence, batch)
        if signals is None:
            return None
    else:
        with transaction.atomic():
            _tell_branches(decision, ports)
            if decision.cancel_children_of is not None:
                _pass_cancel_down(claimed, decision, ports)
            if _holds_a_tree(decision):
                _hold_below(claimed, ports)
            for child in sorted(decision.reopened, key=lambda each: each.id, reverse=True):
                reopen(child.id, "resume", child.ask, ports, among=(Status.FAILED, Status.HELD))
            signals = write(connection, fence, batch)
            if signals is None:
                transaction.set_rollback(True)
                return None
            if decision.replaced is not None:
                _replace(claimed.row["id"], decision.replaced)
            then = _tell_others(claimed, decision, ports, goes_on)
    return Committed(signals, then)


def _check(before: Status, after: Status) -> None:
    if after not in ALLOWED[before]:
        raise RuntimeError(f"A run cannot go from {before} to {after}.")


def _fence(claimed: Claimed, decision: Decision, ports: Ports) -> Fence:
    rests = decision.wait is not None
    seconds: float | None = LEASE_SECONDS
    if decision.call is not None:
        left = (decision.call.deadline_at - ports.clock.now()).total_seconds()
        seconds = max(LEASE_SECONDS, left + GRACE_SECONDS)
    if rests or decision.end is not None or decision.hold is not None or decision.handed_over:
        seconds = None
    signals = claimed.row["signals_seen"] if rests else None
    return Fence(claimed.row["id"], claimed.token, claimed.row["step_no"], seconds, signals)


def _batch(claimed: Claimed, decision: Decision, consumed: list[int], ports: Ports) -> Batch:
    row, now = claimed.row, ports.clock.now()
    rows = [_row(row["id"], each, ports) for each in decision.writes]
    rows += [Row("delete", "signal", {"id": each}, {}) for each in consumed]
    rows += [_notice(row["id"], each, now) for each in decision.notices]
    if decision.close_tasks is not None:
        seq, reason = decision.close_tasks
        key = {"instance": row["id"], "visit_seq": seq, "status": TaskStatus.PENDING.value}
        closed = {"status": TaskStatus.CANCELLED.value, "cancellation_reason": reason}
        rows.append(Row("update", "inboxtask", key, closed))
    return Batch(_columns(row, decision, now), rows, decision.events, now, _tells(row, decision))


def _tells(row: dict[str, Any], decision: Decision) -> tuple[tuple[str, str], ...]:
    """Who is woken by the commit. Watchers are told where the run comes to stand: a notice with every step would let the
    workers' commits wait for each other; while a call is out they look by themselves."""
    tells: list[tuple[str, str]] = []
    if decision.call is None:
        tells.append((EVENTS_CHANNEL, str(row["root_id"] or row["id"])))
    if decision.wakes:
        tells.append((TIMEKEEPER_CHANNEL, ""))
    return tuple(tells)


def _columns(row: dict[str, Any], decision: Decision, now: datetime) -> dict[str, Any]:
    """The instance's columns after the decision."""
    wait, end = decision.wait, decision.end
    columns: dict[str, Any] = {
        "status": decision.status.value,
        "phase": decision.position.phase,
        "position": positions.to_json(decision.position),
        "signals_seen": row["signals_seen"],
        "node_id": _place(decision) or row["node_id"],
        "wait_kind": wait.kind if wait else "",
        "wait_due": wait.due if wait else None,
    }
    if row["started_at"] is None:
        columns["started_at"] = now
    if decision.hold is not None:
        columns |= {"reason": decision.hold.message, "failed_node": decision.hold.node_id}
    if end is not None:
        columns |= {
            "output": end.output,
            "error": end.error,
            "reason": end.reason,
            "failed_node": str((end.error or {}).get("step_id") or ""),
            "not_run": list(end.not_run),
            "ended_at": now,
            "phase": Phase.FORWARD.value,
        }
    return columns


def _place(decision: Decision) -> str:
    if decision.call is not None:
        return decision.call.node_id
    if decision.hold is not None:
        return decision.hold.node_id
    if decision.end is not None and decision.end.error is not None:
        return str(decision.end.error.get("step_id") or "")
    return decision.wait.node_id if decision.wait is not None else ""


def _row(instance_id: UUID, each: Write, ports: Ports) -> Row:
    kind = "delete" if each.gone else "insert" if each.new else "update"
    key = dict(each.key)
    if "instance" not in key:
        key = {"instance": instance_id, **key}
    values = dict(each.values)
    if each.table == "attempt" and each.new:
        values["worker"] = ports.worker
    return Row(kind, each.table, key, values)


def _notice(instance_id: UUID, each: Notice, now: datetime) -> Row:
    told = {name: getattr(each, name) for name in ("target", "decision", "scope", "node_id", "step", "why")}
    return Row("insert", "notice", {"instance": instance_id, "id": each.id}, {**told, "at": now, "due_at": now})


def _create_children(claimed: Claimed, decision: Decision, ports: Ports, goes_on: bool) -> tuple[UUID, UUID] | None:
    """Write the child runs: a single one is leased to this worker, which goes on with it without a hop through the queue."""
    token = uuid4() if goes_on and len(decision.children) == 1 else None
    rows = [_child(claimed, child, token, ports) for child in decision.children]
    Instance.objects.bulk_create(rows, batch_size=200)
    if token is None:
        for row in rows:
            ports.queue.hint(row.id)
        return None
    Instance.objects.filter(id=rows[0].id).update(lease_until=_until())
    return rows[0].id, token


def _child(claimed: Claimed, child: NewChild, token: UUID | None, ports: Ports) -> Instance:
    row, now = claimed.row, ports.clock.now()
    return Instance(
        id=child.id,
        workspace_id=row["workspace_id"],
        flow_id=child.flow_id or row["flow_id"],
        version_id=child.version_id or row["version_id"],
        input=child.input,
        trigger=row["trigger"],
        position=dict(child.position),
        root_id=row["root_id"] or row["id"],
        parent_id=row["id"],
        parent_visit=child.seq,
        branch=child.index,
        branch_id=child.branch_id,
        is_test=row["is_test"],
        test_config=row["test_config"],
        started_by_id=row["started_by_id"],
        created_at=now,
        hinted_at=now,
        lease_token=token,
        lease_owner=ports.worker if token else "",
    )


def _touches_others(claimed: Claimed, decision: Decision) -> bool:
    """Whether the transaction has more to do than one statement can: other runs' rows, or hints."""
    ends_a_child = decision.end is not None and claimed.row["parent_id"] is not None
    holds_others = decision.hold is not None and (claimed.row["parent_id"] is not None or _holds_a_tree(decision))
    others = (
        bool(decision.children or decision.tells or decision.reopened or decision.notices)
        or decision.cancel_children_of is not None
        or decision.replaced is not None
    )
    return ends_a_child or holds_others or others or decision.handed_over


def _holds_a_tree(decision: Decision) -> bool:
    """Whether a run is held for one of its child runs."""
    leaf = decision.position.leaf
    return decision.hold is not None and leaf is not None and leaf.rests == WaitKind.CHILD


def _tell_others(claimed: Claimed, decision: Decision, ports: Ports, goes_on: bool) -> tuple[UUID, UUID] | None:
    """After the fence: the child runs, hints for whoever takes over or tells others, the parent's news of this child's end."""
    for notice in decision.notices:
        ports.queue.notice(notice.id)
    if decision.handed_over:
        ports.queue.hint(claimed.row["id"])
    if decision.hold is not None and claimed.row["root_id"] is not None:
        told = {"child": str(claimed.row["id"]), "reason": decision.hold.reason, "message": decision.hold.message}
        post(claimed.row["root_id"], "child_held", told, ports)
    if decision.reopened and claimed.row["root_id"] is None:
        _rouse(claimed, decision, ports)
    _ask_parent(claimed, decision, ports)
    if decision.children:
        return _create_children(claimed, decision, ports, goes_on)
    if decision.end is not None and claimed.row["parent_id"] is not None:
        return _tell_parent(claimed, decision, ports, goes_on)
    return None


def _tell_parent(claimed: Claimed, decision: Decision, ports: Ports, goes_on: bool) -> tuple[UUID, UUID] | None:
    """Count this child off at its parent's visit; the last one wakes the parent, and this worker may drive it on."""
    row, end = claimed.row, decision.end
    assert end is not None
    parent, seq = row["parent_id"], row["parent_visit"]
    left = _count_off(parent, seq)
    if left is None:
        return None
    Instance.objects.filter(id=row["id"]).update(join_order=left)
    if left > 0:
        return None
    payload = {
        "seq": seq,
        "child": str(row["id"]),
        "status": end.status.value,
        "output": end.output,
        "error": end.error,
        "compensations": decision.position.compensations,
    }
    post(parent, "child_ended", payload, ports, hint=False)
    token = uuid4()
    free = Instance.objects.filter(id=parent, lease_token=None, status=Status.WAITING)
    if goes_on and free.update(lease_token=token, lease_owner=ports.worker, lease_until=_until()):
        return parent, token
    ports.queue.hint(parent)
    return None


def _count_off(parent: UUID, seq: int) -> int | None:
    """How many child runs the parent's visit still waits for, this one counted off; ``None`` when it waits for none."""
    target = table("visit", connection.vendor)
    sql = (
        f"UPDATE {target.name} SET open_children = open_children - 1 "
        "WHERE instance_id = %s AND seq = %s AND open_children > 0 RETURNING open_children"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [target.columns["instance_id"].prepare(parent), seq])
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def _replace(instance_id: UUID, replaced: Replaced) -> None:
    """Mark the visits that a redo replaces, and all of those in the child runs they started."""
    own = Q(instance=instance_id, seq__gte=replaced.first, seq__lte=replaced.last)
    Visit.objects.filter(own, replaced=None).exclude(seq=replaced.keeps or 0).update(replaced=replaced.round)
    started = Q(parent=instance_id, parent_visit__gte=replaced.first, parent_visit__lte=replaced.last)
    family = list(Instance.objects.filter(started).values_list("id", flat=True))
    while family:
        Visit.objects.filter(instance__in=family, replaced=None).update(replaced=replaced.round)
        family = list(Instance.objects.filter(parent__in=family).values_list("id", flat=True))


def _until() -> models.expressions.RawSQL:
    return models.expressions.RawSQL(lease_until(connection.vendor), [LEASE_SECONDS])


def _tell_branches(decision: Decision, ports: Ports) -> None:
    """What the run has decided about failures of its branches."""
    told = [(each.child, each) for each in decision.tells if each.child is not None]
    for child, each in sorted(told, key=lambda pair: pair[0], reverse=True):
        post(child, each.kind, dict(each.payload), ports)


def _ask_parent(claimed: Claimed, decision: Decision, ports: Ports) -> None:
    """Tell the run around this branch of the failures that it has a say in."""
    row = claimed.row
    asker = {"seq": row["parent_visit"], "made_by": decision.position.made_by, "child": str(row["id"])}
    for each in decision.tells:
        if each.child is None:
            post(row["parent_id"], each.kind, {**asker, **each.payload}, ports)


def _pass_cancel_down(claimed: Claimed, decision: Decision, ports: Ports) -> None:
    children = Instance.objects.filter(
        parent=claimed.row["id"], parent_visit=decision.cancel_children_of, ended_at=None
    ).order_by("-id")
    for child in children.values_list("id", flat=True):
        if child == decision.spares:
            continue
        Instance.objects.filter(id=child, status=Status.HELD).update(status=Status.RUNNING, reason="")
        post(child, "cancel", {"by": "", "roll_back": False}, ports)


def _hold_below(claimed: Claimed, ports: Ports) -> None:
    """Let every run of the tree that still moves hand over: as long as its root is held nobody takes it up again."""
    below = Instance.objects.filter(root=claimed.row["id"], status__in=[Status.PENDING, Status.RUNNING, Status.WAITING])
    for child in below.order_by("-id").values_list("id", flat=True):
        post(child, "tree_held", {}, ports, hint=False)


def _rouse(claimed: Claimed, decision: Decision, ports: Ports) -> None:
    """A tree goes on: its runs get the hints that led to nothing while it was held; another one that is held holds it again."""
    reopened = {each.id for each in decision.reopened}
    below = Instance.objects.filter(root=claimed.row["id"], ended_at=None).exclude(id__in=reopened)
    for child, status, message in below.order_by("-id").values_list("id", "status", "reason"):
        if status == Status.HELD:
            told = {"child": str(child), "reason": hold_of(child), "message": message}
            post(claimed.row["id"], "child_held", told, ports)
        else:
            ports.queue.hint(child)


def hold_of(instance_id: UUID) -> str:
    """Why a held run is held, in the engine's own word, as its newest ``flow_held`` says."""
    held = Event.objects.filter(instance=instance_id, type="flow_held").order_by("-number").first()
    return str((held.data or {}).get("reason") or "") if held else ""


# --- news for a run --------------------------------------------------------------------------------------------------


def lock_run(instance_id: UUID) -> "models.QuerySet[Instance]":
    """Hold the run's row till the end of the transaction, before anything of it is touched: everybody takes the run's row first
    and its tasks after, so that nobody waits in a circle. On SQLite the transaction itself is the lock."""
    rows = Instance.objects.filter(id=instance_id)
    if connection.vendor == "postgresql":
        list(rows.select_for_update().values_list("id"))
    return rows


def post(instance_id: UUID, kind: str, payload: dict[str, Any], ports: Ports, *, hint: bool = True) -> int:
    """Tell a run something, inside the caller's transaction; answers the signal's id, 0 when the run is gone.

    The count is taken up before the row is inserted, so that two who tell the same run do it one after the other, and the
    order of ids is the order of commits.
    """
    run = Instance.objects.filter(id=instance_id)
    if not run.update(signal_count=F("signal_count") + 1, hinted_at=ports.clock.now()):
        return 0
    signal = Signal.objects.create(instance_id=instance_id, kind=kind, payload=payload, created_at=ports.clock.now())
    reach("posted")
    if hint:
        ports.queue.hint(instance_id)
    return int(signal.pk)


def reopen(instance_id: UUID, kind: str, payload: Mapping[str, Any], ports: Ports, *, among: Iterable[Status]) -> bool:
    """Let a run that failed or is held move again, and tell it what for; ``False`` when it stands at none of ``among`` any more.

    Inside the caller's transaction. What the row says of the end is taken back; of two who do it at once one wins.
    """
    assert all(Status.RUNNING in ALLOWED[status] for status in among)
    resting = Instance.objects.filter(id=instance_id, status__in=list(among), lease_token=None)
    fresh: dict[str, Any] = {"error": None, "reason": "", "output": None, "not_run": None, "ended_at": None}
    if not resting.update(status=Status.RUNNING, cancel_requested=False, **fresh):
        return False
    post(instance_id, kind, dict(payload), ports)
    return True


def register_again(instance_id: UUID, *, always: bool) -> bool:
    """Let what could not be undone be tried once more, that of the run's child runs included; of ``always`` only what must go
    in any case. ``True`` when there is anything to undo, ``False`` when everything is done."""
    rows = Compensation.objects.filter(instance=instance_id)
    chosen = rows.filter(child=None, **({"always": True} if always else {}))
    fresh = {"state": CompensationState.REGISTERED, "earlier_attempts": F("attempts"), "error": None, "ended_at": None}
    chosen.filter(state=CompensationState.FAILED).update(**fresh)
    found = chosen.filter(state__in=[CompensationState.REGISTERED, CompensationState.RUNNING]).exists()
    for child in not_joined(instance_id):
        found = register_again(child, always=always) or found
    for entry, below in list(rows.exclude(child=None).values_list("pk", "child")):
        if below is not None and register_again(below, always=always):
            found = True
            rows.filter(pk=entry).update(state=CompensationState.REGISTERED, ended_at=None)
    return found


def complete_task(task_id: UUID, *, response: Any, by: str, at: datetime) -> bool:
    """Move a pending task to ``completed``; ``False`` when somebody or its deadline was faster."""
    pending = InboxTask.objects.filter(id=task_id, status=TaskStatus.PENDING)
    changed = pending.update(status=TaskStatus.COMPLETED, response=response, completed_by=by, responded_at=at)
    return changed == 1


def hand_over_task(task_id: UUID, *, giver: str, to: str, reason: str, at: datetime) -> bool:
    """Give ``giver``'s pending task to ``to``; ``False`` when it was answered, ended or given away meanwhile."""
    pending = InboxTask.objects.filter(id=task_id, status=TaskStatus.PENDING, assignee=giver)
    return pending.update(assignee=to, escalated_from=giver, escalation_reason=reason, escalated_at=at) == 1


def expire_tasks(instance_id: UUID, visit_seq: int) -> bool:
    """Move a visit's pending tasks to ``expired``; ``False`` when there was none left: an answer was faster."""
    pending = InboxTask.objects.filter(instance=instance_id, visit_seq=visit_seq, status=TaskStatus.PENDING)
    return pending.update(status=TaskStatus.EXPIRED) > 0


def close_tasks(instance_id: UUID, visit_seq: int, *, reason: str) -> int:
    """Move a visit's tasks that are still pending to ``cancelled``; answers how many."""
    pending = InboxTask.objects.filter(instance=instance_id, visit_seq=visit_seq, status=TaskStatus.PENDING)
    return pending.update(status=TaskStatus.CANCELLED, cancellation_reason=reason)


def claim_notice(notice_id: UUID, *, now: datetime) -> NoticeRow | None:
    """Take a notice that is due to send it; ``None`` when another worker has, or it is too early, or gone."""
    due = NoticeRow.objects.filter(id=notice_id, state=NoticeState.OPEN, due_at__lte=now)
    taken = due.update(state=NoticeState.SENDING, attempts=F("attempts") + 1, claimed_at=now)
    found = NoticeRow.objects.filter(id=notice_id).select_related("instance__flow", "instance__root__flow")
    return found.first() if taken else None


def settle_notice(notice: NoticeRow, state: NoticeState, *, problem: str = "") -> bool:
    """Move a notice from ``sending`` to its end; ``False`` when another one has, or it was tried again since."""
    return _move_notice(notice, state=state, problem=problem)


def put_notice_off(notice: NoticeRow, *, until: datetime, problem: str) -> bool:
    """Move a notice from ``sending`` back to ``open``, due later; ``False`` as for :func:`settle_notice`."""
    return _move_notice(notice, state=NoticeState.OPEN, due_at=until, problem=problem)


def _move_notice(notice: NoticeRow, **to: Any) -> bool:
    held = NoticeRow.objects.filter(id=notice.pk, state=NoticeState.SENDING, attempts=notice.attempts)
    return held.update(**to) == 1


def release(instance_ids: Iterable[UUID], worker: str) -> int:
    """Take the lease away from a worker that is known to be dead; answers how many runs it held."""
    return Instance.objects.filter(id__in=list(instance_ids), lease_owner=worker).update(
        lease_token=None, lease_until=None
    )
