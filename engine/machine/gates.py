"""Gates: human tasks that may fail their step by being declined (design/failure-document.md, "Special cases").

Pure. What was decided is kept with the visit: the failure document tells it.
"""

from collections.abc import Mapping
from typing import Any

from engine import moments
from engine.machine.faults import Fault
from engine.machine.turn import Turn
from engine.states import AttemptResult

REJECTED, EXPIRED = "approval_rejected", "approval_expired"


def is_gate(settings: Mapping[str, Any]) -> bool:
    """Whether a human task's properties make it one."""
    return settings.get("on_reject") == "fail"


def is_rejection(settings: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Whether an answer declines: its ``action`` is among the ``reject_values``."""
    values = settings.get("reject_values")
    return is_gate(settings) and answer.get("action") in (values if isinstance(values, list) else ["reject"])


def rejected(turn: Turn, answer: Mapping[str, Any]) -> Fault:
    """Somebody declined. Asking again would not change their mind: it is never retried."""
    who, why = str(answer.get("completed_by") or ""), str(answer.get("comment") or "")
    _keep(turn, "rejected", decided_by=who, reason=why)
    return Fault(f"rejected by {who}: {why}" if why else f"rejected by {who}", code=REJECTED, final=True)


def expired(turn: Turn, settings: Mapping[str, Any]) -> Fault:
    """Nobody decided in time: what that means, the step says. A ``timeout_edge`` is taken in either case."""
    if settings.get("on_timeout") == "reject":
        _keep(turn, "rejected")
        kind, code, words = "step_error", REJECTED, "Nobody answered in time, which counts as a rejection."
    else:
        _keep(turn, "expired")
        kind, code, words = "timeout", EXPIRED, "Nobody answered in time."
    return Fault(words, kind, code, final=True, expired=True, result=AttemptResult.TIMED_OUT)


def _keep(turn: Turn, decision: str, **more: str) -> None:
    assert turn.leaf is not None
    moment = moments.text_of(turn.now)
    told = {key: value for key, value in more.items() if value}
    fixed = turn.entry_of(turn.leaf.seq) or {}
    turn.enter_with(turn.leaf.seq, {**fixed, "gate": {"decision": decision, **told, "decided_at": moment}})
