"""Holding a tree of runs: what holds a child run, at any depth, holds its root, and there it is settled.

Pure. design/recovery.md, "Held runs".
"""

from engine.machine.happenings import ChildHeld
from engine.machine.turn import Hold, Turn
from engine.states import WaitKind


def meet(turn: Turn, held: ChildHeld) -> None:
    """A run below is held: so is this one, its root, unless it has gone on or is to end. It still rests on its child runs."""
    leaf = turn.leaf
    if turn.cancels or turn.end is not None or turn.hold is not None or leaf is None or leaf.rests != WaitKind.CHILD:
        return
    node = turn.open_node
    turn.hold = Hold(node.id, held.reason, held.message)
    turn.event("flow_held", node.id, leaf.seq, reason=held.reason, child=str(held.child))
