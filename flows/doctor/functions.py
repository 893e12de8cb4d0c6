"""References and what the library says about them: functions, arguments, agents, flows, notification targets."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.values import is_blank
from flows.runtime import as_steps
from flows.text import Path, short

_REFERENCES: Final = (
    ("function_ref",),
    ("compensation_ref",),
    ("undo", "function_ref"),
    ("agent_ref",),
    ("flow_ref",),
    ("router", "agent_ref"),
    ("referee", "agent_ref"),
    ("ai_config", "agent_ref"),
    ("chat_config", "agent_ref"),
)
_FUNCTIONS: Final = (
    (("function_ref",), ("arguments",)),
    (("compensation_ref",), ("compensation_input_mapping",)),
    (("undo", "function_ref"), ("undo", "arguments")),
)
AUTO_AGENT: Final = "$auto"


@checks_nodes()
def reference_shapes(place: Place, exam: Examination) -> Iterator[Found]:
    """A reference is a path, or a map with ``raisin:path`` or ``raisin:ref``."""
    for field in _REFERENCES:
        found = place.at(field)
        if found is not None and kinds.reference_path(found) is None:
            words = f"{field[-1]} of {place.name} is a path such as /area/name, not {short(found)}."
            yield Found("INVALID_REFERENCE", place, field, words)


@checks_nodes(*kinds.STEP_KINDS)
def functions(place: Place, exam: Examination) -> Iterator[Found]:
    """The functions a step calls exist and get the arguments they require."""
    for field, arguments in _FUNCTIONS:
        path = kinds.reference_path(place.at(field))
        if path is None:
            continue
        if exam.library.has_function(path) is False:
            yield _missing(place, field, path, exam)
        elif field != ("function_ref",) and place.at(arguments) is None:
            continue  # a compensation without a mapping gets the forward arguments
        else:
            yield from _arguments(place, arguments, path, exam)


def _missing(place: Place, field: Path, path: str, exam: Examination) -> Found:
    if exam.library.has_agent(path) or exam.library.has_flow(path):
        what = "an agent" if exam.library.has_agent(path) else "a flow"
        return Found("FUNCTION_NOT_A_FUNCTION", place, field, f"{path} is {what}, not a function.")
    words = f"No function is known at {path}. The attempt fails unless it is installed by then."
    return Found("FUNCTION_NOT_FOUND", place, field, words)


def _arguments(place: Place, field: Path, path: str, exam: Examination) -> Iterator[Found]:
    manifest = exam.library.manifest(path) or {}
    schema, given = manifest.get("input_schema"), place.at(field)
    required = schema.get("required") if isinstance(schema, Mapping) else None
    if not isinstance(required, list) or isinstance(given, str):
        return
    names = set(given) if isinstance(given, Mapping) else set()
    if field == ("arguments",) and not is_blank(place.get("idempotency_key")):
        names.add(manifest.get("idempotency_param"))
    for name in required:
        if isinstance(name, str) and name not in names:
            words = f"{path} requires the argument '{name}', which {place.name} does not give."
            yield Found("MISSING_REQUIRED_ARGUMENT", place, (*field, name), words)


@checks_nodes(kinds.SUB_FLOW)
def sub_flow_cycle(place: Place, exam: Examination) -> Iterator[Found]:
    """A flow that calls itself, directly or through others, may never end."""
    called = kinds.reference_path(place.properties.get("flow_ref"))
    if called is None or exam.flow_path is None:
        return
    seen: set[str] = set()
    waiting = [called]
    while waiting:
        path = waiting.pop()
        if path == exam.flow_path:
            words = (
                f"{called} calls this flow again: they may call each other for ever. Make sure that one of them stops."
            )
            yield Found("SUB_FLOW_CYCLE", place, ("flow_ref",), words)
            return
        if path not in seen:
            seen.add(path)
            waiting += called_flows(exam.library.definition(path))


def called_flows(definition: Mapping[str, Any] | None) -> list[str]:
    """The paths of the flows that ``definition`` calls."""
    shown = as_steps(definition)
    nodes = shown.get("nodes") if shown else None
    found = (
        kinds.reference_path(kinds.properties(raw).get("flow_ref"))
        for raw in kinds.walk(nodes if isinstance(nodes, list) else [])
        if kinds.properties(raw).get("step_type") == kinds.SUB_FLOW
    )
    return [path for path in found if path]


@checks_flow
def notification_targets(exam: Examination) -> Iterator[Found]:
    """``notify`` names a target that somebody has set up."""
    scopes: list[tuple[Place | None, Any]] = [(None, exam.data.get("recovery"))]
    scopes += [(place, place.get("recovery")) for place in exam.outline.places if place.is_container]
    for place, recovery in scopes:
        name = recovery.get("notify") if isinstance(recovery, Mapping) else None
        if not isinstance(name, str):
            continue
        known = exam.library.notification_targets()
        if known is not None and name not in known:
            words = f"Nobody has set up the notification target {short(name)}: nobody will be told."
            yield Found(
                "UNKNOWN_NOTIFY_TARGET", place, ("recovery", "notify"), words + exam.did_you_mean(name, sorted(known))
            )
