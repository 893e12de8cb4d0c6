"""Undos: the calls that take succeeded visits back before a redo, newest first, each with its own transaction and retries.

Pure. Recovery seed, *undo*; design/recovery.md, "Undo". All arguments are evaluated first, when the redo is decided.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from engine.machine import amends, expressions, redoing, steps
from engine.machine.faults import Fault
from engine.machine.happenings import CallEnded, Woke
from engine.machine.kinds import loop
from engine.machine.position import Frame, Position, Undoing
from engine.machine.run import Bound, Run, UndoCall, Visited
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded, TimedOut
from engine.ports import COMPENSATION, Call
from engine.states import CompensationState, Outcome, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node, RetryPolicy


@dataclass(frozen=True, slots=True)
class Planned:
    """One undo to be recorded."""

    owner: Run
    visit: Visited
    path: str
    arguments: Any
    missing_ok: bool


class Unreadable(Exception):
    """The arguments of an undo cannot be evaluated."""

    def __init__(self, node_id: str, path: str, message: str) -> None:
        super().__init__(message)
        self.node_id, self.path, self.message = node_id, path, message


# --- the plan ----------------------------------------------------------------------------------------------------------


def plan(turn: Turn, visits: Sequence[Visited], first: int) -> Iterator[Planned]:
    """The undos of a run's visits from ``first`` on, in reverse order of completion. Raises :class:`Unreadable`.

    What a visit's child runs did is undone in the visit's place, one child after the other, unless the visit itself declares how
    all of it is undone.
    """
    by_id = {node.id: node for node in turn.graph.nodes}
    children: dict[int, list[Run]] = {}
    for seq, child in turn.run.history.family(first):
        children.setdefault(seq, []).append(child)
    for visit in sorted(visits, key=lambda each: each.completion, reverse=True):
        node = by_id.get(visit.node_id)
        declared = node.settings.get("undo") if node is not None and visit.outcome == Outcome.SUCCEEDED else None
        if node is not None and isinstance(declared, Mapping):
            yield _planned(turn, node, visit, declared)
            continue
        for child in children.get(visit.seq, ()):
            yield from plan(Turn(child, turn.world, turn.new_id), child.history.visits(1), 1)


def _planned(turn: Turn, node: Node, visit: Visited, declared: Mapping[str, Any]) -> Planned:
    path = kinds.reference_path(declared.get("function_ref")) or ""
    try:
        arguments = _arguments(turn, node, visit, declared.get("arguments") or {})
    except ExpressionError as error:
        raise Unreadable(node.id, path, f"arguments: {error.message}") from error
    return Planned(turn.run, visit, path, arguments, declared.get("missing_ok") is True)


def as_it_stands(turn: Turn, recorded: Iterable[Visited]) -> list[Visited]:
    """Recorded visits with what this very transition has done to them, and those that it has begun."""
    found = {visit.seq: visit for visit in recorded}
    for each in turn.writes:
        if each.table != "visit":
            continue
        seq, told = dict(each.key)["seq"], each.values
        if each.new:
            found[seq] = Visited(seq, told["node_id"], told["number"], "", 0, told.get("iterations", ""))
        if seq in found and told.get("outcome"):
            found[seq] = replace(found[seq], outcome=told["outcome"], completion=told["completion"])
    return list(found.values())


def record(turn: Turn, calls: Sequence[Planned], round_: int) -> None:
    """Write the plan down; its first undo starts after the commit."""
    before = turn.position.undos or 0
    for place, each in enumerate(calls, start=before + 1):
        turn.writes.insert(
            "undo",
            {"place": place},
            round=round_,
            owner=each.owner.facts.id,
            visit_seq=each.visit.seq,
            node_id=each.visit.node_id,
            path=each.path,
            arguments=each.arguments,
            missing_ok=each.missing_ok,
        )
    turn.change(undos=before + len(calls))
    turn.target = None


def _arguments(turn: Turn, node: Node, visit: Visited, declared: Any) -> Any:
    """What an undo is called with, in the scope of the visit: its own output, and the loop variables of its iteration."""
    own = Bound(visit.number, visit.seq, visit.outcome, visit.completion)
    bindings: dict[str, Bound] = {**turn.bindings, node.id: own}
    loops = [each for each in turn.ancestors(node.index) if turn.node(each).kind == kinds.LOOP]
    around = [each.split(":") for each in visit.iterations.split("/") if each]
    frames = [
        Frame(each, int(seq), 0, {"index": int(index), **loop.names_of(loop.settings_of(turn.node(each)))})
        for each, (seq, index) in zip(loops, around, strict=False)
    ]
    position: Position = replace(turn.position, frames=tuple(frames))
    return expressions.resolve_as_of(turn, declared, bindings, position, turn.outputs[visit.seq])


# --- carrying it out ---------------------------------------------------------------------------------------------------


def start(turn: Turn, undo: UndoCall) -> None:
    """Call one undo, after the commit."""
    deadline, attempt = turn.after(turn.world.call_limit_ms), undo.attempts + 1
    seq, facts = turn.position.last_seq + 1, turn.run.facts
    busy = Undoing(str(facts.id), undo.place, undo.node_id, seq, attempt, out=True, deadline=deadline.isoformat())
    turn.change(last_seq=seq, undoing=busy)
    row = {"state": CompensationState.RUNNING.value, "attempts": attempt, "started_at": turn.now, "deadline": deadline}
    turn.writes.update("undo", {"place": undo.place}, **row)
    turn.call = Call(
        kind=COMPENSATION,
        path=undo.path,
        arguments=dict(undo.arguments or {}),
        instance_id=facts.id,
        node_id=undo.node_id,
        visit=0,
        visit_seq=seq,
        attempt=attempt,
        idempotency_key=f"{undo.owner}:{undo.visit_seq}:undo:{undo.place}",
        deadline_at=turn.in_the_world(deadline),
        is_test=facts.is_test,
        test_config=facts.test_config,
        input=facts.input,
    )


def call_ended(turn: Turn, happening: CallEnded) -> None:
    """The undo that was out ended: record it, then try it again or go on to the next."""
    busy = turn.position.undoing
    if busy is None or not (busy.out or busy.rests == WaitKind.FUNCTION):
        return
    if (busy.seq, busy.attempt) == (happening.seq, happening.attempt):
        _ended(turn, busy, happening.result)


def park(turn: Turn) -> None:
    """The executor answers an undo later: rest on it until its deadline."""
    busy = turn.position.undoing
    assert busy is not None and busy.deadline is not None
    turn.wake_at("undo_call", datetime.fromisoformat(busy.deadline), seq=busy.seq, attempt=busy.attempt)
    turn.change(undoing=replace(busy, out=False, rests=WaitKind.FUNCTION.value, due=busy.deadline))


def woke(turn: Turn, happening: Woke) -> None:
    """A wake-up of the undos came due: the next try starts, or a parked call is over."""
    busy = turn.position.undoing
    if busy is None or not busy.rests or (busy.seq, busy.attempt) != (happening.seq, happening.attempt):
        return
    if happening.kind == "undo" and busy.rests == WaitKind.RETRY:
        turn.change(undoing=None)
    elif happening.kind == "undo_call" and busy.rests == WaitKind.FUNCTION:
        _ended(turn, busy, TimedOut())


def _ended(turn: Turn, busy: Undoing, result: Result) -> None:
    calls = turn.run.history.undos()
    undo = calls[0]
    if busy.rests:
        turn.writes.delete("wakeup", {"visit_seq": busy.seq})
    turn.change(undoing=None)
    if isinstance(result, Succeeded):
        _close(turn, undo, CompensationState.DONE, result=result.output)
        redoing.undone(turn, calls[1:], None)
        return
    fault, ambiguous = amends.fault_of(turn, undo.path, result)
    policy = amends.retries_of(turn, undo.path)
    if undo.missing_ok and fault.status in amends.GONE:
        _close(turn, undo, CompensationState.ABSENT, error=amends.words(fault))
        redoing.undone(turn, calls[1:], None)
    elif fault.final or ambiguous or busy.attempt > policy.max_retries:
        _close(turn, undo, CompensationState.FAILED, error=amends.words(fault))
        redoing.undone(turn, calls[1:], (undo, amends.words(fault)))
    else:
        _try_again_later(turn, undo, busy, policy, fault)


def _close(turn: Turn, undo: UndoCall, state: CompensationState, **told: Any) -> None:
    """Give an undo its one terminal state. What it took back needs no compensation any more."""
    turn.writes.update("undo", {"place": undo.place}, state=state.value, ended_at=turn.now, **told)
    seen = {"function_ref": undo.path, "arguments": undo.arguments, "status": state.value, **told}
    turn.event("undo_completed", undo.node_id, undo.visit_seq, **seen)
    if state is not CompensationState.FAILED and undo.compensations:
        is_own = undo.owner == turn.run.facts.id
        steps.withdraw(turn, {"instance": undo.owner, "visit_seq": undo.visit_seq}, undo.compensations if is_own else 0)


def _try_again_later(turn: Turn, undo: UndoCall, busy: Undoing, policy: RetryPolicy, fault: Fault) -> None:
    if turn.cancels:
        return
    due = turn.next_try(policy.delay_ms(busy.attempt, random=turn.world.random), fault.retry_after)
    turn.writes.update("undo", {"place": undo.place}, error=amends.words(fault))
    turn.wake_at("undo", due, seq=busy.seq, attempt=busy.attempt)
    turn.change(undoing=replace(busy, out=False, deadline=None, rests=WaitKind.RETRY.value, due=due.isoformat()))
    turn.event("flow_waiting", undo.node_id, undo.visit_seq, wait_type=WaitKind.RETRY.value, reason="retry")
