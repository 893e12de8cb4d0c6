"""``ai_sequence``: an agent that works with tools until it has an answer (reference/flow-format.md, section 6).

In the mode ``auto`` the agent's run is one call, tools and all. ``explicit`` and ``hybrid`` hand (some) tool calls to the engine:
each call, of the model or of a function, is then an attempt of its own, committed before and after, so that a worker's death
repeats one call and not the whole conversation. What went wrong in a tool is told to the agent.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from engine.machine import asking, steps, talking
from engine.machine.faults import deadline_passed, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn, milliseconds
from engine.outcomes import Failed, Result, Succeeded, TimedOut, Unknown, WorkerLost
from engine.states import AttemptResult
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node
from flows.values import dumps

AUTO_AGENT: Final = "$auto"
MAX_ITERATIONS: Final = 10


class AiSequence(Kind):
    """A container (or an old step) in which an agent works."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        assert turn.leaf is not None
        total = _config(node).get("total_timeout_ms")
        until = turn.after(asking.number(total, 0)).isoformat() if total else None
        begun = {"messages": [], "pending": [], "iterations": 0, "count": 0, "response": None, "until": until}
        turn.enter_with(turn.leaf.seq, {**begun, "usage": None})
        self._ask(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._go_on(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        if _memory(turn)["pending"]:
            self._tool_ended(turn, node, result)
            return
        fault = asking.fault_of(result)
        if fault is not None:
            steps.fail(turn, node, fault)
            return
        assert isinstance(result, Succeeded)
        self._model_answered(turn, node, asking.record(turn, result.output))

    def _go_on(self, turn: Turn, node: Node) -> None:
        """Make the next call within the open attempt: a tool's, else the model's."""
        if _memory(turn)["pending"]:
            self._use(turn, node)
        else:
            self._ask(turn, node)

    def _ask(self, turn: Turn, node: Node) -> None:
        memory, limit = _memory(turn), _limit_ms(turn)
        if limit is not None and limit <= 0:
            steps.fail(turn, node, deadline_passed("The time for the whole sequence is over."))
            return
        try:
            agent, question = _question(turn, node, memory)
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "prompt"))
            return
        asking.ask(turn, node, agent, question, limit_ms=limit)

    def _model_answered(self, turn: Turn, node: Node, answer: dict[str, Any]) -> None:
        memory = _memory(turn)
        known = {
            "iterations": memory["iterations"] + int(asking.number(answer.get("iterations"), 1)),
            "count": int(asking.number(answer.get("message_count"), 2)),
            "response": answer["response"],
            "usage": _sum(memory["usage"], asking.usage_of(answer)),
        }
        _remember(turn, **known)
        wanted = _wanted(answer.get("tool_calls"))
        if not wanted:
            self._finish(turn, node, answer)
            return
        _remember(turn, messages=[*memory["messages"], *(answer.get("messages") or ())], pending=wanted)
        self._next(turn, node, AttemptResult.SUCCEEDED)

    def _use(self, turn: Turn, node: Node) -> None:
        """Call the first of the tools that the model wants to use."""
        assert turn.leaf is not None
        wanted = _memory(turn)["pending"][0]
        told = {"tool_call_id": wanted["id"], "function_name": wanted["path"], "arguments": wanted["arguments"]}
        turn.event("tool_call_started", node.id, turn.leaf.seq, **told)
        if wanted.get("error"):
            self._tell(turn, node, {"error": wanted["error"]}, AttemptResult.FAILED)
        else:
            steps.call_out(turn, node, wanted["path"], wanted["arguments"], limit_ms=_limit_ms(turn))

    def _tool_ended(self, turn: Turn, node: Node, result: Result) -> None:
        match result:
            case Succeeded(output):
                _register(turn, node, output)
                self._tell(turn, node, output, AttemptResult.SUCCEEDED)
            case Failed():
                code = {"code": result.code} if result.code else {}
                self._tell(turn, node, {"error": result.message, **code}, AttemptResult.FAILED)
            case Unknown():
                words = f"{result.message} It may have taken effect all the same."
                self._tell(turn, node, {"error": words}, AttemptResult.UNKNOWN)
            case TimedOut():
                words = "No answer came in time. It may have taken effect all the same."
                self._tell(turn, node, {"error": words}, AttemptResult.TIMED_OUT)
            case WorkerLost():
                words = "The worker was lost during the call. It may have taken effect all the same."
                self._tell(turn, node, {"error": words}, AttemptResult.WORKER_LOST)

    def _tell(self, turn: Turn, node: Node, told: Any, result: AttemptResult) -> None:
        """Tell the model what came of the tool, and go on."""
        assert turn.leaf is not None
        memory = _memory(turn)
        wanted, *others = memory["pending"]
        message = {"role": "tool", "tool_call_id": wanted["id"], "content": dumps(told)}
        _remember(turn, messages=[*memory["messages"], message], pending=others)
        came = {"result": told} if result is AttemptResult.SUCCEEDED else {"error": told["error"]}
        ended = {"tool_call_id": wanted["id"], "function_name": wanted["path"], **came}
        turn.event("tool_call_completed", node.id, turn.leaf.seq, **ended, duration_ms=steps.lasted(turn, turn.leaf))
        self._next(turn, node, result)

    def _next(self, turn: Turn, node: Node, result: AttemptResult) -> None:
        """The open attempt is over; the next call is the next attempt, unless the limit is reached."""
        assert turn.leaf is not None
        steps.end_attempt(turn, turn.leaf, result)
        if turn.cancels:
            return
        memory = _memory(turn)
        steps.go_further(turn)
        if memory["pending"] or memory["iterations"] < _most(node):
            self._go_on(turn, node)
        else:
            self._finish(turn, node, {"response": memory["response"]})

    def _finish(self, turn: Turn, node: Node, answer: Mapping[str, Any]) -> None:
        memory = _memory(turn)
        output = {
            "response": answer["response"],
            "iterations": memory["iterations"],
            "message_count": memory["count"],
        }
        schema = _schema(node)
        if schema is not None:
            try:
                output["structured_output"] = asking.structured(answer, schema)
            except asking.Unusable as problem:
                steps.fail(turn, node, problem.fault)
                return
        steps.succeed(turn, node, output, usage=memory["usage"])


