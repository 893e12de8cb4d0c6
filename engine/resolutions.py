"""What people decide of a failure: let the run go on, or give it up (design/failure-document.md, "Operations").

Each decision begins in one transaction with a compare-and-set of the run's status, so that of two at once one wins, and is
recorded with who, when and a note. Nothing is run here: a worker carries it out.
"""

import time
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from engine import resolution_checks as checks
from engine.errors import Conflict, NotFound
from engine.failure import document, tree
from engine.failure import place as places
from engine.failure.tree import Run
from engine.models import Instance, Resolution, Visit
from engine.ports import Ports
from engine.states import ResolutionKind, ResolutionState, Status
from engine.store.loading import open_compensations
from engine.transitions import hold_of, lock_run, register_again, reopen

ABSENT: Final = checks.ABSENT
LOOK_AGAIN_SECONDS: Final = 0.1


def resume_failed(
    instance_id: UUID,
    *,
    ack: Any = None,
    result: Any = ABSENT,
    failure: int | None = None,
    note: str = "",
    by: str | None = None,
    ports: Ports,
) -> Resolution:
    """Let a failed or held run go on; answers the decision, which :func:`carried_out` may have refused later.

    ``ack`` and ``result`` settle an unknown outcome. With ``failure`` the call is safe to repeat: a failure that was resolved
    answers as it did then. Raises ``NotFound``, ``Conflict`` and ``InvalidInput`` with the codes of the design's table.
    """
    with transaction.atomic():
        run = _read(instance_id)
        earlier = _earlier(run, failure, ResolutionKind.RESUME)
        if earlier is not None:
            return earlier
        place = places.find(run)
        checks.can_resume(run, place)
        value = checks.settled_result(place, ack, result)
        decision = _record(run, ResolutionKind.RESUME, by, note, ports, ack=ack or "", result=value)
        register_again(instance_id, always=True)
        _begin_windows_anew(run)
        held = places.held_run(run)
        told = {"ack": ack or "", "result": value, "held": _other(held, instance_id)}
        _reopen(run, "resume", decision, told, ports)
    return decision


def abandon(
    instance_id: UUID, *, failure: int | None = None, note: str = "", by: str | None = None, ports: Ports
) -> Resolution | None:
    """Give a failed or held run up: everything registered is undone, newest first; answers the decision.

    On a run that was given up or rolled back before, what could not be undone is tried once more; ``None``, and nothing changed,
    where nothing is left. Raises as :func:`resume_failed`.
    """
    with transaction.atomic():
        run = _read(instance_id)
        earlier = _earlier(run, failure, ResolutionKind.ABANDON)
        if earlier is not None:
            return earlier
        checks.can_abandon(run)
        is_left = register_again(instance_id, always=False)
        if not is_left and _is_given_up(run):
            return None
        decision = _record(run, ResolutionKind.ABANDON, by, note, ports)
        _reopen(run, "abandon", decision, {}, ports)
    return decision


def carried_out(decision: Resolution, *, within: float = 0.0) -> Resolution:
    """The decision as it stands after at most so many seconds. Raises ``Conflict`` (``unwind_failed``) when it was refused."""
    until = time.monotonic() + within
    while True:
        decision.refresh_from_db()
        if decision.state == ResolutionState.REFUSED:
            raise Conflict(decision.refusal["message"], code=decision.refusal["code"])
        if decision.state == ResolutionState.DONE or time.monotonic() >= until:
            return decision
        time.sleep(LOOK_AGAIN_SECONDS)


def _read(instance_id: UUID) -> Run:
    """The tree of the run, whose row is held till the end of the transaction."""
    instance = lock_run(instance_id).select_related("flow", "version").first()
    if instance is None:
        raise NotFound("There is no such run.")
    return tree.read(instance)


def _earlier(run: Run, failure: int | None, kind: ResolutionKind) -> Resolution | None:
    """What was decided of the failure that the caller names, where it was. Raises ``Conflict`` for a number nobody knows."""
    if failure is None:
        return None
    present = document.failure_number(run)
    known = Resolution.objects.filter(instance=run.instance.pk, failure=failure).exclude(state=ResolutionState.REFUSED)
    if failure == present:
        known = known.filter(kind=kind)
    if failure == present and run.instance.status in checks.RESOLVABLE:
        known = known.filter(state=ResolutionState.DONE)  # the worker met a fault of its own and never carried it out
    found = known.order_by("-id").first()
    if found is None and (failure != present or run.instance.status not in checks.RESOLVABLE):
        raise Conflict(
            f"There is no failure {failure} of this run to decide about; its present one has the number {present}."
            if failure != present
            else checks.not_failed(run.instance),
            code="failure_unknown" if failure != present else "not_failed",
        )
    return found


def _record(run: Run, kind: ResolutionKind, by: str | None, note: str, ports: Ports, **said: Any) -> Resolution:
    return Resolution.objects.create(
        instance=run.instance,
        failure=document.failure_number(run),
        kind=kind,
        note=note,
        by=by or "",
        at=ports.clock.now(),
        **said,
    )


def _reopen(run: Run, kind: str, decision: Resolution, told: dict[str, Any], ports: Ports) -> None:
    payload = {"was": _was(run), "resolution": decision.pk, "by": decision.by, "note": decision.note, **told}
    status = Status(run.instance.status)
    if not reopen(run.instance.pk, kind, payload, ports, among=[status]):
        raise Conflict("Somebody else has just decided about this run; nothing was changed.", code="not_failed")


def _begin_windows_anew(run: Run) -> None:
    """What failed before a resume counts for no ``stop_after`` any more: by order and not by the clock, which may stand still."""
    family = [each.instance.pk for each in run.family()]
    Visit.objects.filter(instance__in=family, counted=True).update(counted=False)


def _was(run: Run) -> dict[str, Any]:
    """How the run stands, for whoever carries the decision out, and for the case that it is refused later."""
    instance, place = run.instance, places.find(run)
    was: dict[str, Any] = {"status": instance.status, "error": instance.error, "reason": instance.reason}
    if instance.status == Status.HELD:
        was["kind"] = hold_of(instance.pk)
        was["error"] = place.visit.error if place.visit is not None else None
        attempt = tree.last_attempt(place.run, place.visit) if place.is_unknown and place.visit else None
        was["unknown"] = (attempt.error or {"message": instance.reason}) if attempt else None
    return was


def _other(held: Run | None, instance_id: UUID) -> str | None:
    return str(held.instance.pk) if held is not None and held.instance.pk != instance_id else None


def _is_given_up(run: Run) -> bool:
    settled = run.position.settled
    return run.instance.status == Status.ROLLED_BACK or (settled is not None and settled.abandoned)


def unwinds_first(instance_id: UUID) -> bool:
    """Whether something must be undone before the run goes on."""
    return any(undo.always for undo in open_compensations(instance_id))


def decisions_of(instance: Instance) -> list[Resolution]:
    """Everything that was decided about the run's failures, oldest first."""
    return list(Resolution.objects.filter(instance=instance.pk).order_by("id"))
