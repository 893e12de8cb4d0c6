"""Settings of steps and of the flow that are checked on their own: retries, error handling, waits, agents, sub-flows."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.cron import parse_cron, parse_timezone
from flows.doctor.codes import Severity
from flows.doctor.exam import Examination, Found, checks_flow, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.values import is_blank, is_count, is_number, is_template, one_of
from flows.durations import parse_duration, parse_moment
from flows.lowering import PRESETS
from flows.schemas import schema_problem
from flows.text import Path, short

_WAIT_TARGETS: Final[Mapping[str, str]] = {
    "delay": "duration",
    "until": "until",
    "event": "event_type",
    "cron": "cron",
}


@checks_flow
def flow_settings(exam: Examination) -> Iterator[Found]:
    """The flow's own choices."""
    strategy, ending, schema = (exam.data.get(key) for key in ("error_strategy", "on_failure", "input_schema"))
    if strategy not in (None, "fail_fast", "continue"):
        words = f"error_strategy is fail_fast or continue, not {short(strategy)}."
        yield Found("UNKNOWN_ERROR_STRATEGY", None, ("error_strategy",), words)
    if ending not in (None, "rollback", "keep"):
        words = f"on_failure is rollback or keep, not {short(ending)}."
        yield Found("UNKNOWN_ON_FAILURE", None, ("on_failure",), words)
    yield from input_schema(schema, None)


def input_schema(schema: Any, place: Place | None) -> Iterator[Found]:
    """Whether ``schema`` is one that answers can be checked against."""
    problem = None if schema is None else schema_problem(schema)
    if problem:
        words = f"input_schema is no valid JSON Schema: {problem}"
        yield Found("INVALID_INPUT_SCHEMA", place, ("input_schema",), words)


@checks_nodes()
def retry(place: Place, exam: Examination) -> Iterator[Found]:
    """A preset is one we know, and the numbers of ``retry`` make sense."""
    preset, own = place.get("retry_strategy"), place.get("retry")
    if preset is not None and not one_of(preset, PRESETS):
        words = f"retry_strategy is one of {', '.join(PRESETS)}, not {short(preset)}: the defaults apply."
        yield Found("UNKNOWN_RETRY_STRATEGY", place, ("retry_strategy",), words)
    if isinstance(own, Mapping):
        for key, words in _retry_problems(own):
            yield Found("INVALID_RETRY_CONFIG", place, ("retry", key), words)


