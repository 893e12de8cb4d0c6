"""Whether a failure may be resolved as asked: the table of refusals of design/failure-document.md. Nothing is changed here."""

from typing import Any, Final

from django.conf import settings

from engine.errors import Conflict, InvalidInput
from engine.failure import document
from engine.failure.place import Place
from engine.failure.tree import Run
from engine.machine.outputs import output_problem
from engine.models import Instance
from engine.states import Status
from flows import kinds
from flows.values import NotKept, recorded

ABSENT: Final = object()
"""A result that was not given; null is one."""
ACKS: Final = ("applied", "not_applied")
RESOLVABLE: Final = (Status.FAILED, Status.HELD, Status.ROLLED_BACK)


def can_resume(run: Run, place: Place) -> None:
    """Raises ``Conflict``: ``not_failed``, ``not_resumable``."""
    _check_failed(run.instance)
    reason = document.why_not(run, place)
    if reason is not None:
        raise Conflict(f"This run cannot be resumed: {reason}.", code="not_resumable")


def can_abandon(run: Run) -> None:
    """Raises ``Conflict``: ``not_failed``, or a child run, which is given up with its root."""
    _check_failed(run.instance)
    if run.instance.parent_id is not None:
        raise Conflict(f"This run is a part of the run {run.instance.root_id}: give that one up.")


def settled_result(place: Place, ack: Any, result: Any) -> Any:
    """The result to bind, where somebody says that an unknown outcome took effect; checks everything that is said of one.

    Raises ``InvalidInput``: ``ack_invalid``, ``result_required``, ``result_invalid``; ``Conflict``: ``ack_not_expected``,
    ``reconcile_required``.
    """
    if ack is not None and ack not in ACKS:
        raise InvalidInput("ack is applied or not_applied: did the call take effect?", field="ack", code="ack_invalid")
    if result is not ABSENT and ack != "applied":
        raise InvalidInput("A result belongs to ack: applied.", field="result", code="ack_invalid")
    if ack is not None and not place.is_unknown:
        raise Conflict("It is known what this step did: it failed. Resume without ack.", code="ack_not_expected")
    if ack is None and place.is_unknown and not _reconciles(place):
        raise Conflict(
            "Nobody knows whether this step took effect. Find out, and say it: ack is applied or not_applied.",
            code="reconcile_required",
        )
    return _checked(place, result) if ack == "applied" else None


def _checked(place: Place, result: Any) -> Any:
    node = place.node
    path = kinds.reference_path(node.settings.get("function_ref")) if node is not None else None
    manifest = place.run.graph.manifests.get(path or "") or {}
    if result is ABSENT:
        if "output_schema" in manifest:
            raise InvalidInput(
                f"{path} promises an output: say in result what it gave.", field="result", code="result_required"
            )
        return None
    try:
        recorded(result, most=settings.SULTANA_OUTPUT_LIMIT)
    except NotKept as problem:
        raise InvalidInput(f"The result {problem}", field="result", code="result_invalid") from problem
    words = output_problem(manifest, result)
    if words is not None:
        raise InvalidInput(words, field="result", code="result_invalid")
    return result


def not_failed(instance: Instance) -> str:
    """The words for a run about which there is nothing to decide."""
    return f"This run has not failed ({instance.get_status_display()}); nothing was changed."


def _check_failed(instance: Instance) -> None:
    if instance.status not in RESOLVABLE:
        raise Conflict(not_failed(instance), code="not_failed")


def _reconciles(place: Place) -> bool:
    return place.node is not None and place.node.settings.get("on_unknown") == "reconcile"
