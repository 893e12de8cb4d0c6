"""Each kind of step and container: how it begins, what it is for, and its own fields before those that all share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from designer import kind_words
from designer.catalogue import fields as shared
from designer.catalogue import own
from designer.catalogue.field import Field, Type
from designer.catalogue.sections import MORE
from flows import kinds
from flows.doctor.keys import CONTAINER_KEYS, FLOW, PUT_ASIDE, STEP_KEYS, Keys

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to put into a flow: a kind, or a kind with something already filled in."""

    name: str
    kind: str
    help: "Words | str"
    begins: Mapping[str, Any]
    word: "Words | str" = ""
    icon: str = ""


def _step(**properties: Any) -> dict[str, Any]:
    return {"node_type": kinds.STEP, "properties": properties}


def _container(container_type: str, **keys: Any) -> dict[str, Any]:
    return {"node_type": kinds.CONTAINER, "container_type": container_type, **keys, "children": []}


def _options() -> list[dict[str, str]]:
    return [
        {"value": "approve", "label": str(_("Approve")), "style": "success"},
        {"value": "reject", "label": str(_("Reject")), "style": "danger"},
    ]


def _entries() -> Iterator[Entry]:
    """In the palette's order. The words of new steps are in the language of whoever adds them."""
    task: dict[str, Any] = {"step_type": "human_task", "assignee": ""}
    approval = _step(action=str(_("Approval")), **task, task_type="approval", options=_options())
    yield Entry(
        "approval", kinds.HUMAN_TASK, _("A person says yes or no."), approval, _("Approval"), "user-round-check"
    )
    form = _step(
        action=str(_("Fill in a form")),
        **task,
        task_type="input",
        input_schema={"type": "object", "properties": {"answer": {"type": "string", "title": str(_("Answer"))}}},
    )
    yield Entry("form", kinds.HUMAN_TASK, _("A person fills in a form."), form, _("Form"), "list-checks")
    to_do = _step(action=str(_("To do")), **task, task_type="action")
    yield Entry(
        "to_do", kinds.HUMAN_TASK, _("A person does something and says when it is done."), to_do, _("To do"), "hand"
    )
    yield Entry(
        "function", kinds.FUNCTION, _("Calls something in the library."), _step(action=str(_("Call a function")))
    )
    yield Entry(
        "decision",
        kinds.DECISION,
        _("Goes one way or the other."),
        _step(action=str(_("Decision")), step_type="decision", condition=""),
    )
    yield Entry(
        "wait",
        kinds.WAIT,
        _("Rests for a time, until a moment, or for an event."),
        _step(action=str(_("Wait")), step_type="wait", wait_type="delay", duration="1d"),
    )
    yield Entry(
        "sub_flow",
        kinds.SUB_FLOW,
        _("Runs another flow and waits for it."),
        _step(action=str(_("Run a flow")), step_type="sub_flow"),
    )
    yield Entry("stop", kinds.STOP, _("Ends the run on purpose."), _step(action=str(_("Stop")), step_type="stop"))
    yield Entry(
        "ai_agent",
        kinds.AI_AGENT,
        _("Asks an agent for an answer."),
        _step(action=str(_("Ask an agent")), step_type="ai_agent"),
    )
    yield Entry(
        "chat",
        kinds.CHAT,
        _("Talks with a person in turns."),
        _step(action=str(_("Chat")), step_type="chat", chat_config={}),
    )
    yield Entry("and", kinds.AND, _("Keeps steps together that run in order."), _container(kinds.AND))
    yield Entry(
        "or", kinds.OR, _("One of several ways is taken, by rules or by an agent."), _container(kinds.OR, rules=[])
    )
    yield Entry("parallel", kinds.PARALLEL, _("Branches run at the same time."), _container(kinds.PARALLEL))
    yield Entry(
        "loop",
        kinds.LOOP,
        _("Repeats its steps for each item, while, or so many times."),
        _container(kinds.LOOP, loop={"over": ""}),
    )
    yield Entry(
        "ai_sequence",
        kinds.AI_SEQUENCE,
        _("An agent works with tools until it is done."),
        _container(kinds.AI_SEQUENCE, ai_config={}),
    )
    yield Entry(
        "competition",
        kinds.COMPETITION,
        _("Agents compete and a referee judges."),
        _container(kinds.COMPETITION, referee={}),
    )


