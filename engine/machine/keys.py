"""Idempotency keys of steps: evaluated at the first attempt, stored, and sent again ever after (recovery seed,
*Step-level policy*; design/recovery.md, "Retries and classes").

Pure. A retry sends its visit's key; a redo, a resume or a loop that starts anew the key of the earlier visit in the same slot.
"""

from dataclasses import replace
from typing import Any

from engine.machine import expressions, slots, steps
from engine.machine.faults import Fault, evaluation
from engine.machine.turn import Turn
from flows.expressions import ExpressionError
from flows.graph import Node


def fix(turn: Turn, node: Node) -> bool:
    """Let the open visit of ``node`` have its key, where the step declares one. ``False``: the attempt failed for it."""
    leaf, declared = turn.leaf, node.settings.get("idempotency_key")
    assert leaf is not None
    if declared is None or leaf.key is not None:
        return True
    place = slots.slot(turn)
    key = turn.run.history.key(node.id, place) if _may_be_known(turn) else None
    if key is None:
        try:
            key = expressions.text(turn, declared)
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "idempotency_key"))
            return False
        if not key.strip():
            steps.fail(turn, node, Fault("idempotency_key: this gives nothing.", "evaluation", final=True))
            return False
    turn.leaf = replace(leaf, key=key)
    turn.writes.update("visit", {"seq": leaf.seq}, slot=place, idempotency_key=key)
    return True


def put_in(arguments: dict[str, Any], parameter: Any, key: str | None) -> dict[str, Any]:
    """The arguments of a call with the key where the manifest wants it, over an argument of the same name."""
    return {**arguments, parameter: key} if isinstance(parameter, str) and key is not None else arguments


def _may_be_known(turn: Turn) -> bool:
    """Whether the step may have been called for this effect before: only then somebody looks."""
    return turn.position.repeats or any(frame.data.get("attempt", 1) > 1 for frame in turn.frames)
