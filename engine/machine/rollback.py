"""Undoing: the registered compensations, newest first, each with its own transaction, retries and deadline.

All of them when the run is rolled back; before a resume those that must go in any case, and the first that fails stops it.

Pure. design/semantics.md, "When the run fails"; design/engine-notes.md, section 10. A rollback that a death interrupts goes on
where it stopped, because each compensation's state is a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from engine.machine import amends, endings, resuming
from engine.machine.faults import Fault
from engine.machine.happenings import CallEnded, Woke
from engine.machine.position import Undoing
from engine.machine.run import Undo
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded, TimedOut
from engine.ports import COMPENSATION, Call
from engine.states import CompensationState, Phase, WaitKind
from flows.graph import RetryPolicy


def go_on(turn: Turn) -> None:
    """Start the newest compensation that is left, or end the run when none is."""
    _start_first(turn, plan_of(turn))


def plan_of(turn: Turn) -> Sequence[Undo]:
    """What is still to be undone in the present phase, newest first."""
    plan = turn.run.plan()
    return plan if turn.position.phase == Phase.ROLLING_BACK else [undo for undo in plan if undo.always]


def call_ended(turn: Turn, happening: CallEnded) -> None:
    """The compensation that was out ended: record it, then try it again or go on to the next older one."""
    undoing = turn.position.undoing
    if undoing is None or not (undoing.out or undoing.rests == WaitKind.FUNCTION):
        return
    if (undoing.seq, undoing.attempt) == (happening.seq, happening.attempt):
        _ended(turn, undoing, happening.result)


def _ended(turn: Turn, undoing: Undoing, result: Result) -> None:
    plan = plan_of(turn)
    undo = next(each for each in plan if (str(each.instance), each.position) == (undoing.instance, undoing.position))
    if undoing.rests:
        turn.writes.delete("wakeup", {"visit_seq": undoing.seq})
    turn.change(undoing=replace(undoing, out=False, deadline=None, rests="", due=None))
    if isinstance(result, Succeeded):
        _close(turn, undo, CompensationState.DONE, result=result.output)
    else:
        fault, ambiguous = amends.fault_of(turn, undo.path, result)
        policy = amends.retries_of(turn, undo.path)
        if undo.missing_ok and fault.status in amends.GONE:
            _close(turn, undo, CompensationState.ABSENT, error=amends.words(fault))
        elif fault.final or ambiguous or undoing.attempt - undo.earlier > policy.max_retries:
            _close(turn, undo, CompensationState.FAILED, error=amends.words(fault))
            if turn.position.phase == Phase.UNWINDING:
                resuming.refuse(turn, undo, fault.message)
                return
        else:
            _try_again_later(turn, undo, undoing.attempt, policy, fault)
            return
    _start_first(turn, [each for each in plan if each is not undo])


def park(turn: Turn) -> None:
    """The executor answers a compensation later: rest on it until its deadline."""
    undoing = turn.position.undoing
    assert undoing is not None and undoing.deadline is not None
    due = datetime.fromisoformat(undoing.deadline)
    turn.wake_at("undo_call", due, seq=undoing.seq, attempt=undoing.attempt)
    turn.change(undoing=replace(undoing, out=False, rests=WaitKind.FUNCTION.value, due=undoing.deadline))


def woke(turn: Turn, happening: Woke) -> None:
    """A wake-up of the rollback came due: the next try starts, or a parked call is over."""
    undoing = turn.position.undoing
    if undoing is None or not undoing.rests:
        return
    if (undoing.seq, undoing.attempt) != (happening.seq, happening.attempt):
        return
    if happening.kind == "undo" and undoing.rests == WaitKind.RETRY:
        turn.change(undoing=None)
    elif happening.kind == "undo_call" and undoing.rests == WaitKind.FUNCTION:
        _ended(turn, undoing, TimedOut())


def _start_first(turn: Turn, plan: Sequence[Undo]) -> None:
    """Start the first of ``plan`` that can be called; the end of the plan is the end of the run."""
    for undo in plan:
        if undo.input_error is None:
            _start(turn, undo, attempt=undo.attempts + 1)
            return
        _count(turn, undo, undo.attempts + 1)
        _close(turn, undo, CompensationState.FAILED, error=undo.input_error)
        if turn.position.phase == Phase.UNWINDING:
            resuming.refuse(turn, undo, str(undo.input_error["message"]))
            return
    if turn.position.phase == Phase.UNWINDING:
        resuming.unwound(turn)
        return
    endings.end_as(turn, dict(turn.position.ending or {}))


def _count(turn: Turn, undo: Undo, attempt: int) -> None:
    """Note one more try; the first makes the run one that was rolled back."""
    turn.writes.update("compensation", _key(undo), attempts=attempt)
    if attempt == undo.earlier + 1 and turn.position.phase == Phase.ROLLING_BACK:
        turn.change(undone=turn.position.undone + 1)


def _start(turn: Turn, undo: Undo, *, attempt: int) -> None:
    deadline = turn.after(turn.world.call_limit_ms)
    seq = turn.position.last_seq + 1
    undoing = Undoing(
        str(undo.instance), undo.position, undo.node_id, seq, attempt, out=True, deadline=deadline.isoformat()
    )
    turn.change(last_seq=seq, undoing=undoing)
    turn.writes.update(
        "compensation",
        _key(undo),
        state=CompensationState.RUNNING.value,
        started_at=turn.now,
        deadline=deadline,
    )
    _count(turn, undo, attempt)
    turn.event("compensation_started", undo.node_id, undo.visit_seq, function_ref=undo.path, attempt=attempt)
    turn.call = Call(
        kind=COMPENSATION,
        path=undo.path,
        arguments=dict(undo.input or {}),
        instance_id=turn.run.facts.id,
        node_id=undo.node_id,
        visit=0,
        visit_seq=seq,
        attempt=attempt,
        idempotency_key=f"{undo.instance}:{undo.visit_seq}:undo",
        deadline_at=turn.in_the_world(deadline),
        is_test=turn.run.facts.is_test,
        test_config=turn.run.facts.test_config,
        input=turn.run.facts.input,
    )


def _close(
    turn: Turn,
    undo: Undo,
    state: CompensationState,
    *,
    result: Any = None,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Give a compensation its one terminal state, and the children's entries it was the last of theirs."""
    turn.writes.update("compensation", _key(undo), state=state.value, result=result, error=error, ended_at=turn.now)
    for instance, position in undo.closes if turn.position.phase == Phase.ROLLING_BACK else ():
        turn.writes.update(
            "compensation",
            {"instance": instance, "position": position},
            state=CompensationState.DONE.value,
            ended_at=turn.now,
        )
    turn.undone_now.add((undo.instance, undo.position))
    failed = state is CompensationState.FAILED
    turn.event(
        "compensation_failed" if failed else "compensation_completed",
        undo.node_id,
        undo.visit_seq,
        function_ref=undo.path,
        **({"error": error} if failed else {"status": state.value}),
    )
    turn.change(undoing=None)


def _try_again_later(turn: Turn, undo: Undo, tried: int, policy: RetryPolicy, fault: Fault) -> None:
    delay = policy.delay_ms(tried - undo.earlier, random=turn.world.random)
    due = turn.next_try(delay, fault.retry_after)
    turn.writes.update("compensation", _key(undo), error=amends.words(fault))
    undoing = turn.position.undoing
    assert undoing is not None
    turn.wake_at("undo", due, seq=undoing.seq, attempt=tried)
    turn.change(undoing=replace(undoing, rests=WaitKind.RETRY.value, due=due.isoformat()))
    turn.event("flow_waiting", undo.node_id, undo.visit_seq, wait_type=WaitKind.RETRY.value, reason="retry")


def _key(undo: Undo) -> dict[str, Any]:
    return {"instance": undo.instance, "position": undo.position}
