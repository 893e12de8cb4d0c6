"""Chats: who talks, what ends a conversation, and when another agent takes over (reference/flow-format.md, section 5).

Pure. The conversation itself lies with the chat's visit: ``{agent, messages, turns, until, ...}``.
"""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.machine.turn import Turn
from flows import kinds
from flows.expressions import parse_condition
from flows.graph import Node


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said in a chat of this run that has ended, and with which agent last."""

    agent: str
    messages: list[dict[str, Any]]


class _Saying(Mapping[str, Any]):
    """What a hand-over's condition reads: everything a condition can, and the ``message``."""

    def __init__(self, message: str, names: Mapping[str, Any]) -> None:
        self._message = message
        self._names = names

    def __getitem__(self, name: str) -> Any:
        return self._message if name == "message" else self._names[name]

    def __iter__(self) -> Iterator[str]:
        return iter({"message", *self._names})

    def __len__(self) -> int:
        return len(set(iter(self)))


def conversation(turn: Turn, named: str | None) -> Conversation | None:
    """The chat of that step id or conversation path, else the latest one that has ended; ``None`` where there is none."""
    chats = [node for node in turn.graph.nodes if node.kind == kinds.CHAT and node.id in turn.bindings]
    ended = [(turn.bindings[node.id], node) for node in chats if turn.bindings[node.id].succeeded]
    for bound, node in sorted(ended, key=lambda each: each[0].completion, reverse=True):
        if named in (None, "", node.id, turn.outputs[bound.seq].get("conversation_path")):
            memory = turn.entries[bound.seq]
            return Conversation(memory["agent"], memory["messages"])
    return None


def config_of(node: Node) -> Mapping[str, Any]:
    """The chat's ``chat_config``."""
    return _mapping(node.settings.get("chat_config"))


def may_user_end(node: Node) -> bool:
    return _may_end(node, "allow_user_end", "user_request")


def may_agent_end(node: Node) -> bool:
    return _may_end(node, "allow_ai_end", "ai_decision")


def is_key_word(node: Node, message: str) -> bool:
    """Whether the whole message is one of the words that end the chat, whatever its case and what stands around it."""
    said = _bare(message)
    return may_user_end(node) and any(said == _bare(word) for word in _words(_termination(node), "end_keywords"))


def targets(node: Node, agent: str) -> list[dict[str, Any]]:
    """Whom ``agent`` may hand the conversation over to: ``[{agent, description}]``."""
    found = [(kinds.reference_path(each.get("agent_ref")), each.get("description")) for each in _targets(node)]
    return [{"agent": path, "description": words} for path, words in found if path and path != agent]


def takes_over(turn: Turn, node: Node, agent: str, message: str) -> str | None:
    """The agent that takes over because of what the user said. Raises ``ExpressionError`` for a condition at fault."""
    said, names = message.casefold(), turn.context()
    for each in _targets(node):
        path = kinds.reference_path(each.get("agent_ref"))
        phrases = [word.casefold() for word in _words(each, "trigger_phrases")]
        condition = each.get("condition") or each.get("trigger_condition")
        if path is None or path == agent:
            continue
        if any(phrase in said for phrase in phrases):
            return path
        if condition is not None and parse_condition(condition).holds(_Saying(message, names)):
            return path
    return None


def _may_end(node: Node, flag: str, mode: str) -> bool:
    """A flag, true unless it says otherwise; where neither flag is given, ``modes`` may list what is allowed."""
    found = _termination(node)
    modes = found.get("modes")
    if isinstance(modes, list) and "allow_user_end" not in found and "allow_ai_end" not in found:
        return mode in modes
    return found.get(flag) is not False


def _termination(node: Node) -> Mapping[str, Any]:
    found = _mapping(config_of(node).get("termination"))
    if "end_keywords" not in found and "termination_phrases" in found:
        return {**found, "end_keywords": found["termination_phrases"]}
    return found


def _targets(node: Node) -> Iterator[Mapping[str, Any]]:
    found = config_of(node).get("handoff_targets")
    return (each for each in (found if isinstance(found, list) else ()) if isinstance(each, Mapping))


def _words(found: Mapping[str, Any], name: str) -> list[str]:
    words = found.get(name)
    return [word for word in words if isinstance(word, str) and word.strip()] if isinstance(words, list) else []


def _bare(text: str) -> str:
    return text.strip(string.whitespace + string.punctuation).casefold()


def _mapping(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}
