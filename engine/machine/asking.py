"""Asking agents: what a call of one carries, and what its answer means.

Pure. A question is a call of the kind ``agent`` with the arguments ``{prompt, context?, response_format?, ...}``, the last of
them a JSON Schema. The answer is ``{response, outcome?, usage?, structured_output?}``, or, where something structured was asked
for, that alone: ``{branch, reasoning, confidence}`` of a router, say.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from engine.machine import expressions, steps
from engine.machine.faults import Fault, deadline_passed, of_failure
from engine.machine.outputs import output_problem
from engine.machine.turn import Turn
from engine.outcomes import Failed, Result, Succeeded, TimedOut, Unknown, WorkerLost
from engine.ports import AGENT
from engine.states import AttemptResult
from flows import kinds
from flows.graph import Node

ENDED_BADLY: Final = frozenset({"failed", "stopped"})
"""Outcomes of an agent's own run that fail the step that asked (reference/flow-format.md, section 5)."""
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


class Unusable(Exception):
    """An answer that cannot be used for what was asked. Nothing is ever invented in its place."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(message, "validation", code="invalid_output")


def ask(turn: Turn, node: Node, agent: Any, question: dict[str, Any], *, limit_ms: float | None = None) -> None:
    """Let the open attempt ask the agent that the reference ``agent`` names; it fails when that names none."""
    path = kinds.reference_path(agent)
    if path is None:
        steps.fail(turn, node, Fault("No agent is named: set agent_ref.", code="missing_agent_ref"))
    else:
        steps.call_out(turn, node, path, question, kind=AGENT, limit_ms=limit_ms)


def prompt(turn: Turn, authored: Any) -> str | None:
    """A prompt with its templates resolved, ``None`` where there is none. Raises ``ExpressionError``."""
    return None if authored is None else expressions.text(turn, authored)


def context(turn: Turn, include: Any) -> dict[str, Any]:
    """What ``include_context`` adds to a question: ``{context: ...}`` for ``input``, ``full`` or true, else nothing."""
    if include in (None, False):
        return {}
    if include == "input":
        return {"context": {"input": turn.run.facts.input}}
    names = turn.context()
    readable = {name: names[name] for name in ("input", "steps", "trigger", "error")}
    return {"context": {**readable, "variables": {**names.flat_variables(), **names.loop_variables()}}}


def schema_of(response_format: Any) -> dict[str, Any] | None:
    """The JSON Schema that a ``response_format`` asks for, ``None`` for text."""
    if isinstance(response_format, str):
        return {"type": "object"} if response_format == "json_object" else None
    if not isinstance(response_format, Mapping) or response_format.get("type") == "text":
        return None
    if response_format.get("type") == "json_object":
        return {"type": "object"}
    if response_format.get("type") == "json_schema":
        named = response_format.get("json_schema")
        found = named.get("schema") if isinstance(named, Mapping) else None
        return dict(found) if isinstance(found, Mapping) else None
    return dict(response_format)


def fault_of(result: Result) -> Fault | None:
    """Why the call failed, ``None`` when it was answered. Asking again is always safe: nothing is ambiguous."""
    match result:
        case Succeeded(output):
            return _own_failure(output)
        case Failed():
            return of_failure(result, None)
        case TimedOut():
            return deadline_passed("The agent did not answer before the deadline.")
        case Unknown():
            return Fault(result.message, code=result.code, status=result.status, result=AttemptResult.UNKNOWN)
        case WorkerLost():
            lost = "The worker was lost while the agent was asked."
            return Fault(lost, code="worker_lost", result=AttemptResult.WORKER_LOST)


def _own_failure(output: Any) -> Fault | None:
    """A run of the agent that says of itself that it failed or was stopped."""
    outcome = output.get("outcome") if isinstance(output, Mapping) else None
    if not isinstance(outcome, str) or outcome not in ENDED_BADLY:
        return None
    return Fault(str(output.get("error") or f"The agent's run ended {outcome}."), code=f"agent_{outcome}")


def record(turn: Turn, output: Any) -> dict[str, Any]:
    """An answer in the shape of an agent step's output: ``{response, agent_run_id, outcome, usage, ...}``."""
    leaf = turn.leaf
    assert leaf is not None
    given = dict(output) if isinstance(output, Mapping) else {"response": output}
    run_id = f"{turn.run.facts.id}:{leaf.seq}:{leaf.attempt}"
    return {"response": None, "agent_run_id": run_id, "outcome": "succeeded", "usage": None, **given}


def usage_of(output: Any) -> dict[str, float] | None:
    """What an answer cost, ``{input_tokens, output_tokens}``; ``None`` where it does not say."""
    found = output.get("usage") if isinstance(output, Mapping) else None
    return {name: number(value, 0) for name, value in found.items()} if isinstance(found, Mapping) else None


def structured(output: Any, schema: Mapping[str, Any] | None = None) -> Any:
    """The structured part of an answer. Raises :class:`Unusable` when it holds none, or one that breaks ``schema``."""
    value = _structured(output)
    problem = None if schema is None else output_problem({"output_schema": schema}, value)
    if problem is not None:
        raise Unusable(problem)
    return value


def fields(output: Any) -> Mapping[str, Any]:
    """The structured answer as an object; empty when it is not one."""
    try:
        found = _structured(output)
    except Unusable:
        return {}
    return found if isinstance(found, Mapping) else {}


def confidence(answer: Mapping[str, Any]) -> float:
    """How sure an answer says it is, 0 to 1; 0 for one that does not say."""
    value = answer.get("confidence")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(1.0, max(0.0, float(value))) if is_number else 0.0  # type: ignore[arg-type]


def number(value: Any, default: float) -> float:
    """A number out of a definition, or what stands in for it."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def _structured(output: Any) -> Any:
    if not isinstance(output, Mapping):
        return _parsed(output)
    if "structured_output" in output:
        return output["structured_output"]
    return _parsed(output["response"]) if "response" in output else output


def _parsed(text: Any) -> Any:
    """The JSON value a text is, a fence around it allowed. What is cut off or not JSON at all is refused."""
    if not isinstance(text, str):
        return text
    fenced = _FENCED.fullmatch(text)
    try:
        return json.loads(fenced[1] if fenced else text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"The agent's answer is not the JSON that was asked for: {error}") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
