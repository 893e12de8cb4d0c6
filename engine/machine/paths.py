"""Ways between nodes: on to the next, out of a container, across by a jump.

Pure. The rules of order are reference/flow-format.md, section 2; jumps into and out of containers design/engine-notes.md,
section 11.
"""

from dataclasses import replace
from typing import Any

from engine.machine.kinds import KINDS
from engine.machine.position import Frame
from engine.machine.turn import Turn
from engine.states import Outcome
from flows.graph import END_INDEX, Node


def open_container(turn: Turn, node: Node, **data: Any) -> None:
    """Open a visit of a container and make it the innermost one."""
    seq, number = turn.open_visit(node)
    turn.frames.append(Frame(node.index, seq, number, data))


def remember(turn: Turn, **data: Any) -> None:
    """Change what the innermost container remembers."""
    frame = turn.frames[-1]
    turn.frames[-1] = replace(frame, data={**frame.data, **data})


def close_container(turn: Turn, outcome: Outcome = Outcome.SUCCEEDED, *, output: Any = None, error: Any = None) -> Node:
    """Close the innermost container; answers its node."""
    frame = turn.frames.pop()
    node = turn.node(frame.node)
    turn.close_visit(node, frame.seq, frame.number, outcome, output, error)
    return node


def skip(turn: Turn, node: Node) -> None:
    """Pass over a node whose guard is false or that is disabled: outcome ``skipped``, output null."""
    seq, number = turn.open_visit(node)
    turn.close_visit(node, seq, number, Outcome.SKIPPED)
    turn.event("step_skipped", node.id, seq)
    go_on(turn, node)


def go_on(turn: Turn, node: Node) -> None:
    """Lead on from a node that is over: to the node it leads to, else out of the containers it was the last in."""
    while node.next is None and (container := turn.parent_of(node)) is not None:
        if not KINDS[container.kind].body_ended(turn):
            return
        node = container
    jump(turn, END_INDEX if node.next is None else node.next)


def jump(turn: Turn, target: int) -> None:
    """Jump to a node: the containers that do not hold it end, those that do and are not open yet will be entered.

    The end is that of the graph the jump stands in: the flow's, a branch's, or a reconcile's.
    """
    owner = turn.reconciled if target == END_INDEX else None
    around = turn.ancestors(target) if target != END_INDEX else () if owner is None else (owner.index,)
    while turn.frames and turn.frames[-1].node not in around:
        KINDS[turn.node(turn.frames[-1].node).kind].left(turn)
    if owner is None:
        turn.target = target
    elif KINDS[owner.kind].body_ended(turn):
        go_on(turn, owner)
