"""Time limits of containers: ``timeout_ms`` of a loop or a parallel, with or without a ``timeout_edge``.

Pure. reference/flow-format.md, section 6; design/engine-notes.md, section 6. A limit is that of one attempt of the container.
When it passes, nothing new starts inside: waits are ended, child runs cancelled, a call that is out is awaited. Then the
container has failed with ``error_type: timeout``, which is not retried; what succeeded inside stays registered for a rollback.
"""

from dataclasses import replace
from datetime import datetime

from engine.machine import cancelling, ladder, paths, steps
from engine.machine.faults import Fault, deadline_passed
from engine.machine.happenings import Woke
from engine.machine.position import Frame
from engine.machine.turn import Turn
from engine.states import Outcome, Phase, WaitKind
from flows.graph import Node, limit_of

WAKE = "limit"
"""The kind of wake-up that tells of a limit."""
PASSED = "It did not end within its time."


def due(turn: Turn, node: Node) -> datetime | None:
    """When an attempt of the container that begins now must be over; ``None`` where nothing limits it."""
    limit = limit_of(node)
    return None if limit is None else turn.after(limit)


def begin(turn: Turn, node: Node) -> None:
    """Limit the attempt of the innermost open container that begins now."""
    _begin(turn, turn.frames[-1], due(turn, node))


def begin_again(turn: Turn) -> None:
    """A run that had failed goes on: each open container has its whole time once more, since nobody knows how long it lay."""
    for frame in turn.frames:
        _begin(turn, frame, due(turn, turn.node(frame.node)))


def _begin(turn: Turn, frame: Frame, moment: datetime | None) -> None:
    if moment is not None:
        turn.wake_at(WAKE, moment, seq=frame.seq, attempt=frame.data.get("attempt", 1))


def passed(turn: Turn, happening: Woke) -> None:
    """A limit has passed: note it, and let child runs end."""
    leaf = turn.leaf
    if leaf is not None and (leaf.seq, leaf.attempt) == (happening.seq, happening.attempt):
        if leaf.rests == WaitKind.CHILD and turn.position.broken is None:
            turn.change(broken={"error": {"message": PASSED}, "final": True, "expired": True})
            turn.leaf = replace(leaf, deadline=None)
            turn.cancel_children_of = leaf.seq
        return
    for place, frame in enumerate(turn.frames):
        if (frame.seq, frame.data.get("attempt", 1)) == (happening.seq, happening.attempt):
            turn.frames[place] = replace(frame, data={**frame.data, "expired": True})
            if leaf is not None and leaf.rests == WaitKind.CHILD:
                turn.cancel_children_of = leaf.seq


def branches_ended(turn: Turn, node: Node) -> None:
    """Every branch of a parallel whose time is over has ended."""
    leaf = turn.leaf
    assert leaf is not None
    turn.change(broken=None)
    steps.keep_effects(turn, node, leaf)
    steps.fail(turn, node, deadline_passed(PASSED))


def carry_out(turn: Turn) -> None:
    """Leave the outermost open container whose time is over, once nothing inside it is out any more."""
    over = next((place for place, frame in enumerate(turn.frames) if frame.data.get("expired")), None)
    is_free = not (turn.cancels or turn.end or turn.hold) and turn.position.phase == Phase.FORWARD
    if over is None or not is_free or (turn.leaf is not None and cancelling.is_awaited(turn, turn.leaf)):
        return
    turn.target = None
    error = Fault(f"{turn.node(turn.frames[over].node).id} did not end within its time.", "timeout")
    told = error.error(turn.node(turn.frames[over].node).id, turn.now, 0)
    if turn.leaf is not None:
        cancelling.leave_step(turn, turn.leaf, told, reason="time_is_over")
    while len(turn.frames) > over + 1:
        paths.close_container(turn, Outcome.FAILED, error=told)
    ladder.fail_container(turn, deadline_passed(PASSED))
