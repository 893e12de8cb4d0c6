"""The scripted provider: an agent that answers by rules, without a model and without a network.

A rule is ``{when?, answer | fail | use}``; the first whose condition is true decides. Conditions and templates read ``prompt``,
``context`` (null where none was asked for), ``message`` (the latest of the user), ``messages`` and ``results`` (what tools gave,
oldest first).
"""

import json
from collections.abc import Mapping
from typing import Any

from engine.executors.conversation import Reply, Request, Use
from flows.expressions import ExpressionError, parse_condition, parse_template
from flows.registry import FunctionError
from flows.values import dumps


class ScriptedProvider:
    """Answers by the rules of one agent."""

    def __init__(self, rules: list[Mapping[str, Any]]) -> None:
        self._rules = rules

    def reply(self, request: Request) -> Reply:
        names = _names(request)
        try:
            rule = next((each for each in self._rules if parse_condition(each.get("when", True)).holds(names)), None)
            return _reply(rule, names, request)
        except ExpressionError as error:
            raise FunctionError(f"A rule of the agent's script is at fault: {error}", code="script_fault") from error


def _reply(rule: Mapping[str, Any] | None, names: Mapping[str, Any], request: Request) -> Reply:
    if rule is None:
        raise FunctionError("No rule of the agent's script fits what was asked.", code="no_rule")
    if "fail" in rule:
        raise FunctionError(**{"code": None, **rule["fail"]})
    if "use" in rule:
        return Reply("", uses=tuple(_uses(rule["use"], names, request)))
    answer = parse_template(rule["answer"]).resolve(names)
    if isinstance(answer, Mapping) and "response" in answer:
        return Reply(_text(answer["response"]), extra={key: answer[key] for key in answer if key != "response"})
    return Reply(_text(answer))


def _uses(wanted: list[Mapping[str, Any]], names: Mapping[str, Any], request: Request) -> list[Use]:
    by_path = {tool.path: tool.name for tool in request.tools}
    given = len(request.messages)
    return [
        Use(
            f"use-{given}-{number}",
            by_path.get(each["tool"], each["tool"]),
            dumps(parse_template(each.get("arguments") or {}).resolve(names)),
        )
        for number, each in enumerate(wanted)
    ]


def _names(request: Request) -> dict[str, Any]:
    said = [each.get("content") for each in request.messages if each.get("role") == "user"]
    results = [json.loads(each["content"]) for each in request.messages if each.get("role") == "tool"]
    return {
        "prompt": request.question.get("prompt"),
        "context": request.question.get("context"),
        "message": said[-1] if said else "",
        "messages": list(request.messages),
        "results": results,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)
