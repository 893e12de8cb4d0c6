"""A definition as an outline in words: what each step does, whom it asks, and what happens when it fails."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from designer import kind_words, words
from designer.drawings import humanised
from designer.people import names_of
from designer.presenters.stories import quoted
from flows import kinds
from flows.doctor.outline import Outline, Place
from flows.durations import InvalidDuration, parse_duration
from flows.models import Flow, LibraryFunction
from flows.runtime import as_steps
from flows.text import MAX_DEPTH, short
from flows.values import is_shallow

DEEPEST: Final = 5
_MARKER: Final = re.compile(r"\{\{(.*?)\}\}|\$\{(.*?)\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Say:
    """One thing to say of a step: an icon's name, the words, and whether it is about failing."""

    icon: str
    words: str
    is_trouble: bool = False


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """One step or container; ``depth`` counts the containers around it, ``when`` says on which way it lies."""

    id: str
    name: str
    look: kind_words.KindLook
    depth: int
    is_container: bool
    is_disabled: bool
    when: str
    says: list[Say] = field(default_factory=list)


def outline_of(workflow_data: Any, workspace_id: int) -> list[OutlineLine]:
    """Every node in document order, whatever shape it is in; at most five queries for the names of what it calls."""
    if not isinstance(workflow_data, Mapping) or not is_shallow(workflow_data, MAX_DEPTH):
        return []
    outline = Outline(as_steps(workflow_data))
    places = [place for place in outline.places if place.owner is None]
    names = Names(outline, places, workspace_id)
    return [_line(place, names) for place in places]


def names_in(workflow_data: Mapping[str, Any], workspace_id: int) -> "Names":
    """What the steps of a definition, and the things it names, are called."""
    outline = Outline(workflow_data)
    return Names(outline, [place for place in outline.places if place.owner is None], workspace_id)


def readable(value: Any) -> str:
    """A templated text for people: ``Charge {{ input.total }}`` as ``Charge ‹total›``."""
    text = value if isinstance(value, str) else "" if value is None else short(value)
    return _MARKER.sub(lambda found: f"‹{_last_name(found[1] or found[2])}›", text)


def _last_name(expression: str) -> str:
    parts = re.findall(r"[A-Za-z_][\w]*", expression)
    return parts[-1].replace("_", " ") if parts else "…"


class Names:
    """What the things a flow names are called."""

    def __init__(self, outline: Outline, places: list[Place], workspace_id: int) -> None:
        self._outline = outline
        wanted = {path for place in places for path in _paths(place)}
        functions = LibraryFunction.objects.filter(path__in=wanted).exclude(title="").values_list("path", "title")
        flows = (
            Flow.objects.filter(workspace=workspace_id, path__in=wanted).exclude(title="").values_list("path", "title")
        )
        people = [str(place.get("assignee")) for place in places if place.kind == kinds.HUMAN_TASK]
        self._titles = {**names_of([*people, *wanted]), **dict(flows), **dict(functions)}

    def of(self, reference: Any) -> str:
        """The title of a function, flow, agent or person; its path where it has none."""
        path = kinds.reference_path(reference) or ""
        if _MARKER.search(path):
            return readable(path)
        return self._titles.get(path) or path

    def step(self, step_id: Any) -> str:
        """A step in quotes, as jumps name it."""
        if step_id == kinds.END:
            return _("the end")
        return quoted(self.plain(str(step_id)))

    def plain(self, step_id: str) -> str:
        """A step's name without quotes."""
        place = self._outline.by_id.get(step_id)
        return _name(place) if place else step_id


def _paths(place: Place) -> Iterator[str]:
    undo = place.get("undo")
    references = [place.get(name) for name in ("function_ref", "flow_ref", "agent_ref", "compensation_ref")]
    for reference in (*references, undo.get("function_ref") if isinstance(undo, Mapping) else None):
        if path := kinds.reference_path(reference):
            yield path


def _name(place: Place) -> str:
    return readable(place.get("action")) or humanised(place.id) or _("A step without a name")


