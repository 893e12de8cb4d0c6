"""Which keys a definition may hold and what each is made of (reference/flow-format.md, sections 1, 2, 4, 5, 6, 9).

A type is one of the words in :data:`TYPES`, or a map of the keys inside an object. ``any`` leaves the value to a check
of its own.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flows import kinds
from flows.doctor.values import is_count, is_number

Keys: TypeAlias = Mapping[str, "str | Keys"]


TYPES: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "text": ("text", lambda value: isinstance(value, str)),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a number", is_number),
    "count": ("a whole number from 0", is_count),
    "object": ("a map", lambda value: isinstance(value, Mapping)),
    "values": ("a map, or a template that gives one", lambda value: isinstance(value, Mapping | str)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "items": ("a list, or a template that gives one", lambda value: isinstance(value, list | str)),
    "any": ("anything", lambda value: True),
}


def _keys(**by_type: str) -> dict[str, "str | Keys"]:
    """``text="a b"`` gives ``{"a": "text", "b": "text"}``."""
    return {name: type_ for type_, names in by_type.items() for name in names.split()}


_RECOVERY: Final[Keys] = {**_keys(any="redo then", text="notify"), "stop_after": _keys(any="failures within")}

FLOW: Final[Keys] = {
    **_keys(any="version error_strategy timeout_ms nodes on_failure input_schema"),
    "recovery": _RECOVERY,
}

PUT_ASIDE: Final = "put_aside"
"""What a step or container said while it was of another kind, by kind: kept for whoever changes it back, and without effect."""

_RETRY: Final[Keys] = _keys(any="max_retries base_delay_ms max_delay_ms jitter")
_POLICY: Final[Keys] = {
    **_keys(flag="optional must_succeed continue_on_fail"),
    **_keys(any="on_error retry_strategy error_edge timeout_edge when timeout_ms"),
    "retry": _RETRY,
}
"""What steps and containers share; it may stand on the node or in its ``properties``."""

_STEP: Final[Keys] = {
    **_POLICY,
    **_keys(text="action note", any="step_type condition on_unknown compensation_when resources idempotency_key"),
    **_keys(flag="disabled", text="execution_identity"),
    PUT_ASIDE: "object",
    "undo": _keys(any="function_ref", values="arguments", flag="missing_ok"),
    "reconcile": _keys(any="steps outcome result"),
}
_HUMAN_TASK: Final[Keys] = {
    **_keys(any="task_type assignee priority due_in_seconds min_confidence group_completion group_quorum input_schema"),
    **_keys(any="response_condition on_reject on_timeout remind_before", list="reject_values", values="data"),
    **_keys(text="task_description escalation_assignee comment", items="options"),
}
_CHAT: Final[Keys] = {
    **_keys(any="agent_ref output_schema", text="system_prompt", number="max_turns session_timeout_ms"),
    **_keys(list="handoff_targets"),
    "termination": _keys(
        flag="allow_user_end allow_ai_end",
        list="end_keywords termination_phrases modes",
        number="inactivity_timeout_ms",
    ),
    "approval": _keys(flag="enabled", any="assignee due_in_seconds"),
}
_AI_CONFIG: Final[Keys] = {
    **_keys(any="agent_ref include_context response_format output_schema conversation_ref", list="explicit_tools"),
    **_keys(text="tool_mode on_error", flag="thinking_enabled"),
    **_keys(number="max_iterations timeout_ms total_timeout_ms max_retries retry_delay_ms"),
}
_REFEREE: Final[Keys] = _keys(any="agent_ref min_confidence include_context", text="prompt", count="max_rounds")

STEP_KEYS: Final[Mapping[str, Keys]] = {
    kinds.FUNCTION: {
        **_STEP,
        **_keys(any="function_ref compensation_ref", values="arguments compensation_input_mapping"),
    },
    kinds.HUMAN_TASK: {**_STEP, **_HUMAN_TASK},
    kinds.DECISION: {**_STEP, **_keys(any="yes_branch no_branch")},
    kinds.WAIT: {**_STEP, **_keys(any="wait_type duration until timeout cron timezone", text="event_type")},
    kinds.SUB_FLOW: {**_STEP, **_keys(any="flow_ref", values="input_mapping", flag="async")},
    kinds.AI_AGENT: {
        **_STEP,
        **_keys(any="agent_ref include_context response_format", text="agent_workspace prompt message", list="skills"),
        **_keys(count="max_model_calls max_tool_iterations"),
    },
    kinds.AI_SEQUENCE: {**_STEP, **_keys(any="agent_ref", text="prompt"), "ai_config": _AI_CONFIG},
    kinds.CHAT: {**_STEP, "chat_config": _CHAT},
    kinds.STOP: {**_STEP, **_keys(text="reason")},
}

_CONTAINER: Final[Keys] = {
    **_POLICY,
    **_keys(any="condition", text="action note"),
    PUT_ASIDE: "object",
    "recovery": _RECOVERY,
}

CONTAINER_KEYS: Final[Mapping[str, Keys]] = {
    kinds.AND: _CONTAINER,
    kinds.OR: {
        **_CONTAINER,
        **_keys(list="rules"),
        "router": _keys(any="agent_ref min_confidence default_branch include_context", text="prompt"),
    },
    kinds.PARALLEL: {**_CONTAINER, **_keys(any="merge_strategy"), "fan_out": _keys(any="over max_branches")},
    kinds.LOOP: {
        **_CONTAINER,
        "loop": _keys(any="over while item index until max_iterations", count="times", flag="unbounded"),
    },
    kinds.AI_SEQUENCE: {**_CONTAINER, **_keys(text="prompt"), "ai_config": _AI_CONFIG},
    kinds.COMPETITION: {**_CONTAINER, **_keys(text="prompt"), "referee": _REFEREE},
}

STEP_NODE: Final = frozenset({"id", "node_type", "properties", *_POLICY})
CONTAINER_NODE: Final = frozenset({"id", "node_type", "container_type", "children", "properties"})

UNSUPPORTED: Final = frozenset({"isolated_branch", "payload_key", "lua_script", "output_key", "skills"})
"""Keys of raisin that are kept and have no effect here."""
