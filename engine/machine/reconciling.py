"""Reconciling: steps that find out whether an ambiguous call took effect (recovery seed, `on_unknown`).

Pure. The step's visit stays open around its probes, as a container's would. What the probes gave is read in the reconcile alone,
and what goes wrong in it never leaves it: then nobody can tell, and the run is held.
"""

from dataclasses import asdict, replace
from typing import Any

from engine.machine import expressions, paths, steps, unknowns
from engine.machine.faults import Fault, is_fatal
from engine.machine.outputs import output_problem
from engine.machine.position import Frame, Leaf
from engine.machine.turn import Turn
from engine.outcomes import Unknown
from engine.states import Outcome
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node


def begin(turn: Turn, node: Node, unknown: Unknown) -> None:
    """Ask the probes; the open attempt has ended ambiguous."""
    leaf = turn.leaf
    assert leaf is not None
    turn.leaf = None
    _forget(turn, node)
    held = {"unknown": asdict(unknown), "leaf": asdict(replace(leaf, out=False, deadline=None))}
    turn.frames.append(Frame(leaf.node, leaf.seq, leaf.number, held))
    turn.target = node.probes[0]


def told(turn: Turn) -> bool:
    """All probes have run: whether the effect is there, the ``outcome`` says. ``True``: it is, and the step has succeeded."""
    node, manifest = _node(turn), turn.graph.manifest_of(_node(turn))
    reconcile = node.settings["reconcile"]
    try:
        took_effect = expressions.holds(turn, reconcile.get("outcome"))
        result = expressions.resolve(turn, reconcile.get("result")) if took_effect else None
    except ExpressionError as error:
        could_not_tell(turn, f"The reconcile could not be evaluated: {error.message}")
        return False
    problem = output_problem(manifest, result) if took_effect else None
    if problem is not None:
        could_not_tell(turn, f"The effect was found, but result does not tell what it gave. {problem}")
        return False
    unknown = _back(turn)
    if took_effect:
        steps.finish(turn, node, result)
        return True
    steps.fail(turn, node, no_effect(turn, node, unknown))
    return False


def no_effect(turn: Turn, node: Node, unknown: Unknown) -> Fault:
    """The call did not take effect: the attempt is a failure with the code of its ambiguous end."""
    final = is_fatal(turn.graph.manifest_of(node), unknown.code, unknown.status)
    kind = "timeout" if unknown.code == "timeout" else "step_error"
    return Fault(unknown.message, kind, unknown.code, unknown.status, final=final)


def could_not_tell(turn: Turn, why: str) -> None:
    """The outcome stays ambiguous, so the run is held for a person, at the step that the reconcile is for."""
    while "unknown" not in turn.frames[-1].data:
        paths.close_container(turn, Outcome.FAILED)
    node = _node(turn)
    unknown = _back(turn)
    assert turn.leaf is not None
    turn.event("log", node.id, turn.leaf.seq, level="warning", message=why)
    unknowns.halt(turn, node, unknown)


def _node(turn: Turn) -> Node:
    return turn.node(turn.frames[-1].node)


def _back(turn: Turn) -> Unknown:
    """Take the step's visit up again; answers how its attempt ended."""
    frame = turn.frames.pop()
    node = turn.node(frame.node)
    assert node.kind == kinds.FUNCTION
    turn.leaf = Leaf(**frame.data["leaf"])
    _forget(turn, node)
    unknown: dict[str, Any] = frame.data["unknown"]
    return Unknown(**unknown)


def _forget(turn: Turn, node: Node) -> None:
    """What an earlier reconcile of the step found is not read in another one, nor behind it."""
    for probe in turn.graph.nodes:
        bound = turn.bindings.get(probe.id) if probe.owner == node.index else None
        if bound is not None and bound.outcome != Outcome.NOT_RUN:
            turn.bind(probe.id, replace(bound, seq=0, outcome=Outcome.NOT_RUN.value, recent=()))
