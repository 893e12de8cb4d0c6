"""Models behind any server that speaks OpenAI's chat protocol, by way of OpenAI's own client.

Answers are streamed, so that a slow one is noticed, an endless one is cut off and a torn one is told from a complete one.
Nothing is tried again here: the engine does that, and is told what the server said about when (``Retry-After``).
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

import httpx2
import openai
from django.conf import settings

from engine.executors.conversation import Finish, Reply, Request, Tool, Usage, Use
from engine.executors.retry_after import retry_after
from flows.models import Agent
from flows.registry import FunctionError
from flows.secrets import KeyUnavailable, key_of

OPENAI: Final = "https://api.openai.com/v1"
CONNECT_SECONDS: Final = 10.0
PROTOCOL_OVERHEAD: Final = 64
"""A stream sends each few letters in a frame of its own: how much more may come in than can be kept."""
THINKING: Final = "medium"
"""How hard a model is to think where the flow asks it to: the protocol's own middle. Servers that know no such thing are not told
unless it is asked for."""
MALFORMED: Final = "The server's answer is not what OpenAI's protocol says."
STUMBLES: Final = (ValueError, TypeError, AttributeError, LookupError)
"""What the client raises where an answer is JSON, but not that of the protocol: it reads without checking."""
FINISHES: Final[Mapping[Any, Finish]] = {
    "stop": "done",
    "tool_calls": "done",
    "function_call": "done",
    "length": "length",
    "content_filter": "blocked",
}


class OpenAIProvider:
    """One agent's model. Raises ``FunctionError`` when it cannot be had or does not answer as it should."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        try:
            self._key = key_of(agent.key)
        except KeyUnavailable as error:
            raise FunctionError(f"{agent} has no key: {error}", code="missing_key") from error

    def reply(self, request: Request) -> Reply:
        seconds = min(self._agent.answer_seconds, request.question.get("answer_ms", math.inf) / 1000)
        until = time.monotonic() + seconds
        try:
            with self._client(seconds) as client:
                stream = client.chat.completions.create(stream=True, **self._parameters(request))
                with stream:
                    return _collected(_in_time(stream, until), request.say)
        except openai.APIStatusError as error:
            self._refuse(error)
        except openai.APITimeoutError as error:
            raise _timed_out() from error
        except openai.APIConnectionError as error:
            raise FunctionError(
                self._masked(f"The server could not be reached, or the connection broke: {error.__cause__ or error}"),
                code="connection_failed",
            ) from error
        except openai.APIError as error:
            raise FunctionError(self._masked(error.message), code=error.code or "model_error") from error
        except STUMBLES as error:
            raise FunctionError(MALFORMED, code="malformed_answer") from error

    def _client(self, seconds: float) -> openai.OpenAI:
        limits = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        return openai.OpenAI(
            api_key=self._key or "none",
            base_url=self._agent.base_url or OPENAI,
            organization="",
            project="",
            max_retries=0,
            timeout=limits,
            http_client=openai.DefaultHttpxClient(timeout=limits, event_hooks={"response": [_bound]}),
            default_headers={"Accept-Encoding": "identity"},
        )

    def _parameters(self, request: Request) -> dict[str, Any]:
        agent = self._agent
        longest = "max_tokens" if agent.base_url else "max_completion_tokens"
        given = {
            "temperature": agent.temperature,
            longest: agent.max_output_tokens,
            "tools": [_offer(tool) for tool in request.tools] or None,
            "response_format": _shape(request.schema),
            "reasoning_effort": THINKING if request.question.get("thinking") is True else None,
        }
        return {
            "model": agent.model,
            "messages": list(request.messages),
            "stream_options": {"include_usage": True},
            **{name: value for name, value in given.items() if value is not None},
        }

    def _refuse(self, error: openai.APIStatusError) -> NoReturn:
        code = error.code or error.type or "model_refused"
        raise FunctionError(
            self._masked(_words(error)),
            code=str(code)[:100],
            status=error.status_code,
            retry_after=retry_after(error.response.headers),
        ) from error

    def _masked(self, text: str) -> str:
        """Servers like to quote the key that they refuse."""
        return text.replace(self._key, "***") if self._key else text


class _Bounded(httpx2.SyncByteStream):
    """A body that is cut off where it is longer than anything sensible, before it fills the worker's memory."""

    def __init__(self, body: httpx2.SyncByteStream, limit: int) -> None:
        self._body = body
        self._left = limit

    def __iter__(self) -> Iterator[bytes]:
        for part in self._body:
            self._left -= len(part)
            if self._left < 0:
                raise _too_long()
            yield part

    def close(self) -> None:
        self._body.close()


def _bound(response: httpx2.Response) -> None:
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = _Bounded(response.stream, settings.SULTANA_OUTPUT_LIMIT * PROTOCOL_OVERHEAD)


def _in_time(stream: Any, until: float) -> Iterator[dict[str, Any]]:
    """The parts of a stream as plain data, as long as they come in time."""
    for part in stream:
        if time.monotonic() > until:
            raise _timed_out()
        yield part.to_dict(warnings=False)


def _collected(parts: Iterator[Mapping[str, Any]], say: Callable[[str], None]) -> Reply:
    """The whole reply. One that breaks off before the model said that it is done is none."""
    texts: list[str] = []
    uses: dict[int, dict[str, str]] = {}
    finish, usage, length = None, None, 0
    for part in parts:
        usage = _usage(part.get("usage")) or usage
        for choice in part.get("choices") or ():
            if choice.get("index", 0) == 0:
                delta = choice.get("delta") or {}
                texts.append(delta.get("content") or delta.get("refusal") or "")
                say(texts[-1])
                length += len(texts[-1]) + _collect_uses(uses, delta.get("tool_calls") or ())
                finish = "content_filter" if delta.get("refusal") else choice.get("finish_reason") or finish
        if length > settings.SULTANA_OUTPUT_LIMIT:
            raise _too_long()
    if finish is None:
        raise FunctionError("The answer broke off before its end.", code="cut_off")
    found = tuple(Use(use["id"], use["name"], use["arguments"]) for _, use in sorted(uses.items()))
    return Reply("".join(texts), found, FINISHES.get(finish, "done"), usage)


def _collect_uses(uses: dict[int, dict[str, str]], parts: Any) -> int:
    """Add parts of wishes to use tools; answers how much text they brought."""
    length = 0
    for part in parts:
        use = uses.setdefault(part["index"], {"id": "", "name": "", "arguments": ""})
        function = part.get("function") or {}
        use["id"] = use["id"] or part.get("id") or f"use-{part['index']}"
        use["name"] += function.get("name") or ""
        use["arguments"] += function.get("arguments") or ""
        length += len(function.get("arguments") or "")
    return length


def _usage(found: Any) -> Usage | None:
    if not found:
        return None
    return Usage(int(found.get("prompt_tokens") or 0), int(found.get("completion_tokens") or 0))


def _offer(tool: Tool) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description[:1024], "parameters": dict(tool.parameters)}
    return {"type": "function", "function": described}


def _shape(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    if schema == {"type": "object"}:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}


def _words(error: openai.APIStatusError) -> str:
    """What the server says, at most a few lines of it."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return f"The model's server answered {error.status_code}: {str(said or error.message)[:500]}"


def _timed_out() -> FunctionError:
    return FunctionError("The model did not answer in the time the agent has for it.", code="timeout")


def _too_long() -> FunctionError:
    return FunctionError("The model's answer is longer than can be kept.", code="answer_too_long")
