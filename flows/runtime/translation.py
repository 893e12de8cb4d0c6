"""A flat node as the step or container that does the same."""

from collections.abc import Mapping
from typing import Any, Final

from flows import kinds
from flows.kinds import RawNode
from flows.runtime.nodes import END, START, TYPES, FlatNode, choices, is_runtime, read_graphs

_STRUCTURE: Final = frozenset(
    {"id", "step_type", "next_node", "properties", "children", "branches", "branch", "body_step"}
)
_CONTAINERS: Final = frozenset({kinds.PARALLEL, kinds.LOOP, kinds.AI_SEQUENCE, kinds.COMPETITION})
_RENAMED: Final[Mapping[str, Mapping[str, str]]] = {
    kinds.HUMAN_TASK: {"title": "action", "description": "task_description"},
}
_RETRY: Final = {
    "max_retries": "max_retries",
    "retry_base_delay_ms": "base_delay_ms",
    "retry_max_delay_ms": "max_delay_ms",
}
_LOOP: Final = {
    "for_each": {"collection": "over", "item_var": "item", "index_var": "index"},
    "while": {"condition": "while"},
    "times": {"times": "times"},
}
_LOOP_LIMITS: Final = ("until", "max_iterations", "unbounded")
_ROUTER: Final = ("agent_ref", "prompt", "min_confidence", "default_branch", "include_context")
_AI_CONFIG: Final = (
    *("agent_ref", "tool_mode", "explicit_tools", "max_iterations", "thinking_enabled", "on_error", "timeout_ms"),
    *("total_timeout_ms", "max_retries", "retry_delay_ms", "include_context", "response_format", "output_schema"),
    "conversation_ref",
)


def as_step(node: FlatNode) -> RawNode:
    """The node in the authored shape; its ways and what is inside it are the layout's."""
    kind = TYPES[node.type]
    given = {key: value for key, value in {**kinds.properties(node.raw), **node.raw}.items() if key not in _STRUCTURE}
    for old, new in _RENAMED.get(kind, {}).items():
        if old in given:
            given.setdefault(new, given.pop(old))
    retry = {new: given.pop(old) for old, new in _RETRY.items() if old in given}
    if retry and kind != kinds.AI_SEQUENCE:
        given.setdefault("retry", retry)
    if kind in _CONTAINERS:
        return container(node.id, kind, **{**given, **_container_keys(node, kind, retry)})
    if kind == kinds.AGENT_DECISION:
        given.setdefault("router", {key: given.pop(key) for key in _ROUTER if key in given})
        given["choices"] = choices(node)
    return step(node.id, kind, **given)


def as_steps(workflow_data: Any) -> Any:
    """A definition in the runtime format as a list of steps to be shown; any other one as it is."""
    if not is_runtime(workflow_data):
        return workflow_data
    graph = next(read_graphs(workflow_data))
    shown = [as_step(node) for node in graph.nodes if node.type in TYPES and node.type not in (START, END)]
    return {**workflow_data, "nodes": shown}


def step(node_id: str, kind: str, /, **properties: Any) -> RawNode:
    """A step of that kind."""
    named = {} if kind == kinds.FUNCTION else {"step_type": kind}
    return {"id": node_id, "node_type": kinds.STEP, "properties": {**properties, **named}}


def container(node_id: str, kind: str, /, **keys: Any) -> RawNode:
    """A container of that kind; what is inside it is the layout's."""
    return {**keys, "id": node_id, "node_type": kinds.CONTAINER, "container_type": kind}


def _container_keys(node: FlatNode, kind: str, retry: Mapping[str, Any]) -> dict[str, Any]:
    if kind == kinds.LOOP:
        return {"loop": _loop(node)}
    if kind == kinds.PARALLEL and node.get("for_each") is not None:
        return {"fan_out": {"over": node.get("for_each"), "max_branches": node.get("max_branches")}}
    if kind == kinds.AI_SEQUENCE and node.get("ai_config") is None:
        flat = {key: node.get(key) for key in _AI_CONFIG if node.get(key) is not None}
        return {"ai_config": flat, **({"retry": retry} if retry else {})}
    return {}


def _loop(node: FlatNode) -> dict[str, Any]:
    shape = _LOOP.get(str(node.get("loop_type")), _LOOP["for_each"])
    named = {new: node.get(old) for old, new in shape.items()}
    limits = {name: node.get(name) for name in _LOOP_LIMITS}
    return {key: value for key, value in (named | limits).items() if value is not None}