_OWN: Final[Mapping[str, Sequence[Field]]] = {
    kinds.FUNCTION: (
        *own.FUNCTION,
        shared.TIMEOUT,
        shared.KEY,
        shared.ON_UNKNOWN,
        shared.RECONCILE,
        shared.COMPENSATION,
        shared.COMPENSATION_INPUT,
        shared.COMPENSATION_WHEN,
    ),
    kinds.HUMAN_TASK: own.HUMAN_TASK,
    kinds.DECISION: own.DECISION,
    kinds.WAIT: own.WAIT,
    kinds.SUB_FLOW: own.SUB_FLOW,
    kinds.STOP: own.STOP,
    kinds.AI_AGENT: (*own.AI_AGENT, shared.CONTEXT, shared.TIMEOUT),
    kinds.CHAT: own.CHAT,
    kinds.AND: (),
    kinds.OR: own.OR,
    kinds.PARALLEL: (*own.PARALLEL, shared.BRANCH_ON_ERROR, shared.TIMEOUT, shared.TIMEOUT_EDGE),
    kinds.LOOP: (*own.LOOP, shared.BRANCH_ON_ERROR, shared.TIMEOUT, shared.TIMEOUT_EDGE),
    kinds.AI_SEQUENCE: own.AI_SEQUENCE,
    kinds.COMPETITION: own.COMPETITION,
}


_NEVER_WAITING: Final = (kinds.DECISION, kinds.STOP)
"""Steps that have no deadline, so no way that is taken when it passes."""


def fields_of(kind: str) -> list[Field]:
    """Every field of a kind: its own, the shared ones, and by type whatever else the format knows of it."""
    is_container = kind in CONTAINER_KEYS
    every = [*_OWN[kind], *(shared.AROUND if is_container else shared.POLICY)]
    if kind in _NEVER_WAITING:
        every.remove(shared.TIMEOUT_EDGE)
    found: dict[str, Field] = {}
    for each in [own.ACTION, *every]:
        found.setdefault(each.name, each)
    keys = dict(CONTAINER_KEYS.get(kind, {}))
    keys = {**STEP_KEYS.get(kind, {}), **keys}
    return [*found.values(), *_rest(keys, found.values())]


_BY_TYPE: Final[Mapping[str, Type]] = {
    "text": "text",
    "flag": "flag",
    "number": "number",
    "count": "count",
    "values": "values",
    "list": "json",
}


def _rest(keys: Keys, known: Any) -> Iterator[Field]:
    """Keys of the format that no entry names; only those that hold something are shown."""
    covered = {name for each in known for name in (each.name, *each.covers)} | {
        "step_type",
        "condition",
        "nodes",
        PUT_ASIDE,
    }
    for name, type_ in keys.items():
        if name not in covered:
            shown: Type = _BY_TYPE.get(type_, "json") if isinstance(type_, str) else "json"
            yield Field(name, shown, name, section=MORE, only={name: ()})


def kinds_for_designer() -> dict[str, Any]:
    """Every kind with its fields, and the entries of the palette."""
    every = (*kinds.STEP_KINDS, *kinds.CONTAINER_KINDS)
    entries = list(_entries())
    return {
        "by_name": {name: _kind(name) for name in every},
        "palette": [_entry(each) for each in entries],
    }


def _kind(name: str) -> dict[str, Any]:
    look = kind_words.look_of(name)
    return {
        "word": str(look.word),
        "icon": look.icon,
        "is_container": name in kinds.CONTAINER_KINDS,
        "fields": [each.as_json() for each in fields_of(name)],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    look = kind_words.look_of(entry.kind)
    return {
        "name": entry.name,
        "kind": entry.kind,
        "word": str(entry.word or look.word),
        "icon": entry.icon or look.icon,
        "help": str(entry.help),
        "template": entry.begins,
    }


def flow_fields() -> list[dict[str, Any]]:
    """What is said of the flow as a whole."""
    known = own.FLOW
    return [each.as_json() for each in (*known, *_rest({key: FLOW[key] for key in FLOW if key != "version"}, known))]
