"""Competitions: who competes, what each is asked, and what the referee is told (reference/flow-format.md, section 6).

Pure. The visit of the container remembers ``{round, feedback}``; the answers are the latest outputs of its children.
"""

from collections.abc import Mapping
from typing import Any

from engine.machine import asking
from engine.machine.turn import Turn
from flows import kinds
from flows.graph import Node


def competitors(turn: Turn, node: Node) -> list[Node]:
    """The children that compete, in order: agent steps that name their agent. Others are left out."""
    children = (turn.node(index) for index in node.children)
    return [each for each in children if each.kind == kinds.AI_AGENT and each.settings.get("agent_ref") is not None]


def prompt(turn: Turn, step: Node, own: Any) -> str | None:
    """What an agent step is asked: its own prompt, in a competition else the container's; in a later round with its answer
    and the referee's notes. ``None`` where there is neither. Raises ``ExpressionError``."""
    container = turn.parent_of(step)
    if container is None or container.kind != kinds.COMPETITION:
        return asking.prompt(turn, own)
    asked = asking.prompt(turn, container.settings.get("prompt") if own is None else own)
    notes = memory(turn, turn.frames[-1].seq)["feedback"].get(step.id)
    if notes is None:
        return asked
    answer = answers(turn, container, turn.frames[-1].seq).get(step.id, "")
    return f"{asked or ''}\n\nYour answer so far:\n{answer}\n\nNotes on it:\n{notes}\n\nAnswer again.".lstrip()


def memory(turn: Turn, seq: int) -> Mapping[str, Any]:
    """What this visit of the container remembers; the first round's where a jump led into the middle of it."""
    return turn.entry_of(seq) or {"round": 1, "feedback": {}}


def answers(turn: Turn, container: Node, seq: int) -> dict[str, Any]:
    """The latest answer of each competitor that has given one in this visit of the container."""
    found: dict[str, Any] = {}
    for each in competitors(turn, container):
        bound = turn.bindings.get(each.id)
        if bound is not None and bound.seq > seq and bound.succeeded:
            found[each.id] = turn.outputs[bound.seq].get("response")
    return found


def agents(turn: Turn, container: Node) -> dict[str, str | None]:
    """Which agent each competitor is."""
    return {each.id: kinds.reference_path(each.settings.get("agent_ref")) for each in competitors(turn, container)}


def judging(given: Mapping[str, Any], asked: str, extra: str, *, may_refine: bool) -> dict[str, Any]:
    """The referee's question: the task, its own instructions, and every answer."""
    texts = "\n\n".join(f"## {name}\n\n{answer}" for name, answer in given.items())
    wish = (
        "Accept the best answer, or have some of them refined: give those your notes." if may_refine else "Accept one."
    )
    parts = (extra, f"# The task\n\n{asked}" if asked else "", f"# The answers\n\n{texts}", wish)
    return {
        "prompt": "\n\n".join(part for part in parts if part),
        "response_format": _verdict_schema(list(given), may_refine=may_refine),
    }


def _verdict_schema(names: list[str], *, may_refine: bool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "action": {"enum": ["accept", "refine"] if may_refine else ["accept"]},
            "winner": {"enum": names},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "reasoning": {"type": "string"},
            "feedback": {"type": "object", "properties": {name: {"type": "string"} for name in names}},
        },
        "required": ["action", "winner", "confidence", "reasoning"],
    }
