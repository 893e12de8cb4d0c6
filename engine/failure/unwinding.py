"""What is left to undo, and what was undone so far."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine import moments
from engine.failure import tree
from engine.failure.masking import call_line, line
from engine.failure.tree import Done
from engine.models import Compensation
from engine.states import CompensationState
from flows import kinds

NOTHING: Final = "none"
"""The word of the contract for what cannot be undone: never hidden."""
_LEFT: Final = (CompensationState.REGISTERED, CompensationState.RUNNING, CompensationState.FAILED)


def unwinding(done: Sequence[Done]) -> dict[str, Any]:
    """``unwind_always``, ``unwind_on_abandon`` and ``compensation`` of the document, from the steps in order of completion."""
    newest_first = [each for each in reversed(done) if each.compensation is not None or is_for_good(each)]
    names = tree.names_of(each for each in newest_first if not each.visit.resources)

    def resource(each: Done) -> str:
        return _resource(each, names.get((each.run.instance.pk, each.visit.seq), ""))

    left = [each for each in newest_first if each.compensation is None or each.compensation.state in _LEFT]
    always = [each for each in left if each.compensation is not None and each.compensation.always]
    on_abandon = [each for each in left if each not in always]
    return {
        "unwind_always": [{"resource": resource(each), "undo": _undo(each)} for each in always],
        "unwind_on_abandon": [{"resource": resource(each), "undo": _undo(each)} for each in on_abandon],
        "compensation": _undone(newest_first, resource),
    }


def is_for_good(each: Done) -> bool:
    """Whether a step did something and nothing undoes it: a call of a function that may write."""
    if each.node is None or each.node.kind != kinds.FUNCTION or each.compensation is not None or each.visit.replaced:
        return False
    path = kinds.reference_path(each.node.settings.get("function_ref")) or ""
    return bool((each.run.graph.manifests.get(path) or {}).get("effect", "write") != "read")


def _undone(newest_first: Sequence[Done], resource: Callable[[Done], str]) -> dict[str, Any]:
    """What was run so far, in the order of its ends: what is undone for sure, and what is not."""
    rows = [(each.compensation, each) for each in newest_first if each.compensation is not None]
    ended = [(row.ended_at, place, row, each) for place, (row, each) in enumerate(rows) if row.ended_at is not None]
    ended.sort(key=lambda found: found[:2])
    gone = (CompensationState.DONE, CompensationState.ABSENT)

    def told(each: Done) -> dict[str, Any]:
        return {"step": each.name, "resource": resource(each), "undo": _undo(each)}

    return {
        "confirmed": [told(each) | _confirmed(row) for _, _, row, each in ended if row.state in gone],
        "unconfirmed": [
            told(each) | {"error": _error(row.error)}
            for _, _, row, each in ended
            if row.state == CompensationState.FAILED
        ],
    }


def _confirmed(row: Compensation) -> dict[str, Any]:
    outcome = "absent" if row.state == CompensationState.ABSENT else "success"
    return {"outcome": outcome, "at": moments.text_of(row.ended_at) if row.ended_at else None}


def _error(error: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (error or {}).items() if key in ("message", "code", "status")}


def _resource(each: Done, name: str) -> str:
    made = each.visit.resources or {}
    if made:
        return line(f"{each.name}: {', '.join(f'{key}={value}' for key, value in made.items())}")
    action = name or (each.node.settings.get("action") if each.node else None) or each.visit.node_id
    return line(f"{each.name}: {action}")


def _undo(each: Done) -> str:
    row = each.compensation
    if row is None:
        return NOTHING
    return call_line(row.path, row.input, each.run.graph.manifests.get(row.path))
