"""What a test run may be told: the behaviours that stand in for calls, and how the run treats time and its own traces.

reference/flow-format.md, section 10. Pure. The schemas here are what a configuration is checked with and what the API describes.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

ROOT: Final = "test_config"
MOCKS: Final = ("mock_functions", "mock_agents")
TASKS: Final = "mock_tasks"

_TEXT: Final = {"type": "string"}
BEHAVIOUR: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "behavior": {"enum": ["real", "passthrough", "mock_output", "mock_error", "mock_timeout", "mock_unknown"]},
        "mock_output": {"description": "What `mock_output` gives; null when absent."},
        "mock_error": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "message": _TEXT,
                "code": _TEXT,
                "status": {"type": "integer"},
                "retry_after": {"type": "number", "minimum": 0, "description": "Seconds."},
            },
        },
        "message": {"type": "string", "description": "What `mock_unknown` says."},
        "mock_delay_ms": {"type": "number", "minimum": 0, "description": "At most 30 seconds are waited."},
    },
}
"""What one call does instead of the real thing."""

_BY_PATH: Final = {
    "type": "object",
    "description": "By path. A list serves consecutive calls, its last entry every further one.",
    "additionalProperties": {"oneOf": [BEHAVIOUR, {"type": "array", "minItems": 1, "items": BEHAVIOUR}]},
}
REPLY: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "behavior": {
            "enum": ["answer", "expire", "wait"],
            "default": "answer",
            "description": "`expire`: nobody answers, and the time to answer is over at once; without one nothing happens. "
            "`wait`: a person is waited for.",
        },
        "response": {"description": "What `answer` says, as whoever is asked would."},
    },
}
"""What becomes of one human task."""

_BY_STEP: Final = {
    "type": "object",
    "description": "By the id of the step that asks. A list serves consecutive visits, its last entry every further one. "
    "Steps that are not named here wait for a person.",
    "additionalProperties": {"oneOf": [REPLY, {"type": "array", "minItems": 1, "items": REPLY}]},
}
_OPTIONS: Final[Mapping[str, Any]] = {
    "isolated_branch": {
        "type": "boolean",
        "default": True,
        "description": "Nothing outside the run's own rows changes: its tasks reach nobody's inbox, only the tester's.",
    },
    "auto_discard": {
        "type": "boolean",
        "default": True,
        "description": "The ended run is deleted: soon after its end was read, at the latest after an hour.",
    },
    "default_behavior": {
        "enum": ["real", "mock_output"],
        "default": "real",
        "description": "Of every call that is not named here.",
    },
    "time": {
        "enum": ["real", "compressed"],
        "default": "real",
        "description": "`compressed`: timers, delays and deadlines of calls pass at once.",
    },
}
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {**dict.fromkeys(MOCKS, _BY_PATH), TASKS: _BY_STEP, **_OPTIONS},
}
"""A whole configuration, for readers."""

_OUTLINE: Final = Draft202012Validator(
    {**SCHEMA, "properties": {**{name: {"type": "object"} for name in (*MOCKS, TASKS)}, **_OPTIONS}}
)
_BEHAVIOUR: Final = Draft202012Validator(dict(BEHAVIOUR))
_REPLY: Final = Draft202012Validator(dict(REPLY))


def problems_of(config: Any) -> list[dict[str, str]]:
    """Everything that is wrong with a configuration, each as ``{field, message}``."""
    return [{"field": field, "message": message} for field, message in _problems(config)]


def is_isolated(config: Mapping[str, Any] | None) -> bool:
    """Whether a test run with that configuration keeps everything to itself."""
    return (config or {}).get("isolated_branch") is not False


def is_compressed(config: Mapping[str, Any] | None) -> bool:
    """Whether waits and delays pass at once."""
    return (config or {}).get("time") == "compressed"


def is_discarded(config: Mapping[str, Any] | None) -> bool:
    """Whether the run is deleted once it has ended and its end was read."""
    return (config or {}).get("auto_discard") is not False


def behaviour_of(config: Mapping[str, Any] | None, path: str, calls_before: int) -> Mapping[str, Any]:
    """What the call of ``path`` does that ``calls_before`` others came before."""
    told = config or {}
    mocks: Any = {**(told.get("mock_functions") or {}), **(told.get("mock_agents") or {})}
    default = {"behavior": told.get("default_behavior") or "real"}
    return _at(mocks.get(path), calls_before) or default


def has_sequence(config: Mapping[str, Any] | None, path: str) -> bool:
    """Whether it matters how often ``path`` was called before."""
    told = config or {}
    return any(isinstance((told.get(name) or {}).get(path), list) for name in MOCKS)


def reply_of(config: Mapping[str, Any] | None, node_id: str, asked_before: int) -> Mapping[str, Any] | None:
    """What becomes of the task of that step; ``None`` where it waits for a person."""
    return _at(((config or {}).get(TASKS) or {}).get(node_id), asked_before)


def has_replies(config: Mapping[str, Any] | None) -> bool:
    """Whether some task is answered without a person."""
    return bool((config or {}).get(TASKS))


def _at(given: Any, place: int) -> Mapping[str, Any] | None:
    """One of consecutive entries, the last one for every further place; what is no list serves every place."""
    if isinstance(given, list):
        given = given[max(0, min(place, len(given) - 1))] if given else None
    return given if isinstance(given, Mapping) else None


def _problems(config: Any) -> Iterator[tuple[str, str]]:
    """Behaviours are checked one by one: a message about "one of two schemas" would help nobody."""
    yield from _broken(_OUTLINE, config, ROOT)
    for name in (*MOCKS, TASKS):
        given = config.get(name) if isinstance(config, Mapping) else None
        for key, each in given.items() if isinstance(given, Mapping) else ():
            field = f'{ROOT}.{name}["{key}"]'
            if name != TASKS and not key.startswith("/"):
                yield field, "A mock is named by the path of what it stands in for, such as /lib/charge."
            yield from _entry_problems(_REPLY if name == TASKS else _BEHAVIOUR, field, each)


def _entry_problems(schema: Draft202012Validator, field: str, given: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(given, list):
        yield from _broken(schema, given, field)
    elif not given:
        yield field, "This list is empty. Give it at least one behaviour."
    else:
        for index, each in enumerate(given):
            yield from _broken(schema, each, f"{field}[{index}]")


def _broken(schema: Draft202012Validator, value: Any, field: str) -> Iterator[tuple[str, str]]:
    for error in sorted(schema.iter_errors(value), key=lambda each: list(map(str, each.absolute_path))):
        yield ".".join([field, *map(str, error.absolute_path)]), f"{error.message}."
