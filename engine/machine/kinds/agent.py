"""AI agent steps: ask an agent, and take its answer (reference/flow-format.md, section 5)."""

from collections.abc import Mapping
from typing import Any

from engine.machine import asking, competing, steps
from engine.machine.faults import Fault, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node

MODEL_CALLS = 8
"""Calls of the model that a step allows when it sets no ``max_model_calls``."""


class AgentStep(Kind):
    """A step that asks an agent. Each visit is a new run of the agent."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._ask(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._ask(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        fault = asking.fault_of(result)
        if fault is None:
            assert isinstance(result, Succeeded)
            self._answered(turn, node, result.output)
        else:
            steps.fail(turn, node, fault)

    def _ask(self, turn: Turn, node: Node) -> None:
        try:
            question = _question(turn, node)
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "prompt"))
            return
        if question["prompt"] or "context" in question:
            asking.ask(turn, node, node.settings.get("agent_ref"), question)
        else:
            nothing = "This step asks nothing: give it a prompt, or start the flow with a message in its input."
            steps.fail(turn, node, Fault(nothing, "evaluation", code="missing_prompt", final=True))

    def _answered(self, turn: Turn, node: Node, output: Any) -> None:
        answer = asking.record(turn, output)
        schema = asking.schema_of(node.settings.get("response_format"))
        if schema is not None:
            try:
                answer["structured_output"] = asking.structured(output, schema)
            except asking.Unusable as problem:
                steps.fail(turn, node, problem.fault)
                return
        steps.succeed(turn, node, answer, usage=answer["usage"])


def _question(turn: Turn, node: Node) -> dict[str, Any]:
    """What the call carries. Raises ``ExpressionError``."""
    settings = node.settings
    prompt = competing.prompt(turn, node, settings.get("prompt") or settings.get("message"))
    schema = asking.schema_of(settings.get("response_format"))
    return {
        "prompt": _from_input(turn.run.facts.input) if prompt is None else prompt,
        **asking.context(turn, settings.get("include_context")),
        **({} if schema is None else {"response_format": schema}),
        "max_model_calls": _model_calls(settings),
    }


def _from_input(value: Any) -> str:
    """What to ask where the step does not say: the content of the node the run is about, or the message it was sent."""
    for path in (("node", "properties", "content"), ("message",), ("input",)):
        found = value
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, str) and found:
            return found
    return ""


def _model_calls(settings: Mapping[str, Any]) -> int:
    iterations = settings.get("max_tool_iterations")
    calls = settings.get("max_model_calls", MODEL_CALLS if iterations is None else iterations + 1)
    return max(1, int(asking.number(calls, MODEL_CALLS)))


KINDS[kinds.AI_AGENT] = AgentStep()
