"""The transition function itself: one or more happenings in, one decision out.

Pure. Several happenings are met in one transition where they are known together: the end of a call and a wish to cancel, say,
so that nothing starts in between (design/engine-notes.md, section 5).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID

from engine.machine import (
    branches,
    cancelling,
    endings,
    holding,
    limits,
    navigator,
    redoing,
    resuming,
    rollback,
    steps,
    undoing,
)
from engine.machine.faults import Fault
from engine.machine.happenings import (
    AbandonAsked,
    Answered,
    Arrived,
    BranchFailed,
    CallEnded,
    CallParked,
    CancelAsked,
    ChildEnded,
    ChildHeld,
    Happening,
    ResumeAsked,
    Ruled,
    Started,
    TreeHeld,
    Woke,
)
from engine.machine.kinds import KINDS
from engine.machine.kinds import all as _all_kinds  # noqa: F401 - fills KINDS
from engine.machine.run import Run, World
from engine.machine.turn import Decision, Turn
from engine.outcomes import TimedOut
from engine.states import UNDOING, Phase, Status, WaitKind

ENDED_BY_TIME = frozenset({WaitKind.HUMAN_TASK, WaitKind.TIMER, WaitKind.EVENT, WaitKind.CHAT})
"""Rests whose own time or deadline ends them."""
AMENDS = {Phase.ROLLING_BACK.value: rollback, Phase.UNWINDING.value: rollback, Phase.REDOING.value: undoing}
"""Who meets the end of a call in a phase in which effects are taken back."""
CALLS = (WaitKind.FUNCTION, WaitKind.AGENT)
"""What a run rests on while a call is out whose answer comes as a signal."""


def decide(
    run: Run,
    happenings: Sequence[Happening],
    world: World,
    new_id: Callable[[], UUID],
    *,
    hand_over: bool = False,
) -> Decision:
    """What becomes of ``run`` after ``happenings``, in their order. ``run`` is not changed.

    The decision must be committed as a whole before anything it asks for is done. With ``hand_over`` nothing new starts: the run
    is left where another worker can go on with it.
    """
    turn = Turn(run, world, new_id)
    turn.cancels = cancelling.is_wished(run, happenings)
    for happening in happenings:
        _meet(turn, happening)
    cancelling.carry_out(turn)
    limits.carry_out(turn)
    hand_over = hand_over or any(isinstance(each, TreeHeld) for each in happenings)
    if hand_over and _could_go_on(turn):
        turn.handed_over = True
    elif turn.undoes:
        _roll_back(turn)
    elif turn.position.phase == Phase.REDOING:
        _undo(turn)
    elif turn.end is None and turn.hold is None:
        navigator.proceed(turn)
    return turn.decide()


def give_up(run: Run, world: World, new_id: Callable[[], UUID]) -> Decision:
    """End a run as failed because the engine itself cannot decide about it. Nothing is compensated: that could fail alike."""
    turn = Turn(run, world, new_id)
    place = turn.open_node.id if turn.leaf is not None else ""
    fault = Fault("The run cannot go on: the engine met a fault of its own, which is in the log.", code="engine_fault")
    error = fault.error(place, turn.now, 0)
    turn.change(error=error)
    endings.leave_nothing_open(turn, error)
    if turn.leaf is not None:
        turn.leaf = replace(turn.leaf, rests="", out=False, deadline=None, since=None)
    endings.end_as(turn, {"status": Status.FAILED.value, "error": error})
    turn.target = run.position.target  # a resume goes on there, where nothing is open
    return turn.decide()


def _meet(turn: Turn, happening: Happening) -> None:
    match happening:
        case Started():
            pass
        case CallEnded():
            _call_ended(turn, happening)
        case CallParked(wait):
            _park(turn, wait)
        case Woke():
            _woke(turn, happening)
        case Answered(seq, output) if _rests(turn, seq, WaitKind.HUMAN_TASK):
            turn.wake_leaf()
            KINDS[turn.open_node.kind].answered(turn, turn.open_node, output)
        case Arrived(seq, data) if _rests(turn, seq, WaitKind.EVENT) or _rests(turn, seq, WaitKind.CHAT):
            turn.wake_leaf()
            KINDS[turn.open_node.kind].arrived(turn, turn.open_node, data)
        case ChildEnded(seq) if _rests(turn, seq, WaitKind.CHILD):
            turn.wake_leaf()
            if not cancelling.child_ended(turn):
                KINDS[turn.open_node.kind].child_ended(turn, turn.open_node, happening)
        case BranchFailed(seq) if _rests(turn, seq, WaitKind.CHILD):
            branches.failed(turn, happening)
        case Ruled(at, way=way) if way or _rests(turn, at, WaitKind.PARENT):
            (branches.pass_down if way else branches.ruled)(turn, happening)
        case CancelAsked():
            cancelling.meet(turn, happening)
        case ResumeAsked():
            resuming.meet(turn, happening)
        case AbandonAsked():
            resuming.abandon(turn, happening)
        case ChildHeld():
            holding.meet(turn, happening)
        case _:
            pass  # the run has left that visit by now: late news change nothing


def _call_ended(turn: Turn, happening: CallEnded) -> None:
    if turn.position.phase in AMENDS:
        AMENDS[turn.position.phase].call_ended(turn, happening)
        return
    leaf = turn.leaf
    if leaf is None or (leaf.seq, leaf.attempt) != (happening.seq, happening.attempt):
        return
    if leaf.rests in CALLS:
        turn.wake_leaf()
    elif leaf.out:
        turn.leaf = replace(leaf, out=False)
    else:
        return
    KINDS[turn.open_node.kind].call_ended(turn, turn.open_node, happening.result)


def _park(turn: Turn, wait: WaitKind) -> None:
    """The executor answers later: rest on the call until its deadline."""
    if turn.position.phase in AMENDS:
        AMENDS[turn.position.phase].park(turn)
        return
    assert turn.leaf is not None
    steps.park(turn, wait)


def _woke(turn: Turn, happening: Woke) -> None:
    # A deadline that is let pass is early by the world's clock, whatever the run jumped over before; a timer by the run's.
    turn.run_ahead(happening.early + (turn.position.skew if happening.kind == "deadline" else 0.0))
    if happening.kind == limits.WAKE:
        limits.passed(turn, happening)
        return
    if turn.position.phase in AMENDS:
        if happening.by and turn.position.undoing is not None:
            turn.event("flow_resumed", turn.position.undoing.node_id, happening.seq, by=happening.by)
        AMENDS[turn.position.phase].woke(turn, happening)
        return
    leaf = turn.leaf
    if leaf is None or leaf.seq != happening.seq or not leaf.rests:
        return
    node = turn.open_node
    if happening.kind == "retry" and leaf.rests == WaitKind.RETRY and leaf.attempt == happening.attempt:
        if not turn.cancels:
            turn.wake_leaf(by=happening.by)
            KINDS[node.kind].try_again(turn, node)
    elif happening.kind == "call" and leaf.rests in CALLS and leaf.attempt == happening.attempt:
        turn.wake_leaf()
        KINDS[node.kind].call_ended(turn, node, TimedOut())
    elif happening.kind in ("timer", "deadline") and leaf.rests in ENDED_BY_TIME:
        turn.wake_leaf()
        KINDS[node.kind].woke(turn, node)


def _rests(turn: Turn, seq: int, kind: WaitKind) -> bool:
    return turn.leaf is not None and turn.leaf.seq == seq and turn.leaf.rests == kind


def _could_go_on(turn: Turn) -> bool:
    """Whether something would start now, so that handing over makes a difference."""
    return turn.call is None and turn.end is None and (turn.target is not None or _free_to_amend(turn))


def _free_to_amend(turn: Turn) -> bool:
    """Whether nothing is busy in a phase in which effects are taken back."""
    return turn.position.phase in AMENDS and turn.position.undoing is None and turn.end is None


def _roll_back(turn: Turn) -> None:
    """Start the next compensation, unless one is busy or this very transition turned round: its plan is committed first."""
    turned_round = turn.run.position.phase not in UNDOING
    if not turned_round and _free_to_amend(turn):
        rollback.go_on(turn)


def _undo(turn: Turn) -> None:
    """Start the next undo, once the plan is committed; after the last one the run goes on where the redo begins."""
    planned_now = turn.run.position.phase != Phase.REDOING
    if not planned_now and _free_to_amend(turn) and not turn.cancels:
        redoing.go_on(turn)
        navigator.proceed(turn)
