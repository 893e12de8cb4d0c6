"""Cancelling: asked for, then carried out (design/semantics.md, "Cancel")."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.machine import endings, steps
from engine.machine.faults import Fault
from engine.machine.happenings import AbandonAsked, CancelAsked, Happening
from engine.machine.position import Leaf
from engine.machine.run import Run
from engine.machine.turn import Turn
from engine.states import UNDOING, AttemptResult, Outcome, Phase, Status, WaitKind
from flows import kinds

REASON = "The run was cancelled."
AWAITED = frozenset({WaitKind.CHILD, WaitKind.FUNCTION, WaitKind.AGENT, WaitKind.PARENT})
"""Rests on something that is out: its end is awaited and recorded before the run ends."""


def is_wished(run: Run, happenings: Sequence[Happening]) -> bool:
    """Whether the run is to be cancelled, by a wish known before or now.

    A rollback is never cut short: half undone is the worst end (the command refuses it; a wish that came too late is dropped).
    """
    if run.position.phase in UNDOING or any(isinstance(each, AbandonAsked) for each in happenings):
        return False
    return run.position.ending is not None or any(isinstance(each, CancelAsked) for each in happenings)


def meet(turn: Turn, asked: CancelAsked) -> None:
    """Note the wish, and pass it down to the child runs that are awaited."""
    if not turn.cancels:
        return
    turn.change(ending={"status": Status.CANCELLED.value, "by": asked.by, "roll_back": asked.roll_back})
    if turn.leaf is not None and turn.leaf.rests == WaitKind.CHILD:
        turn.cancel_children_of = turn.leaf.seq


def child_ended(turn: Turn) -> bool:
    """Whether the run only waited for its child runs in order to be cancelled itself; what they have done is kept in mind."""
    leaf = turn.leaf
    if turn.position.ending is None or leaf is None:
        return False
    steps.end_attempt(turn, leaf, AttemptResult.CANCELLED)
    steps.keep_effects(turn, turn.open_node, leaf)
    return True


def carry_out(turn: Turn) -> None:
    """End a run that is to be cancelled, once nothing of it is out any more."""
    leaf, ending = turn.leaf, turn.position.ending
    if not turn.cancels or ending is None or turn.end is not None:
        return
    if turn.position.phase == Phase.REDOING and not _undo_is_over(turn):
        return
    if leaf is not None and leaf.rests == WaitKind.PARENT:
        turn.leaf = leaf = None  # it has failed already
    if leaf is None or not is_awaited(turn, leaf):
        _close(turn, ending)


def _undo_is_over(turn: Turn) -> bool:
    """Whether no undo is out any more; the ones that are left are not called."""
    busy = turn.position.undoing
    if busy is not None and (busy.out or busy.rests == WaitKind.FUNCTION):
        return False
    if busy is not None:
        turn.writes.delete("wakeup", {"visit_seq": busy.seq})
    turn.change(undoing=None, redo=None, phase=Phase.FORWARD.value)
    return True


def leave_step(turn: Turn, leaf: Leaf, error: Mapping[str, Any], *, reason: str) -> None:
    """End the open visit as failed, with its wait and its tasks; ``reason`` is why these are cancelled."""
    if turn.open_node.kind == kinds.HUMAN_TASK or leaf.rests == WaitKind.HUMAN_TASK:
        turn.close_tasks = (leaf.seq, reason)
    if leaf.deadline is not None:
        turn.writes.delete("wakeup", {"visit_seq": leaf.seq})
    if leaf.rests and leaf.rests != WaitKind.RETRY:
        steps.end_attempt(turn, leaf, AttemptResult.CANCELLED)
    turn.close_visit(turn.open_node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
    turn.leaf = None


def is_awaited(turn: Turn, leaf: Leaf) -> bool:
    """Whether something is out; not an agent that decides a task, for the task is cancelled and nothing is done by deciding."""
    return (leaf.out or leaf.rests in AWAITED) and turn.open_node.kind != kinds.HUMAN_TASK


def _close(turn: Turn, ending: Mapping[str, Any]) -> None:
    place = turn.open_node.id if turn.leaf else ""
    error = ending.get("error") or Fault(REASON, "cancelled").error(place, turn.now, 0)
    leaf = turn.leaf
    turn.target = None
    if leaf is not None:
        leave_step(turn, leaf, error, reason="run_cancelled")
    for frame in turn.frames:
        turn.writes.update("visit", {"seq": frame.seq}, outcome=Outcome.FAILED.value, error=error, ended_at=turn.now)
    if ending["roll_back"] and turn.position.compensations > 0:
        endings.turn_round(turn, dict(ending))
    else:
        endings.end_as(turn, dict(ending))
