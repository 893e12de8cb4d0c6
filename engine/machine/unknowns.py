"""What happens when nobody can say whether a call took effect (recovery seed, `on_unknown`).

Pure. Only functions whose manifest says ``effect: write`` (the default) can leave it open; the others simply failed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.machine import reconciling, steps
from engine.machine.faults import Fault, is_fatal
from engine.machine.turn import Hold, Turn
from engine.outcomes import Unknown
from engine.states import AttemptResult
from flows.graph import Node


def can_be(manifest: Mapping[str, Any] | None) -> bool:
    """Whether a call under this manifest can end without anyone knowing what it did."""
    return manifest is not None and manifest.get("effect", "write") == "write"


def policy_of(node: Node, manifest: Mapping[str, Any] | None) -> str:
    """``retry``, ``reconcile`` or ``halt``: what the step says, else what its manifest makes safe (design/recovery.md, the
    table)."""
    own = node.settings.get("on_unknown")
    if own in ("retry", "halt") or (own == "reconcile" and node.probes):
        return str(own)
    found = manifest or {}
    keyed = not found.get("idempotency_param") or node.settings.get("idempotency_key") is not None
    return "retry" if found.get("idempotent") is True and keyed else "halt"


def meet(turn: Turn, node: Node, manifest: Mapping[str, Any] | None, unknown: Unknown, result: AttemptResult) -> None:
    """An attempt ended ambiguous: issue it again where that is safe, find out, or hold the run for a person, unless it is to
    end. A probe that would be held itself has failed (ours): what is held is the step that it looks for."""
    policy = policy_of(node, manifest)
    if policy == "retry" or node.owner is not None:
        final = policy != "retry" or is_fatal(manifest, unknown.code, unknown.status)
        fault = Fault(unknown.message, "unknown_outcome", unknown.code, unknown.status, final=final, result=result)
        steps.fail(turn, node, fault)
        return
    leaf = turn.leaf
    assert leaf is not None
    steps.end_attempt(turn, leaf, result, error={"message": unknown.message, "code": unknown.code})
    turn.leaf = replace(leaf, out=False, deadline=None)
    if turn.cancels:
        return
    if policy == "reconcile":
        reconciling.begin(turn, node, unknown)
    else:
        halt(turn, node, unknown)


def halt(turn: Turn, node: Node, unknown: Unknown) -> None:
    """Hold the run for a person, who can find out what the open visit's call did."""
    assert turn.leaf is not None
    turn.hold = Hold(node.id, "unknown_outcome", unknown.message)
    turn.event("flow_held", node.id, turn.leaf.seq, reason="unknown_outcome", code=unknown.code)
