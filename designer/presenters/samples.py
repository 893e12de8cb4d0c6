"""Values of the last run, and what an expression makes of them, small enough to be shown beside a field."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.urls import reverse

from engine.lastrun import LastRun
from flows.expressions import ExpressionError, parse_condition, parse_template
from flows.expressions.values import type_name
from flows.values import dumps

LONGEST_TEXT: Final = 200
MOST_ITEMS: Final = 20
MOST_MEMBERS: Final = 50
DEEPEST: Final = 6
LARGEST: Final = 100_000
"""Characters of JSON in all that the browser is sent as samples."""
LONGEST_RESULT: Final = 2_000
MOST_LOOPS: Final = 20


def samples(run: LastRun | None) -> dict[str, Any]:
    """The run, and by root what an expression reads there; empty without a run. Long values are cut."""
    if run is None:
        return {"run": None, "values": {}}
    left = LARGEST
    steps: dict[str, Any] = {}
    for node, output in run.outputs.items():
        sample = cut(output)
        left -= len(dumps(sample))
        if left >= 0:
            steps[node] = sample
    flow = run.context()["flow"]
    values = {"input": cut(run.facts.input), "steps": steps, "error": cut(run.error), "flow": flow}
    told = {
        "url": reverse("run-detail", args=[run.id]),
        "is_test": run.is_test,
        "at": run.ended_at.isoformat() if run.ended_at else None,
    }
    return {"run": told, "values": values}


def cut(value: Any, depth: int = 0) -> Any:
    """The value's beginning: of long texts, lists and objects, and of what is nested deep."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    if isinstance(value, Mapping):
        members = list(value.items())[: MOST_MEMBERS if depth < DEEPEST else 0]
        return {name: cut(inner, depth + 1) for name, inner in members}
    if isinstance(value, list):
        return [cut(each, depth + 1) for each in value[: MOST_ITEMS if depth < DEEPEST else 0]]
    return value


def preview(run: LastRun | None, sent: Mapping[str, Any]) -> dict[str, Any]:
    """What ``{kind, value, step, loops}`` gives on ``run``: ``{type, value}`` or ``{error}``; nothing without a run.

    ``loops`` are the containers around the step that give it names, outermost first: ``{over, item, index}``.
    """
    try:
        work_out = _read(sent)
        if run is None:
            return {}
        found = work_out(run.context(str(sent.get("step") or ""), _loops(run, sent.get("loops"))))
    except ExpressionError as error:
        place = {"line": error.line, "column": error.column, "within": list(error.within)}
        return {"error": {"kind": error.kind, "message": error.message, **place}}
    return {"type": type_name(found), "value": _shown(found)}


def _read(sent: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """The condition or template, ready to give its value. Raises :class:`ExpressionError` where it does not parse."""
    if sent.get("kind") == "condition":
        return parse_condition(sent.get("value")).holds
    template = parse_template(sent.get("value"))
    if template.errors:
        raise template.errors[0]
    return template.resolve


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else dumps(cut(value))
    return text if len(text) <= LONGEST_RESULT else text[: LONGEST_RESULT - 1] + "…"


def _loops(run: LastRun, sent: Any) -> dict[str, Any]:
    """The names of the iterations around a place, each as in the first one; a list that cannot be read gives none."""
    given: dict[str, Any] = {}
    for each in sent[:MOST_LOOPS] if isinstance(sent, Sequence) and not isinstance(sent, str) else ():
        if isinstance(each, Mapping):
            given |= _first_round(run, each, given)
    return given


def _first_round(run: LastRun, loop: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    if loop.get("over") is None:
        return {"iteration": 0, "index": 0}
    try:
        items = parse_template(loop["over"]).resolve(run.context(given=given))
    except ExpressionError:
        return {}
    if not isinstance(items, list) or not items:
        return {}
    if loop.get("is_fan_out"):
        known = given.get("input", run.facts.input)
        return {"input": {**(known if isinstance(known, Mapping) else {}), "item": items[0], "index": 0}}
    place = loop.get("index")
    return {str(loop.get("item") or "item"): items[0], **({str(place): 0} if place else {})}
