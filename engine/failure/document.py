"""Puts the failure document together, field by field (design/failure-document.md). Always valid against the contract's schema."""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from engine.failure import place as places
from engine.failure import tree
from engine.failure.attempted import attempted
from engine.failure.masking import call_line, line
from engine.failure.place import Place
from engine.failure.tree import Run
from engine.failure.unwinding import unwinding
from engine.models import Attempt, Event
from engine.states import Status
from flows import kinds

SPEC_VERSION: Final = "0.14.0"
TOO_MANY_REQUESTS: Final = 429


def build(run: Run) -> dict[str, Any]:
    """The document of ``run``, which failed, was rolled back or is held."""
    done, instance = list(tree.done_steps(run)), run.instance
    completed = [each for each in done if each.listed]
    place, index = places.find(run), len(completed) + 1
    attempt = tree.last_attempt(place.run, place.visit) if place.visit is not None else None
    undo = tree.failed_undo(place.run)
    gate = _gate(place)
    return {
        "spec_version": SPEC_VERSION,
        "error": "compose_step_failed",
        "operation": operation(instance.flow.path, instance.version.number),
        "execution_id": str(instance.pk),
        "namespace": "dev" if instance.is_test else "prod",
        "failed_step": {"index": index, **_failed_step(place, attempt, undo), **({"gate": gate} if gate else {})},
        "completed_steps": [
            {"index": number, "name": each.name, "resources": each.visit.resources or {}}
            for number, each in enumerate(completed, start=1)
        ],
        "retryable": _retryable(run, place, attempt, index),
        **unwinding(done),
        "status": instance.status,
        "failure": failure_number(run),
    }


def operation(path: str, version: int | None) -> str:
    """The flow's own name in snake_case at its version; a draft's snapshot has no number."""
    name = re.sub(r"[^a-z0-9]+", "_", path.rpartition("/")[2].lower())
    return f"{name if name[:1].isalpha() else f'flow_{name}'}@{version or 'draft'}"


def failure_number(run: Run) -> int:
    """Which failure of the run this is: one more than were resumed."""
    settled = run.position.settled
    return 1 + (settled.resumes if settled is not None else 0)


def _failed_step(place: Place, attempt: Attempt | None, undo: Event | None) -> dict[str, Any]:
    if undo is not None:
        data = undo.data
        manifest = place.run.graph.manifests.get(data.get("function_ref"))
        return {
            "name": undo.node_id,
            "attempted": call_line(str(data.get("function_ref")), data.get("arguments"), manifest),
            "outcome": "failed",
            "provider_error": _provider_error(data.get("error") or {}, with_status=True),
        }
    unknown = place.is_unknown
    return {
        "name": place.name,
        "attempted": attempted(place, attempt),
        "outcome": "unknown" if unknown else "failed",
        "provider_error": _provider_error(_last_error(place, attempt), with_status=not unknown),
    }


def _last_error(place: Place, attempt: Attempt | None) -> Mapping[str, Any]:
    """The last attempt's error; where the step failed without one, the visit's, else the run's."""
    visit = place.visit
    known = (attempt.error if attempt else None, visit.error if visit else None, place.run.instance.error)
    return next((each for each in known if each), {})


def _provider_error(error: Mapping[str, Any], *, with_status: bool) -> dict[str, Any]:
    code, status = error.get("code"), error.get("status")
    code = code or ("evaluation" if error.get("error_type") == "evaluation" else None)
    found: dict[str, Any] = {"message": line(str(error.get("message") or "")) or "It failed without a message."}
    if code is not None:
        found["code"] = str(code)
    if with_status and isinstance(status, int):
        found["status"] = status
    return found


def _gate(place: Place) -> dict[str, Any] | None:
    if place.visit is None or place.node is None or place.node.kind != kinds.HUMAN_TASK:
        return None
    entry = tree.entry_of(place.run, place.visit)
    found = entry.get("gate") if isinstance(entry, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else None


def _retryable(run: Run, place: Place, attempt: Attempt | None, index: int) -> dict[str, Any]:
    reason = why_not(run, place)
    found: dict[str, Any] = {"resumable": reason is None}
    found |= {"resume_from": index} if reason is None else {"reason": reason}
    if place.is_unknown:
        found["reconcile_required"] = True
    error = (attempt.error if attempt else None) or {}
    if error.get("status") == TOO_MANY_REQUESTS and error.get("retry_after") is not None:
        after = error["retry_after"]
        found["retry_after"] = after if isinstance(after, str) else math.ceil(after)
    return found


def why_not(run: Run, place: Place) -> str | None:
    """Why the run cannot be resumed; ``None`` when it can."""
    instance, settled, gate = run.instance, run.position.settled, _gate(place)
    if instance.parent_id is not None:
        return f"this run is a part of the run {instance.root_id}, which is resumed as a whole"
    if instance.status == Status.HELD:
        return None
    if instance.status == Status.ROLLED_BACK:
        return "rolled back: compensations have run"
    if settled is not None and settled.abandoned:
        return "abandoned: somebody gave the run up"
    if tree.failed_undo(place.run) is not None:
        return "an undo failed: what the steps of the group have done is only half taken back"
    if gate is not None and gate["decision"] == "rejected":
        return "rejected at a gate: the decision stands"
    if run.position.leaf is None and run.position.target is None:
        return "no step is left at which the run could go on"
    return None
