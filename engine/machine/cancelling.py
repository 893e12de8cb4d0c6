"""Cancelling: asked for, then carried out (design/semantics.md, "Cancel")."""

from typing import Any

from engine.machine import endings
from engine.machine.faults import Fault
from engine.machine.happenings import CancelAsked, ChildEnded
from engine.machine.turn import Turn
from engine.states import AttemptResult, Outcome, Phase, Status, WaitKind
from flows import kinds

REASON = "The run was cancelled."


def meet(turn: Turn, asked: CancelAsked) -> None:
    """End the run, once nothing of it is out any more: children first, then itself.

    A rollback is never cut short: half undone is the worst end (the command refuses it; a wish that came too late is dropped).
    """
    if turn.position.phase == Phase.ROLLING_BACK or turn.end is not None:
        return
    ending: dict[str, Any] = {"status": Status.CANCELLED.value, "by": asked.by, "roll_back": asked.roll_back}
    turn.target = None
    leaf = turn.leaf
    if leaf is not None and leaf.rests == WaitKind.CHILD:
        turn.change(ending=ending)
        turn.cancel_children_of = leaf.seq
        return
    _close(turn, ending)


def child_ended(turn: Turn, child: ChildEnded) -> bool:
    """Whether the run only waited for this child in order to be cancelled itself."""
    ending = turn.position.ending
    if ending is None:
        return False
    _close(turn, dict(ending))
    return True


def _close(turn: Turn, ending: dict[str, Any]) -> None:
    error = Fault(REASON, "cancelled").error(turn.open_node.id if turn.leaf else "", turn.now, 0)
    leaf = turn.leaf
    if leaf is not None:
        node = turn.open_node
        if leaf.rests == WaitKind.HUMAN_TASK or node.kind == kinds.HUMAN_TASK:
            turn.close_tasks = (leaf.seq, "run_cancelled")
        if leaf.deadline is not None:
            turn.writes.delete("wakeup", {"visit_seq": leaf.seq})
        turn.writes.update(
            "attempt",
            {"visit_seq": leaf.seq, "number": leaf.attempt},
            result=AttemptResult.CANCELLED.value,
            ended_at=turn.now,
        )
        turn.close_visit(node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
        turn.leaf = None
    for frame in turn.frames:
        turn.writes.update("visit", {"seq": frame.seq}, outcome=Outcome.FAILED.value, error=error, ended_at=turn.now)
    if ending["roll_back"] and turn.position.compensations > 0:
        endings.turn_round(turn, ending)
    else:
        endings.end_as(turn, ending)