def _line(place: Place, names: Names) -> OutlineLine:
    speak = _SPEAKERS.get(place.kind)
    says = [*(speak(place, names) if speak else ()), *_policies(place, names)]
    return OutlineLine(
        id=place.id,
        name=_name(place),
        look=kind_words.look_of(place.kind or "unknown"),
        depth=min(sum(1 for _ in place.ancestors()), DEEPEST),
        is_container=place.is_container,
        is_disabled=place.properties.get("disabled") is True,
        when=_when(place),
        says=[say for say in says if say.words],
    )


def _when(place: Place) -> str:
    """The rules under which an alternative is taken, or the step's own guard."""
    conditions = _rules(place) if place.parent is not None and place.parent.kind == kinds.OR else []
    if "true" in conditions:
        return _("otherwise")
    own = place.get("when")
    conditions += [str(own)] if own is not None else []
    return _("if %(condition)s") % {"condition": " || ".join(conditions)} if conditions else ""


def _rules(place: Place) -> list[str]:
    """The conditions that lead to a child of an ``or``: its container's rules, else its own."""
    rules = place.parent.raw.get("rules") if place.parent else None
    if isinstance(rules, list):
        named = [each for each in rules if isinstance(each, Mapping) and each.get("next_step") == place.id]
        return [str(each.get("condition")).strip() for each in named]
    own = place.get("condition")
    return [str(own)] if own is not None else []


# --- what each kind says -----------------------------------------------------------------------------------------------

Speaker = Callable[[Place, Names], Iterator[Say]]


def _function(place: Place, names: Names) -> Iterator[Say]:
    yield Say(
        "square-function", _("Calls %(what)s") % {"what": names.of(place.get("function_ref")) or _("nothing yet")}
    )
    if (limit := _seconds(place.get("timeout_ms"), 1000)) is not None:
        yield Say("timer", _("At most %(time)s a try") % {"time": words.duration(limit)})


def _human_task(place: Place, names: Names) -> Iterator[Say]:
    yield Say("user-round", _("Asks %(who)s") % {"who": names.of(place.get("assignee")) or _("nobody yet")})
    options = place.get("options")
    labels = (
        [readable(each.get("label") or each.get("value")) for each in options if isinstance(each, Mapping)]
        if (isinstance(options, list))
        else []
    )
    if labels:
        yield Say("list-checks", _("Answers: %(answers)s") % {"answers": ", ".join(labels)})
    due = place.get("due_in_seconds")
    if due is not None:
        seconds = _seconds(due, 1)
        yield Say(
            "timer", _("Within %(time)s") % {"time": readable(due) if seconds is None else words.duration(seconds)}
        )


def _wait(place: Place, names: Names) -> Iterator[Say]:
    match place.get("wait_type") or "delay":
        case "until":
            yield Say("calendar-clock", _("Until %(moment)s") % {"moment": readable(place.get("until"))})
        case "event":
            yield Say("bell", _("For the event %(event)s") % {"event": quoted(str(place.get("event_type")))})
            if place.get("timeout") is not None:
                yield Say("timer", _("At most %(time)s") % {"time": _span(place.get("timeout"))})
        case "cron":
            yield Say(
                "calendar-clock", _("Until the next time that fits %(cron)s") % {"cron": readable(place.get("cron"))}
            )
        case _:
            yield Say("hourglass", _span(place.get("duration")))


def _sub_flow(place: Place, names: Names) -> Iterator[Say]:
    yield Say("workflow", _("Runs %(flow)s and waits for its end") % {"flow": names.of(place.get("flow_ref"))})


def _decision(place: Place, names: Names) -> Iterator[Say]:
    condition = str(place.get("condition") or "")
    if condition.strip() != "true":
        yield Say("signpost", _("Asks whether %(condition)s") % {"condition": condition})
    for arm, said in (("yes_branch", _("Yes: goes on at %(step)s")), ("no_branch", _("No: goes on at %(step)s"))):
        if place.get(arm) is not None:
            plain = condition.strip() == "true"
            yield Say(
                "arrow-right", (_("Goes on at %(step)s") if plain else said) % {"step": names.step(place.get(arm))}
            )


