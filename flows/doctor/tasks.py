"""Human tasks: who is asked, what for, until when, and what a rejection means (reference/flow-format.md, section 9)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.steps import duration, input_schema
from flows.doctor.values import is_blank, is_count, is_number, is_template, one_of
from flows.text import short

_TASK_TYPE: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_CHOICES: Final = {
    "group_completion": ("UNKNOWN_GROUP_COMPLETION", ("any", "all", "quorum")),
    "on_reject": ("UNKNOWN_ON_REJECT", ("continue", "fail")),
    "on_timeout": ("UNKNOWN_ON_TIMEOUT", ("expire", "reject")),
}


@checks_nodes(kinds.HUMAN_TASK)
def task(place: Place, exam: Examination) -> Iterator[Found]:
    """The task has a type and somebody who gets it."""
    task_type, assignee = place.properties.get("task_type"), place.properties.get("assignee")
    if is_blank(task_type):
        words = f"{place.name} does not say what it asks for. Set task_type to approval, input, review or action."
        yield Found("MISSING_TASK_TYPE", place, ("task_type",), words)
    elif not (isinstance(task_type, str) and _TASK_TYPE.fullmatch(task_type)):
        words = (
            f"task_type is approval, input, review, action or a short name in small letters, not {short(task_type)}."
        )
        yield Found("INVALID_TASK_TYPE", place, ("task_type",), words)
    if is_blank(assignee):
        words = f"{place.name} is given to nobody. Set assignee to /users/NAME, /groups/NAME or /agents/NAME."
        yield Found("MISSING_ASSIGNEE", place, ("assignee",), words)
    elif not isinstance(assignee, str):
        yield Found("INVALID_VALUE", place, ("assignee",), f"assignee is text, not {short(assignee)}.")


@checks_nodes(kinds.HUMAN_TASK)
def answer(place: Place, exam: Examination) -> Iterator[Found]:
    """What can be answered is said."""
    task_type, schema = place.properties.get("task_type"), place.properties.get("input_schema")
    if task_type == "approval" and not place.properties.get("options"):
        words = f"{place.name} has no options, so approve and reject are offered. Write the choices out."
        yield Found("MISSING_TASK_OPTIONS", place, ("options",), words)
    if task_type == "input" and not schema:
        words = f"{place.name} takes any answer. Say in input_schema which values it asks for."
        yield Found("MISSING_INPUT_SCHEMA", place, ("input_schema",), words)
    yield from input_schema(schema, place)
    for number, option in enumerate(_options(place)):
        if not isinstance(option, Mapping) or is_blank(option.get("value")):
            words = f"An option is a map with a value, a label and a style, not {short(option)}."
            yield Found("INVALID_VALUE", place, ("options", number), words)


@checks_nodes(kinds.HUMAN_TASK)
def due(place: Place, exam: Examination) -> Iterator[Found]:
    """Due times and reminders can be read."""
    seconds = place.properties.get("due_in_seconds")
    if seconds is not None and not is_template(seconds) and not (is_number(seconds) and 0 <= seconds < 4e9):
        words = f"due_in_seconds is a number of seconds or a template, not {short(seconds)}."
        yield Found("INVALID_DURATION", place, ("due_in_seconds",), words)
    yield from duration(place, ("remind_before",), place.properties.get("remind_before"))


@checks_nodes(kinds.HUMAN_TASK)
def group(place: Place, exam: Examination) -> Iterator[Found]:
    """Choices with a fixed list, and the quorum."""
    for field, (code, allowed) in _CHOICES.items():
        value = place.properties.get(field)
        if value is not None and not one_of(value, allowed):
            yield Found(code, place, (field,), f"{field} is {' or '.join(allowed)}, not {short(value)}.")
    quorum = place.properties.get("group_quorum")
    if quorum is not None and not is_count(quorum, least=1):
        words = f"group_quorum is a whole number from 1, not {short(quorum)}."
        yield Found("INVALID_GROUP_QUORUM", place, ("group_quorum",), words)


@checks_nodes(kinds.HUMAN_TASK)
def gate(place: Place, exam: Examination) -> Iterator[Found]:
    """A gate can be declined, and ``on_timeout`` stands on a gate with a due time."""
    is_gate = place.properties.get("on_reject") == "fail"
    if is_gate and not _can_reject(place):
        words = f"No answer to {place.name} is a rejection, so it can never fail. Add an option, or list it in reject_values."
        yield Found("GATE_WITHOUT_REJECTION", place, ("reject_values",), words)
    has_deadline = place.properties.get("due_in_seconds") is not None
    if place.properties.get("on_timeout") is not None and not (is_gate and has_deadline):
        words = f"on_timeout has no effect on {place.name}: it needs on_reject: fail and due_in_seconds."
        yield Found("ON_TIMEOUT_WITHOUT_GATE", place, ("on_timeout",), words)


@checks_nodes(kinds.HUMAN_TASK)
def agent_assignee(place: Place, exam: Examination) -> Iterator[Found]:
    """An agent that decides has a threshold and somebody to hand over to."""
    assignee = place.properties.get("assignee")
    yield from confidence(place, "min_confidence", place.properties.get("min_confidence"))
    if not isinstance(assignee, str) or not assignee.startswith("/agents/"):
        return
    for field in ("min_confidence", "escalation_assignee"):
        if place.properties.get(field) is None:
            words = f"An agent decides {place.name}. Set {field}, so that a person decides when it is not sure."
            yield Found("AGENT_ASSIGNEE_GUARDRAILS", place, (field,), words)


def confidence(place: Place, field: str, value: Any) -> Iterator[Found]:
    """Whether ``value`` is a confidence; ``field`` is where it stands, with dots."""
    if value is not None and not (is_number(value) and 0 <= value <= 1):
        words = f"{field} is a number from 0 to 1, not {short(value)}."
        yield Found("INVALID_MIN_CONFIDENCE", place, tuple(field.split(".")), words)


def _options(place: Place) -> list[Any]:
    found = place.properties.get("options")
    return found if isinstance(found, list) else []


def _can_reject(place: Place) -> bool:
    """Whether some answer is among the ``reject_values``; true where templates leave it open."""
    given = place.properties.get("options")
    values = [each.get("value") if isinstance(each, Mapping) else each for each in _options(place)]
    rejecting = place.properties.get("reject_values")
    rejecting = rejecting if isinstance(rejecting, list) else ["reject"]
    if is_template(given) or any(map(is_template, values)):
        return True
    return any(value in rejecting for value in values or ["approve", "reject"])
