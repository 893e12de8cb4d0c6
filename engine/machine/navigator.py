"""Entering nodes, one after the other, until something has to be done or waited for.

Pure.
"""

from engine.machine import endings, expressions, ladder, paths
from engine.machine.faults import evaluation
from engine.machine.kinds import KINDS
from engine.machine.turn import Turn
from flows.expressions import ExpressionError
from flows.graph import END_INDEX, Node


def proceed(turn: Turn) -> None:
    """Enter nodes as long as none of them needs a body, a wait or the end, and the turn's budget lasts."""
    while turn.target is not None and turn.budget > 0:
        turn.budget -= 1
        target, turn.target = turn.target, None
        if target == END_INDEX:
            endings.complete(turn)
        else:
            enter(turn, turn.node(target))


def enter(turn: Turn, node: Node) -> None:
    """Enter ``node``: open the containers around it that are not open yet, ask its guard, and let its kind begin."""
    open_nodes = {frame.node for frame in turn.frames}
    for index in turn.ancestors(node.index):
        if index not in open_nodes:
            paths.open_container(turn, turn.node(index))
    try:
        passed_over = node.disabled or not _guard_holds(turn, node)
    except ExpressionError as fault:
        ladder.fail_at_the_door(turn, node, evaluation(fault, "when"))
        return
    if passed_over:
        paths.skip(turn, node)
    else:
        KINDS[node.kind].enter(turn, node)


def _guard_holds(turn: Turn, node: Node) -> bool:
    guard = node.settings.get("when")
    return guard is None or expressions.holds(turn, guard)
