"""What a driver keeps in memory of a run between two transitions.

Pure. A run may take hundreds of thousands of steps in one drive, so nothing may stay that no expression can read any more.
"""

from engine.machine.run import Run
from engine.machine.turn import Decision
from engine.states import UNDOING


def take_in(run: Run, decision: Decision) -> None:
    """What was committed is where ``run`` stands now; outputs and entries out of anybody's sight are forgotten."""
    for node_id, bound in decision.bound.items():
        before = run.bindings.get(node_id)
        if before is not None:
            for seq in {before.seq, *before.recent} - {bound.seq, *bound.recent}:
                run.outputs.known.pop(seq, None)
    run.bindings.update(decision.bound)
    run.outputs.known.update(decision.outputs)
    run.entries.known.update(decision.entries)
    run.position = decision.position
    _forget_entries(run)
    if decision.position.phase in UNDOING:
        run.plan.shorten(decision.undone)
    else:
        run.plan.forget()


def _forget_entries(run: Run) -> None:
    """What a visit fixed at its entry is read as long as it is open."""
    place, known = run.position, run.entries.known
    is_open = {frame.seq for frame in place.frames} | ({place.leaf.seq} if place.leaf is not None else set())
    for seq in known.keys() - is_open:
        del known[seq]
