"""What a test run may be told: the behaviours that stand in for calls, and how the run treats time and its own traces.

reference/flow-format.md, section 10. Pure. The schemas here are what a configuration is checked with and what the API describes.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

ROOT: Final = "test_config"
MOCKS: Final = ("mock_functions", "mock_agents")

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
    "properties": {**dict.fromkeys(MOCKS, _BY_PATH), **_OPTIONS},
}
"""A whole configuration, for readers."""

_OUTLINE: Final = Draft202012Validator(
    {**SCHEMA, "properties": {**{name: {"type": "object"} for name in MOCKS}, **_OPTIONS}}
)
_BEHAVIOUR: Final = Draft202012Validator(dict(BEHAVIOUR))


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


def _problems(config: Any) -> Iterator[tuple[str, str]]:
    """Behaviours are checked one by one: a message about "one of two schemas" would help nobody."""
    yield from _broken(_OUTLINE, config, ROOT)
    for name in MOCKS:
        mocks = config.get(name) if isinstance(config, Mapping) else None
        for path, given in mocks.items() if isinstance(mocks, Mapping) else ():
            yield from _mock_problems(f'{ROOT}.{name}["{path}"]', path, given)


def _mock_problems(field: str, path: str, given: Any) -> Iterator[tuple[str, str]]:
    if not path.startswith("/"):
        yield field, "A mock is named by the path of what it stands in for, such as /lib/charge."
    if not isinstance(given, list):
        yield from _broken(_BEHAVIOUR, given, field)
    elif not given:
        yield field, "This list is empty. Give it at least one behaviour."
    else:
        for index, each in enumerate(given):
            yield from _broken(_BEHAVIOUR, each, f"{field}[{index}]")


def _broken(schema: Draft202012Validator, value: Any, field: str) -> Iterator[tuple[str, str]]:
    for error in sorted(schema.iter_errors(value), key=lambda each: list(map(str, each.absolute_path))):
        yield ".".join([field, *map(str, error.absolute_path)]), f"{error.message}."
