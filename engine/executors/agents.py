"""Runs agents: calls their model again and again, lets them use their tools, and ends with their answer.

A question is what :mod:`engine.machine.asking` describes. Of the tools a model may use, some end the run instead of being called
here: those the engine wants to call itself (``explicit``), and the two by which a chat is ended or handed over.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final, TypeAlias

from engine.executors.conversation import Message, Provider, Reply, Request, Tool, Usage, Use, opening, spoken, told
from engine.executors.library import carry_out
from engine.executors.mocks import mocked
from engine.executors.scripted import ScriptedProvider
from engine.executors.tools import CallFunction, Toolbox, call_function, offered, read_arguments
from engine.history import add_event
from engine.livetext import LiveWriter
from engine.machine.asking import Unusable, structured
from engine.outcomes import Failed, Pending, Result, Succeeded, Unknown
from engine.ports import FUNCTION, Call, Clock
from flows import library
from flows.models import Agent
from flows.models import Provider as Providers
from flows.registry import CallContext, FunctionError

Tell: TypeAlias = Callable[..., None]
"""Records what an agent does while it does it: the kind of event, and its members."""
END_CHAT: Final = "end_conversation"
HAND_OVER: Final = "hand_over"
OUTCOMES: Final = {"done": "succeeded", "length": "partial", "blocked": "blocked"}


class AgentExecutor:
    """Asks the agent that a call names. What goes wrong becomes a result; only the death of the process is raised."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def start(self, call: Call) -> Result | Pending:
        agent = Agent.objects.enabled().filter(path=call.path).first()
        if agent is None:
            return Failed(f"There is no agent {call.path} in the library, or it is switched off.", "agent_not_found")
        return carry_out(partial(self._run, agent, call), call, self._clock)

    def _run(self, agent: Agent, call: Call, question: dict[str, Any], ctx: CallContext) -> dict[str, Any]:
        live = LiveWriter(call, self._clock)
        try:
            return _Run(agent, question, ctx, partial(_call_tool, call), partial(self._tell, call), live).answer()
        finally:
            live.end()

    def _tell(self, call: Call, kind: str, **data: Any) -> None:
        """Let those who follow the run see what its agent does."""
        seq, now = call.visit_seq, self._clock.now()
        add_event(call.instance_id, kind, node_id=call.node_id, visit_seq=seq, at=now, data=data)


