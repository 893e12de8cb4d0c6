"""Which kinds of step and container a definition may hold, and how a node says which one it is.

Pure. The rules are those of reference/flow-format.md, sections 2, 3 and 6.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

RawNode: TypeAlias = Mapping[str, Any]

STEP: Final = "raisin:FlowStep"
CONTAINER: Final = "raisin:FlowContainer"

FUNCTION: Final = "function"
HUMAN_TASK: Final = "human_task"
WAIT: Final = "wait"
SUB_FLOW: Final = "sub_flow"
DECISION: Final = "decision"
STOP: Final = "stop"
AI_AGENT: Final = "ai_agent"
CHAT: Final = "chat"
AGENT_DECISION: Final = "agent_decision"
"""A router as a step: of the runtime format alone (reference/flow-format.md, section 14)."""

AND: Final = "and"
OR: Final = "or"
PARALLEL: Final = "parallel"
LOOP: Final = "loop"
AI_SEQUENCE: Final = "ai_sequence"
COMPETITION: Final = "competition"

STEP_KINDS: Final = (FUNCTION, HUMAN_TASK, WAIT, SUB_FLOW, DECISION, STOP, AI_AGENT, CHAT)
CONTAINER_KINDS: Final = (AND, OR, PARALLEL, LOOP, AI_SEQUENCE, COMPETITION)

STEP_TYPES: Final = frozenset({"default", HUMAN_TASK, WAIT, SUB_FLOW, DECISION, STOP, AI_AGENT, CHAT})
"""What ``step_type`` may say. ``default`` means nothing special; a function needs no ``step_type`` at all."""

END: Final = "end"
"""The name a jump may use for the end of its graph."""

DEFAULT_RETRIES: Final[Mapping[str, int]] = {FUNCTION: 3, AI_AGENT: 3, AI_SEQUENCE: 3, HUMAN_TASK: 3}
"""Retries of a kind that declares none; every kind not named here has 0 (reference/flow-format.md, section 4)."""


def is_container(node: RawNode) -> bool:
    """Whether ``node`` holds children."""
    return node.get("node_type") == CONTAINER


def properties(node: RawNode) -> Mapping[str, Any]:
    """A node's ``properties``; an empty mapping when they are missing or no mapping."""
    found = node.get("properties")
    return found if isinstance(found, Mapping) else {}


def children(node: RawNode) -> list[RawNode]:
    """A container's children that are mappings, in order; a step has none."""
    found = node.get("children") if is_container(node) else None
    return [child for child in found if isinstance(child, Mapping)] if isinstance(found, list) else []


def setting(node: RawNode, name: str) -> Any:
    """A value that may stand on the node or inside its ``properties``; the node's own wins."""
    own = node.get(name)
    return own if own is not None else properties(node).get(name)


def kind_of(node: RawNode) -> str:
    """The kind of a valid node: the first rule that matches wins (reference/flow-format.md, section 3)."""
    if is_container(node):
        return str(node.get("container_type"))
    found = properties(node)
    step_type = found.get("step_type")
    if step_type == HUMAN_TASK or "task_type" in found:
        return HUMAN_TASK
    if step_type in (WAIT, SUB_FLOW, DECISION, STOP, AGENT_DECISION):
        return str(step_type)
    if found.get("function_ref") is not None:
        return FUNCTION
    if step_type == AI_AGENT:
        return AI_AGENT
    if found.get("agent_ref") is not None:
        return AI_SEQUENCE
    if step_type == CHAT:
        return CHAT
    return DECISION if "condition" in found else FUNCTION


def secret_arguments(schema: Any) -> set[str]:
    """The names, at any depth, that an input schema marks as not to be shown: ``writeOnly`` or ``format: password``."""
    found: set[str] = set()
    todo = [schema]
    while todo:
        each = todo.pop()
        named = each.get("properties") if isinstance(each, Mapping) else None
        for name, inner in named.items() if isinstance(named, Mapping) else ():
            if isinstance(inner, Mapping) and (inner.get("writeOnly") is True or inner.get("format") == "password"):
                found.add(str(name))
            todo.append(inner)
        items = each.get("items") if isinstance(each, Mapping) else None
        todo += [items] if isinstance(items, Mapping) else []
    return found


def walk(nodes: list[RawNode]) -> Iterator[RawNode]:
    """Every node of the tree in document order, parents before their children. Safe for any depth."""
    stack = [node for node in reversed(nodes) if isinstance(node, Mapping)]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def reference_path(reference: Any) -> str | None:
    """The library path a reference names, or ``None`` when it has no valid shape (reference/flow-format.md, section 7)."""
    path: Any
    if isinstance(reference, str):
        path = reference
    elif isinstance(reference, Mapping):
        path = reference.get("raisin:path") or reference.get("raisin:ref")
    else:
        return None
    return path if isinstance(path, str) and path.strip() else None
