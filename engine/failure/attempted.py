"""What the failed step tried to do, in one line (design/failure-document.md, ``failed_step.attempted``)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.failure import tree
from engine.failure.masking import call_line, line, masked
from engine.failure.place import Place
from engine.models import Attempt
from flows import kinds
from flows.graph import Node
from flows.values import dumps


def attempted(place: Place, attempt: Attempt | None) -> str:
    """One line, never empty, with every secret hidden."""
    visit, node = place.visit, place.node
    if visit is None or node is None:
        return line(f"run {place.run.instance.flow.path}")
    error = visit.error or {}
    if error.get("error_type") == "evaluation":
        return line(f"evaluate {_expression(node, str(error.get('message') or ''))}")
    if attempt is not None and attempt.path:
        return _call(place, attempt)
    say = _WITHOUT_CALL.get(node.kind)
    return line(say(place, node.settings) if say else f"{node.kind} {node.id}")


def _call(place: Place, attempt: Attempt) -> str:
    if attempt.path.startswith("/agents/"):
        arguments = attempt.arguments if isinstance(attempt.arguments, Mapping) else {}
        return line(f"agent {attempt.path} {arguments.get('prompt') or ''}")
    return call_line(attempt.path, attempt.arguments, place.run.graph.manifests.get(attempt.path))


def _expression(node: Node, message: str) -> str:
    """What could not be evaluated: the field that the message begins with, as it is written."""
    name, _, _ = message.partition(":")
    found = node.settings.get(name)
    if found is None and isinstance(inner := node.settings.get("loop"), Mapping):
        found = inner.get(name, inner if name == "loop" else None)
    return f"{name}: {found if isinstance(found, str) else dumps(masked(found))}" if found is not None else message


def _function(place: Place, settings: Mapping[str, Any]) -> str:
    path = kinds.reference_path(settings.get("function_ref")) or "(no function)"
    return call_line(path, settings.get("arguments"), place.run.graph.manifests.get(path))


def _task(place: Place, settings: Mapping[str, Any]) -> str:
    task = tree.task_of(place.run, place.visit) if place.visit is not None else None
    if task is None:
        return f"ask {settings.get('assignee')}: {settings.get('action')}"
    return f"ask {task.assignment_group or task.assignee}: {task.title}"


def _wait(place: Place, settings: Mapping[str, Any]) -> str:
    told = [settings.get(name) for name in ("event_type", "duration", "until") if settings.get(name) is not None]
    return f"wait {' '.join(map(str, told))}"


_WITHOUT_CALL: Final[Mapping[str, Callable[[Place, Mapping[str, Any]], str]]] = {
    kinds.FUNCTION: _function,
    kinds.HUMAN_TASK: _task,
    kinds.WAIT: _wait,
    kinds.SUB_FLOW: lambda place, settings: f"start {kinds.reference_path(settings.get('flow_ref'))}",
}
