"""What an agent's run is made of: messages, tools, and what one call of a model gives back.

Messages are those of OpenAI's chat protocol, ``{role, content, ...}``: every server speaks it, and so does the scripted provider.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from flows.values import dumps

Message: TypeAlias = dict[str, Any]
Finish: TypeAlias = Literal["done", "length", "blocked"]


@dataclass(frozen=True, slots=True)
class Tool:
    """Something the model may use, by the name it is offered under. ``path`` is a function's; empty for a way to end the run."""

    name: str
    path: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Use:
    """One wish of a model to use a tool. ``arguments`` is the text it wrote."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a model took and gave."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


def _to_nobody(text: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model: the conversation so far, what it may use, and the shape its answer must have."""

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    schema: Mapping[str, Any] | None = None
    question: Mapping[str, Any] = field(default_factory=dict)
    """The question as the engine put it, for a provider that decides by rules."""
    say: Callable[[str], None] = _to_nobody
    """Is told what the model says while it says it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model gave back. ``extra`` is what a script says beside its text, ``usage`` is ``None`` where nobody counted."""

    text: str
    uses: tuple[Use, ...] = ()
    finish: Finish = "done"
    usage: Usage | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """Whoever answers for an agent. Raises :class:`flows.registry.FunctionError` when no answer can be had."""

    def reply(self, request: Request) -> Reply: ...


def opening(system: str, question: Mapping[str, Any], schema: Mapping[str, Any] | None) -> list[Message]:
    """The first messages: instructions, then the prompt with its context, then what was said since."""
    parts = [system, str(question.get("system") or ""), _shape_words(schema)]
    instructions = "\n\n".join(part for part in parts if part)
    said = _prompt(question)
    return [
        *([{"role": "system", "content": instructions}] if instructions else []),
        *([{"role": "user", "content": said}] if said else []),
        *question.get("messages", ()),
    ]


def spoken(reply: Reply) -> Message:
    """A reply as a message of the conversation."""
    message: Message = {"role": "assistant", "content": reply.text}
    if reply.uses:
        message["tool_calls"] = [
            {"id": use.id, "type": "function", "function": {"name": use.name, "arguments": use.arguments}}
            for use in reply.uses
        ]
    return message


def told(use: Use, result: Any) -> Message:
    """A tool's result as a message of the conversation."""
    return {"role": "tool", "tool_call_id": use.id, "content": dumps(result)}


def _prompt(question: Mapping[str, Any]) -> str:
    prompt = str(question.get("prompt") or "")
    if "context" not in question:
        return prompt
    block = json.dumps(question["context"], ensure_ascii=False, indent=1)
    return f"{prompt}\n\n# Workflow context\n\n```json\n{block}\n```".lstrip()


def _shape_words(schema: Mapping[str, Any] | None) -> str:
    """Said in words as well, for servers that do not know of schemas."""
    if schema is None:
        return ""
    return f"Answer with nothing but JSON that fits this schema:\n{dumps(schema)}"