def _retry_problems(own: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    count, base, most, jitter = (own.get(key) for key in ("max_retries", "base_delay_ms", "max_delay_ms", "jitter"))
    if count is not None and not is_count(count):
        yield "max_retries", f"max_retries is a whole number from 0, not {short(count)}."
    for key, delay in (("base_delay_ms", base), ("max_delay_ms", most)):
        if delay is not None and not (is_number(delay) and delay > 0):
            yield key, f"{key} is a number of milliseconds above 0, not {short(delay)}."
    if is_number(base) and is_number(most) and 0 < most < base:
        yield "max_delay_ms", f"max_delay_ms ({most}) lies below base_delay_ms ({base}): every delay is {most} ms."
    if jitter is not None and not (is_number(jitter) and 0 <= jitter <= 1):
        yield "jitter", f"jitter is a number from 0 to 1, not {short(jitter)}."


@checks_nodes()
def error_handling(place: Place, exam: Examination) -> Iterator[Found]:
    """``on_error`` means something here, and no two rules contradict each other."""
    on_error, must_succeed = place.get("on_error"), place.get("must_succeed") is True
    shields = place.kind in (kinds.LOOP, kinds.PARALLEL)
    allowed = ("stop", "continue") if shields else () if place.is_container else ("stop", "continue", "skip")
    if on_error is not None and place.kind and on_error not in allowed:
        yield Found("UNKNOWN_ON_ERROR", place, ("on_error",), _on_error_words(place, on_error, allowed))
    if must_succeed and place.get("optional") is True:
        words = f"{place.name} may fail (optional) and must not fail (must_succeed). Keep one."
        yield Found("OPTIONAL_AND_MUST_SUCCEED", place, ("must_succeed",), words)
    softened = place.get("continue_on_fail") is True or (not shields and on_error in ("continue", "skip"))
    if must_succeed and (softened or place.get("error_edge") is not None):
        words = f"{place.name} must succeed, so its error path can never be taken. Remove one."
        yield Found("MUST_SUCCEED_WITH_HANDLER", place, ("must_succeed",), words)


def _on_error_words(place: Place, value: Any, allowed: tuple[str, ...]) -> str:
    if not allowed:
        return f"on_error means nothing on a container of type {place.kind}. Put it on a loop, a parallel or a step."
    return f"on_error is {' or '.join(allowed)}, not {short(value)}."


@checks_nodes()
def deadlines(place: Place, exam: Examination) -> Iterator[Found]:
    """``timeout_ms`` is a length of time."""
    yield from duration(place, ("timeout_ms",), place.get("timeout_ms"))


def duration(place: Place, field: Path, value: Any) -> Iterator[Found]:
    """Whether a literal ``value`` is a length of time; templates are not looked at."""
    if value is None or is_template(value):
        return
    try:
        parse_duration(value)
    except ValueError as error:
        yield Found("INVALID_DURATION", place, field, f"{field[-1]} of {place.name}: {error}")


@checks_nodes(kinds.FUNCTION)
def function_given(place: Place, exam: Examination) -> Iterator[Found]:
    """A step that says neither its kind nor its function fails when it runs."""
    if place.properties.get("function_ref") is None:
        words = f"{place.name} calls no function. Choose one in function_ref, or the kind of step in step_type."
        severity: Severity | None = "suggestion" if place.properties.get("step_type") == "default" else None
        yield Found("MISSING_FUNCTION_REF", place, ("function_ref",), words, severity)


@checks_nodes(kinds.WAIT)
def wait(place: Place, exam: Examination) -> Iterator[Found]:
    """A wait says what for, and a literal one can be read."""
    wait_type = place.properties.get("wait_type", "delay")
    if not one_of(wait_type, _WAIT_TARGETS):
        words = f"wait_type is one of {', '.join(_WAIT_TARGETS)}, not {short(wait_type)}."
        yield Found("UNKNOWN_WAIT_TYPE", place, ("wait_type",), words)
        return
    field = _WAIT_TARGETS[wait_type]
    target = place.properties.get(field)
    if is_blank(target):
        words = f"{place.name} does not say what it waits for. Fill in {field}."
        yield Found("MISSING_WAIT_TARGET", place, (field,), words)
    elif wait_type != "event":
        yield from _wait_target(place, field, target)
    yield from duration(place, ("timeout",), place.properties.get("timeout"))
    if place.properties.get("timezone") is not None:
        yield from _timed(place, "INVALID_CRON", "timezone", parse_timezone)


def _wait_target(place: Place, field: str, target: Any) -> Iterator[Found]:
    if field == "cron":
        yield from _timed(place, "INVALID_CRON", field, parse_cron)
    elif field == "until" and not is_template(target):
        yield from _timed(place, "INVALID_DURATION", field, parse_moment)
    elif field == "duration":
        yield from duration(place, (field,), target)


def _timed(place: Place, code: str, field: str, parse: Any) -> Iterator[Found]:
    try:
        parse(place.properties[field])
    except ValueError as error:
        yield Found(code, place, (field,), f"{field} of {place.name}: {error}")


@checks_nodes(kinds.SUB_FLOW)
def sub_flow(place: Place, exam: Examination) -> Iterator[Found]:
    """A sub-flow step names its flow."""
    if place.properties.get("flow_ref") is None:
        words = f"{place.name} names no flow. Choose one in flow_ref."
        yield Found("MISSING_FLOW_REF", place, ("flow_ref",), words)


@checks_nodes(kinds.AI_AGENT)
def agent(place: Place, exam: Examination) -> Iterator[Found]:
    """An agent step names its agent."""
    if place.properties.get("agent_ref") is None:
        yield Found("MISSING_AGENT_REF", place, ("agent_ref",), f"{place.name} asks no agent. Choose one in agent_ref.")


@checks_nodes(kinds.CHAT)
def chat(place: Place, exam: Examination) -> Iterator[Found]:
    """A chat names its agent."""
    config = place.properties.get("chat_config")
    if not isinstance(config, Mapping) or config.get("agent_ref") is None:
        words = f"{place.name} talks with no agent. Choose one in chat_config.agent_ref."
        yield Found("MISSING_CHAT_AGENT_REF", place, ("chat_config", "agent_ref"), words)