class _Run:
    """One run of one agent."""

    def __init__(
        self,
        agent: Agent,
        question: Mapping[str, Any],
        ctx: CallContext,
        call: CallFunction,
        tell: Tell,
        live: LiveWriter,
    ) -> None:
        self.tell = tell
        self.live = live
        self.provider = _provider(agent)
        self.question = question
        self.schema = question.get("response_format")
        self.own_schema = agent.output_schema if self.schema is None and "chat" not in question else None
        self.tools = [*offered(agent.tools), *_ways_to_end(question.get("chat"))]
        self.toolbox = Toolbox(self.tools, ctx, call)
        self.messages = opening(agent.system_prompt, question, self.schema or self.own_schema)
        self.before = len(self.messages)
        self.calls_left = min(int(question.get("max_model_calls") or agent.max_model_calls), agent.max_model_calls)
        self.calls = 0
        self.usage: Usage | None = None

    def answer(self) -> dict[str, Any]:
        """The agent's output. Raises ``FunctionError`` when there is none."""
        while True:
            reply = self._call_model()
            ending = next((use for use in reply.uses if use.name in (END_CHAT, HAND_OVER)), None)
            if ending is not None:
                return self._ended(reply, ending)
            if not reply.uses:
                return self._answered(reply)
            if any(self._is_explicit(use) for use in reply.uses):
                return self._paused(reply)
            if self.calls_left == 0:
                return self._at_limit(reply)
            self.messages += [told(use, self._use(use)) for use in reply.uses]

    def _call_model(self) -> Reply:
        self.calls_left -= 1
        self.calls += 1
        schema = self.schema or self.own_schema
        reply = self.provider.reply(Request(self.messages, self.tools, schema, self.question, self.live.say))
        self.live.end_part()
        if reply.usage is not None:
            self.usage = reply.usage if self.usage is None else self.usage + reply.usage
        self.messages.append(spoken(reply))
        return reply

    def _answered(self, reply: Reply) -> dict[str, Any]:
        output = self._output(reply)
        if self.own_schema is not None:
            try:
                output["structured_output"] = structured({"response": reply.text}, self.own_schema)
            except Unusable as problem:
                raise FunctionError(str(problem), code="invalid_output") from problem
        return output

    def _ended(self, reply: Reply, use: Use) -> dict[str, Any]:
        """A chat that the agent ends, or hands over to another."""
        arguments, _ = read_arguments("", use)
        if use.name == HAND_OVER:
            return {**self._output(reply), "handoff": arguments.get("agent")}
        return {**self._output(reply), "ended": True, "result": arguments.get("result")}

    def _paused(self, reply: Reply) -> dict[str, Any]:
        """The engine is to call some of the tools: those that are not explicit are called here, the others are its."""
        mine = [use for use in reply.uses if not self._is_explicit(use)]
        self.messages += [told(use, self._use(use)) for use in mine]
        wanted = [self._wanted(use) for use in reply.uses if self._is_explicit(use)]
        return {**self._output(reply), "tool_calls": wanted, "messages": self._said()}

    def _use(self, use: Use) -> Any:
        """Use a tool here and now, told as the engine tells of those it calls itself."""
        tool, began = self.toolbox.find(use), time.monotonic()
        named = {"tool_call_id": use.id, "function_name": tool.path if tool is not None else use.name}
        self.tell("tool_call_started", **named, arguments=read_arguments("", use)[0])
        result = self.toolbox.result(use)
        failed = isinstance(result, Mapping) and "error" in result
        came = {"error": result["error"]} if failed else {"result": result}
        self.tell("tool_call_completed", **named, **came, duration_ms=round((time.monotonic() - began) * 1000))
        return result

    def _wanted(self, use: Use) -> dict[str, Any]:
        tool = self.toolbox.find(use)
        path = tool.path if tool is not None else ""
        arguments, problem = read_arguments(path, use)
        undone = (library.manifest_of(path) or {}).get("compensation")
        return {
            "id": use.id,
            "path": path,
            "arguments": arguments,
            **({"compensation": undone} if undone else {}),
            **({"error": problem} if problem else {}),
        }

    def _at_limit(self, reply: Reply) -> dict[str, Any]:
        if self.question.get("at_limit") == "answer":
            return {**self._output(reply), "outcome": "partial"}
        raise FunctionError(
            f"The agent used up its {self.calls} calls of the model without coming to an answer.",
            code="max_model_calls",
        )

    def _is_explicit(self, use: Use) -> bool:
        explicit, tool = self.question.get("explicit"), self.toolbox.find(use)
        return tool is not None and (explicit == "all" or tool.path in (explicit or ()))

    def _said(self) -> list[Message]:
        """What was said in this run: the engine sends it back when the run goes on."""
        return self.messages[self.before :]

    def _output(self, reply: Reply) -> dict[str, Any]:
        return {
            "response": reply.text,
            "outcome": OUTCOMES[reply.finish],
            "usage": None if self.usage is None else asdict(self.usage),
            "iterations": self.calls,
            "message_count": len(self.messages),
            **reply.extra,
        }


def _call_tool(asked: Call, path: str, arguments: dict[str, Any], ctx: CallContext) -> Any:
    """Call a function for an agent; a test run that mocks the function mocks it here, too."""
    call = replace(asked, kind=FUNCTION, path=path, arguments=arguments)
    stand_in = mocked(call)
    match stand_in:
        case None:
            return call_function(call, ctx)
        case Succeeded(output):
            return output
        case Failed() | Unknown():
            raise FunctionError(stand_in.message, code=stand_in.code, status=stand_in.status)
        case _:
            raise FunctionError("No answer came in time (mocked).", code="timeout")


def _provider(agent: Agent) -> Provider:
    if agent.provider == Providers.SCRIPTED:
        return ScriptedProvider(agent.script)
    from engine.executors.openai_chat import OpenAIProvider  # its library takes a second or two: for those who need it

    return OpenAIProvider(agent)


def _ways_to_end(chat: Mapping[str, Any] | None) -> list[Tool]:
    """What the agent of a chat is offered, so that it can end it or hand it over."""
    found: list[Tool] = []
    if chat and chat.get("may_end"):
        result = {"result": chat.get("result_schema") or {"description": "What came of the conversation."}}
        needed = ["result"] if chat.get("result_schema") else []
        shape = {"type": "object", "properties": result, "required": needed}
        found.append(
            Tool(END_CHAT, "", "End the conversation: it has served its purpose, or the user wants to go.", shape)
        )
    targets = chat.get("handoff") if chat else None
    if targets:
        words = "\n".join(f"{each['agent']}: {each.get('description') or ''}" for each in targets)
        shape = {
            "type": "object",
            "properties": {"agent": {"enum": [each["agent"] for each in targets]}},
            "required": ["agent"],
        }
        found.append(Tool(HAND_OVER, "", f"Hand the conversation over to another agent:\n{words}", shape))
    return found
