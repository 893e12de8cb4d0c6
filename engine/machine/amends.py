"""What calls that take an effect back have in common: compensations in a rollback, undos before a redo.

Pure. design/engine-notes.md, section 10.
"""

from typing import Any, Final

from engine.machine import unknowns
from engine.machine.faults import Fault, of_failure
from engine.machine.turn import Turn
from engine.outcomes import Failed, Result, Succeeded, TimedOut, Unknown, WorkerLost
from flows.graph import RetryPolicy
from flows.lowering import PRESETS, declared_retry

GONE: Final = frozenset({404, 410})
"""Answers that ``missing_ok`` takes for "there is nothing to take back any more"."""


def fault_of(turn: Turn, path: str, result: Result) -> tuple[Fault, bool]:
    """Why the try failed, and whether nobody can know what it did (then it is not issued again)."""
    manifest = turn.graph.manifests.get(path)
    unsafe = unknowns.can_be(manifest) and (manifest or {}).get("idempotent") is not True
    match result:
        case Failed():
            return of_failure(result, manifest), False
        case TimedOut():
            return Fault("No answer came in time.", "timeout", "timeout"), unsafe
        case Unknown():
            return Fault(result.message, "unknown_outcome", result.code, result.status), unsafe
        case WorkerLost():
            return Fault("The worker was lost during the call.", code="worker_lost"), unsafe
        case Succeeded():
            raise AssertionError("A success is no fault.")


def retries_of(turn: Turn, path: str) -> RetryPolicy:
    """The budget of the call: its manifest's, else ``quick``."""
    manifest = turn.graph.manifests.get(path) or {}
    return declared_retry(manifest.get("retry"), PRESETS["quick"])


def words(fault: Fault) -> dict[str, Any]:
    """The fault as the record of the call shows it."""
    known = {"message": fault.message, "code": fault.code, "status": fault.status}
    return {key: value for key, value in known.items() if value is not None}