def _stop(place: Place, names: Names) -> Iterator[Say]:
    yield Say(
        "octagon-x",
        _("Ends the run: %(reason)s") % {"reason": readable(place.get("reason"))}
        if place.get("reason")
        else _("Ends the run"),
    )


def _agent(place: Place, names: Names) -> Iterator[Say]:
    yield Say("bot", _("Asks the agent %(agent)s") % {"agent": names.of(place.get("agent_ref"))})


def _parallel(place: Place, names: Names) -> Iterator[Say]:
    said = {
        "all_success": _("All must succeed"),
        "first_success": _("The first that succeeds counts"),
    }.get(str(place.get("merge_strategy")), _("All are awaited, failed or not"))
    yield Say("columns-2", said)
    fan_out = place.get("fan_out")
    if isinstance(fan_out, Mapping):
        yield Say("repeat", _("Once for each of %(items)s") % {"items": readable(fan_out.get("over"))})


def _loop(place: Place, names: Names) -> Iterator[Say]:
    found = place.get("loop")
    loop: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    if "over" in loop:
        yield Say("repeat", _("Once for each of %(items)s") % {"items": readable(loop["over"])})
    if "while" in loop:
        yield Say("repeat", _("As long as %(condition)s") % {"condition": str(loop["while"])})
    if "times" in loop:
        yield Say("repeat", _("%(n)s times") % {"n": readable(loop["times"])})
    if "until" in loop:
        yield Say("signpost", _("Until %(moment)s") % {"moment": str(loop["until"])})


_SPEAKERS: Final[Mapping[str, Speaker]] = {
    kinds.FUNCTION: _function,
    kinds.HUMAN_TASK: _human_task,
    kinds.WAIT: _wait,
    kinds.SUB_FLOW: _sub_flow,
    kinds.DECISION: _decision,
    kinds.STOP: _stop,
    kinds.AI_AGENT: _agent,
    kinds.CHAT: _agent,
    kinds.PARALLEL: _parallel,
    kinds.LOOP: _loop,
}


def _policies(place: Place, names: Names) -> Iterator[Say]:
    """What happens when it fails or nobody answers, and what takes it back."""
    retry = place.get("retry")
    count = retry.get("max_retries") if isinstance(retry, Mapping) else None
    if isinstance(count, int) and count > 0:
        yield Say(
            "rotate-ccw", ngettext("Tried again %(n)d time", "Tried again up to %(n)d times", count) % {"n": count}
        )
    elif place.get("retry_strategy") is not None and place.get("retry_strategy") != "none":
        yield Say("rotate-ccw", _("Tried again (%(preset)s)") % {"preset": place.get("retry_strategy")})
    if place.get("error_edge") is not None:
        yield Say("corner-down-right", _("On an error: %(step)s") % {"step": names.step(place.get("error_edge"))}, True)
    elif (
        place.get("continue_on_fail") is True
        or place.get("optional") is True
        or place.get("on_error") in ("continue", "skip")
    ):
        yield Say("forward", _("On an error the flow goes on"), True)
    elif place.get("must_succeed") is True:
        yield Say("shield-check", _("Must succeed, or the run fails"), True)
    if place.get("timeout_edge") is not None:
        yield Say("timer", _("When the time is up: %(step)s") % {"step": names.step(place.get("timeout_edge"))}, True)
    if (undo := kinds.reference_path(place.get("compensation_ref"))) is not None:
        yield Say("undo-2", _("Undone by %(what)s") % {"what": names.of(undo)})


def _seconds(value: Any, per_second: int) -> float | None:
    return value / per_second if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _span(value: Any) -> str:
    """A duration as written, in the words of pages; a template as it reads."""
    try:
        return words.duration(parse_duration(value))
    except InvalidDuration:
        return readable(value)
