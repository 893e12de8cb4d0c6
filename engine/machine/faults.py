"""Why an attempt failed, as a value, and what templates read of it as ``error``.

Pure. The members are those of design/semantics.md, "When an attempt fails".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine import moments
from engine.outcomes import Failed
from engine.states import AttemptResult
from flows.expressions import ExpressionError


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed attempt. ``final`` faults are never retried; ``expired`` means that a deadline passed; ``counted`` that a step
    inside failed, which a ``stop_after`` has counted already."""

    message: str
    error_type: str = "step_error"
    code: str | None = None
    status: int | None = None
    retry_after: float | str | None = None
    final: bool = False
    expired: bool = False
    result: AttemptResult = AttemptResult.FAILED
    traceback: str = ""
    counted: bool = False

    def error(self, step_id: str, now: datetime, attempts: int) -> dict[str, Any]:
        """The ``error`` namespace this fault becomes."""
        known = {"code": self.code, "status": self.status, "attempts": attempts or None}
        return {
            "error_type": self.error_type,
            "message": self.message,
            "step_id": step_id,
            "timestamp": moments.text_of(now),
            **{key: value for key, value in known.items() if value is not None},
        }


def evaluation(fault: ExpressionError, field: str) -> Fault:
    """A condition or template that could not be evaluated: never retried, for it would give the same again."""
    return Fault(f"{field}: {fault.message}", "evaluation", final=True)


def deadline_passed(message: str) -> Fault:
    """A wait that nobody ended in time (raisin, *Timeouts*: an expired wait is not retried)."""
    return Fault(message, "timeout", final=True, expired=True, result=AttemptResult.TIMED_OUT)


def of_failure(failure: Failed, manifest: Mapping[str, Any] | None) -> Fault:
    """What an executor's failure means under the function's manifest: one classed ``fatal`` is never retried."""
    return Fault(
        failure.message,
        failure.error_type,
        failure.code,
        failure.status,
        failure.retry_after,
        final=is_fatal(manifest, failure.code, failure.status, failure.raised),
        traceback=failure.traceback,
    )


def is_fatal(
    manifest: Mapping[str, Any] | None, code: str | None, status: int | None = None, raised: Sequence[str] = ()
) -> bool:
    """Whether a manifest classes a failure fatal (design/recovery.md, "Retries and classes").

    The most exact pattern in either list decides: code, status, exception name, status family. At equal rank fatal wins;
    nothing matching is transient. ``raised`` are the names of the exception and its bases, bare and dotted.
    """
    classes = (manifest or {}).get("errors") or {}
    fatal, transient = ({str(each) for each in classes.get(name) or ()} for name in ("fatal", "transient"))
    ranks = (
        {code} if code else set(),
        {str(status)} if status is not None else set(),
        set(raised),
        {f"{status // 100}xx"} if status is not None else set(),
    )
    for names in ranks:
        if names & fatal:
            return True
        if names & transient:
            return False
    return False