def _register(turn: Turn, node: Node, output: Any) -> None:
    """What the tool did can be undone from now on, whatever becomes of the sequence: as its manifest says, with the arguments of
    the call where that maps no input."""
    assert turn.leaf is not None
    wanted = _memory(turn)["pending"][0]
    declared = wanted.get("compensation")
    path = kinds.reference_path(declared.get("function_ref")) if isinstance(declared, Mapping) else None
    if path is None:
        return
    mapping, missing_ok = declared.get("input"), declared.get("missing_ok") is True
    if mapping is None:
        row = {"path": path, "input": wanted["arguments"], "missing_ok": missing_ok}
    else:
        row = steps.compensation_row(turn, node, path, mapping, output, missing_ok=missing_ok)
    steps.register(turn, node, turn.leaf, **row)


def _question(turn: Turn, node: Node, memory: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The agent to ask, and what. Raises ``ExpressionError``."""
    config, schema = _config(node), _schema(node)
    agent = config.get("agent_ref") or node.settings.get("agent_ref")
    named = asking.prompt(turn, config.get("conversation_ref"))
    before = talking.conversation(turn, named) if named is not None or agent == AUTO_AGENT else None
    if agent == AUTO_AGENT:
        agent = before.agent if before is not None else None
    said = [*(before.messages if before is not None else ()), *memory["messages"]]
    prompt = asking.prompt(turn, node.settings.get("prompt")) or ""
    question = {
        "prompt": prompt,
        **asking.context(turn, config.get("include_context")),
        **({} if schema is None else {"response_format": schema}),
        **({"messages": said} if said else {}),
        "max_model_calls": max(1, _most(node) - memory["iterations"]),
        "at_limit": "answer",
        **_explicit(config),
    }
    if config.get("timeout_ms"):
        question["answer_ms"] = config["timeout_ms"]
    if config.get("thinking_enabled") is True:
        question["thinking"] = True
    return agent, question


def _explicit(config: Mapping[str, Any]) -> dict[str, Any]:
    """Which tools the engine calls itself."""
    mode = config.get("tool_mode")
    if mode == "explicit":
        return {"explicit": "all"}
    if mode != "hybrid":
        return {}
    named = [kinds.reference_path(each) for each in config.get("explicit_tools") or ()]
    return {"explicit": [path for path in named if path]}


def _wanted(calls: Any) -> list[dict[str, Any]]:
    """The calls of tools the engine is to make: ``[{id, path, arguments, compensation?, error?}]``."""
    found = [each for each in calls if isinstance(each, Mapping)] if isinstance(calls, list) else []
    return [{"id": str(number), "path": "", "arguments": {}, **each} for number, each in enumerate(found)]


def _config(node: Node) -> Mapping[str, Any]:
    found = node.settings.get("ai_config")
    return found if isinstance(found, Mapping) else {}


def _schema(node: Node) -> dict[str, Any] | None:
    config = _config(node)
    return asking.schema_of(config.get("response_format")) or asking.schema_of(config.get("output_schema"))


def _most(node: Node) -> int:
    return max(1, int(asking.number(_config(node).get("max_iterations"), MAX_ITERATIONS)))


def _limit_ms(turn: Turn) -> float | None:
    """What is left of the time for the whole sequence, at most what any call has; ``None`` where it sets none."""
    until = _memory(turn)["until"]
    if until is None:
        return turn.world.call_limit_ms
    return min(turn.world.call_limit_ms, milliseconds(datetime.fromisoformat(until) - turn.now))


def _sum(before: Mapping[str, float] | None, more: Mapping[str, float] | None) -> dict[str, float] | None:
    if before is None or more is None:
        return dict(more or before or {}) or None
    return {name: before.get(name, 0) + more.get(name, 0) for name in before.keys() | more.keys()}


def _memory(turn: Turn) -> dict[str, Any]:
    """What the visit remembers: ``{messages, pending, iterations, count, response, usage, until}``."""
    assert turn.leaf is not None
    found: dict[str, Any] = turn.entries[turn.leaf.seq]
    return found


def _remember(turn: Turn, **known: Any) -> None:
    assert turn.leaf is not None
    turn.enter_with(turn.leaf.seq, {**_memory(turn), **known})


KINDS[kinds.AI_SEQUENCE] = AiSequence()
