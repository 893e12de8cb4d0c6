"""The mock editor's form and the ``test_config`` that it means (reference/flow-format.md, section 10), both ways.

A callee has one or more answers for consecutive calls, a person's task one or more replies; the last serves every further one.
Fields are named ``mock.<n>.<answer>.<field>`` and ``task.<n>.<reply>.<field>``, in the order of the lists the page was made from.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from flows.callees import Callee
from flows.questions import Question

MOST: Final = 50
"""Answers of one callee that are read."""
ROW: Final = "__row__"
ANSWER_FIELDS: Final = ("behavior", "output", "message", "code", "status", "times", "delay")
REPLY_FIELDS: Final = ("reply", "response")
SWITCHES: Final[Mapping[str, bool]] = {"isolated_branch": True, "auto_discard": True}

Fields = dict[str, str]


@dataclass(slots=True)
class Entry:
    """One answer of a callee, or one reply to a task, as typed; ``errors`` by field."""

    name: str
    told: Fields
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Row:
    """A callee or a question with its entries; ``blank`` is the empty entry that the page copies when one is added."""

    about: Callee | Question
    entries: list[Entry]
    blank: Entry


@dataclass(slots=True)
class MockForm:
    """The whole editor; the names of ``switches`` are those of the configuration, ``compressed`` stands for its time."""

    mocks: list[Row]
    tasks: list[Row]
    switches: dict[str, bool]

    @property
    def has_errors(self) -> bool:
        return any(entry.errors for row in (*self.mocks, *self.tasks) for entry in row.entries)


# --- showing -------------------------------------------------------------------------------------------------------------


def form_of(called: Sequence[Callee], asked: Sequence[Question], config: Mapping[str, Any] | None) -> MockForm:
    """The editor as a configuration says; without one everything is mocked, with samples."""
    told = config or {}
    mocks = {**(told.get("mock_functions") or {}), **(told.get("mock_agents") or {})}
    default = {"behavior": (told.get("default_behavior") or "real") if config is not None else "mock_output"}
    tasks = told.get("mock_tasks") or {}
    return MockForm(
        [
            _row(f"mock.{n}", each, _answers(mocks.get(each.path, default), each), _blank(each))
            for n, each in enumerate(called)
        ],
        [
            _row(f"task.{n}", each, _replies(tasks.get(each.node), each), {"reply": "wait"})
            for n, each in enumerate(asked)
        ],
        {**{name: told.get(name, usual) for name, usual in SWITCHES.items()}, "compressed": told.get("time") != "real"},
    )


def _row(name: str, about: Callee | Question, told: Sequence[Fields], blank: Fields) -> Row:
    entries = [Entry(f"{name}.{n}", each) for n, each in enumerate(told)]
    return Row(about, entries, Entry(f"{name}.{ROW}", blank))


def _blank(callee: Callee) -> Fields:
    return {"behavior": "mock_output", "output": _as_text(callee.sample)}


def _answers(given: Any, callee: Callee) -> list[Fields]:
    """Behaviours as entries: like errors that follow each other become one with ``times``."""
    found: list[Fields] = []
    listed = given if isinstance(given, list) else [given]
    for position, each in enumerate(listed):
        told = _answer_fields(each, callee)
        is_error, is_last = told["behavior"] == "mock_error", position == len(listed) - 1
        if is_error and not is_last:
            told["times"] = "1"
        before = found[-1] if found else {}
        if is_error and not is_last and {**before, "times": ""} == {**told, "times": ""}:
            before["times"] = str(int(before["times"]) + 1)
        else:
            found.append(told)
    return found


def _answer_fields(given: Mapping[str, Any], callee: Callee) -> Fields:
    error = given.get("mock_error") or {}
    told = {
        "behavior": str(given.get("behavior") or "real"),
        "output": _as_text(given.get("mock_output", callee.sample)),
    }
    said = {
        "message": error.get("message") or given.get("message"),
        "code": error.get("code"),
        "status": error.get("status"),
        "delay": given.get("mock_delay_ms"),
    }
    return {**told, **{name: str(value) for name, value in said.items() if value is not None}}


def _replies(given: Any, question: Question) -> list[Fields]:
    listed = given if isinstance(given, list) else [given] if given is not None else []
    return [_reply_fields(each, question) for each in listed] or [
        {"reply": "wait", "response": _as_text(question.answers[0])}
    ]


def _reply_fields(given: Mapping[str, Any], question: Question) -> Fields:
    response = given.get("response", {})
    told = {"reply": "answer", "response": _as_text(response)}
    if given.get("behavior") in ("expire", "wait"):
        told["reply"] = given["behavior"]
    elif isinstance(response, Mapping) and set(response) == {"action"} and response["action"] in question.choices:
        told["reply"] = f"choice:{response['action']}"
    return told


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


# --- reading -------------------------------------------------------------------------------------------------------------


def read(called: Sequence[Callee], asked: Sequence[Question], sent: QueryDict) -> tuple[dict[str, Any], MockForm]:
    """The configuration that was sent, and the form to show again: its errors say what cannot be read.

    What no row speaks of is mocked, so that nothing is called that nobody saw.
    """
    form = MockForm(
        [_sent_row(f"mock.{n}", each, sent, ANSWER_FIELDS, _blank(each)) for n, each in enumerate(called)],
        [_sent_row(f"task.{n}", each, sent, REPLY_FIELDS, {"reply": "wait"}) for n, each in enumerate(asked)],
        {name: sent.get(name) == "yes" for name in (*SWITCHES, "compressed")},
    )
    config: dict[str, Any] = {
        "mock_functions": {},
        "mock_agents": {},
        "default_behavior": "mock_output",
        "time": "compressed" if form.switches["compressed"] else "real",
        **{name: form.switches[name] for name in SWITCHES},
    }
    for callee, row in zip(called, form.mocks, strict=True):
        config[f"mock_{callee.kind}s"][callee.path] = list(_behaviours(row.entries))
    tasks = {each.node: list(_task(row.entries)) for each, row in zip(asked, form.tasks, strict=True)}
    if any(tasks.values()):
        config["mock_tasks"] = {node: replies for node, replies in tasks.items() if replies}
    return config, form


def _sent_row(name: str, about: Callee | Question, sent: QueryDict, fields: Sequence[str], blank: Fields) -> Row:
    pattern = re.compile(re.escape(name) + r"\.(\d{1,6})\." + re.escape(fields[0]))
    places = sorted({int(match[1]) for key in sent if (match := pattern.fullmatch(key))})[:MOST]
    told = [{each: sent.get(f"{name}.{place}.{each}", "") for each in fields} for place in places]
    return _row(name, about, told or [blank], blank)


def _behaviours(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    for position, entry in enumerate(entries):
        behaviour, times = _behaviour(entry), _number(entry, "times", least=1)
        is_last = position == len(entries) - 1
        if behaviour["behavior"] != "mock_error" or (times is None and is_last):
            yield behaviour
            continue
        for _again in range(min(times or 1, MOST)):
            yield behaviour
        if is_last:  # it fails so many times, then it answers
            yield {"behavior": "mock_output", "mock_output": _json(entry, "output")}


def _behaviour(entry: Entry) -> dict[str, Any]:
    told = entry.told
    found: dict[str, Any] = {"behavior": told.get("behavior") or "mock_output"}
    if found["behavior"] == "mock_output":
        found["mock_output"] = _json(entry, "output")
    elif found["behavior"] == "mock_error":
        said = {"message": told.get("message"), "code": told.get("code"), "status": _number(entry, "status", least=100)}
        found["mock_error"] = {name: value for name, value in said.items() if value not in (None, "")}
    elif found["behavior"] == "mock_unknown" and told.get("message"):
        found["message"] = told["message"]
    delay = _number(entry, "delay", least=0)
    return {**found, "mock_delay_ms": delay} if delay and found["behavior"] != "real" else found


def _task(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """The replies of one step; none where every visit waits for a person."""
    if all((entry.told.get("reply") or "wait") == "wait" for entry in entries):
        return
    for entry in entries:
        kind, _colon, value = (entry.told.get("reply") or "wait").partition(":")
        if kind in ("expire", "wait"):
            yield {"behavior": kind}
        elif kind == "choice":
            yield {"response": {"action": value}}
        else:
            yield {"response": _json(entry, "response")}


def _json(entry: Entry, name: str) -> Any:
    try:
        return json.loads(entry.told.get(name) or "null")
    except (ValueError, RecursionError):
        entry.errors[name] = _("This is not JSON. Texts stand in double quotes, names too.")
        return None


def _number(entry: Entry, name: str, *, least: int) -> int | None:
    text = (entry.told.get(name) or "").strip()
    if not text:
        return None
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
        entry.errors[name] = _("This is a whole number from %(least)d.") % {"least": least}
        return None
    return int(text)
