"""A run's events in words (reference/flow-format.md, section 11): what happened, to which step, how it is painted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, gettext_noop, ngettext

from designer import words
from designer.drawings import Drawing
from designer.people import names_of
from designer.presenters import facts
from designer.presenters.stories import ended, quoted
from engine.models import Event, Instance

PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event: icon and tone of its mark, what happened, and a detail in quiet words."""

    event: Event
    tone: str
    icon: str
    what: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events in order; ``earlier`` and ``later`` are the numbers to ask for, ``None`` at either end."""

    lines: list[EventLine]
    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True)
class _Told:
    """One event for its speaker: its data, the step's name in quotes, people's names by path."""

    data: Mapping[str, Any]
    step: str
    people: Mapping[str, str]

    def seconds(self, name: str) -> str:
        """A member in milliseconds as words."""
        found = self.data.get(name)
        return words.duration(found / 1000) if isinstance(found, int | float) else ""

    @property
    def target(self) -> str:
        """Who is told of it: a notification target."""
        return str(self.data.get("target") or "")

    @property
    def message(self) -> str:
        error = self.data.get("error")
        return str(error.get("message") or "") if isinstance(error, Mapping) else str(error or "")


def event_page(run: Instance, drawing: Drawing, *, before: int | None = None) -> EventPage:
    """The events before the number ``before``, by default the newest. At most three queries."""
    events = Event.objects.filter(instance=run).order_by("-number")
    if before is not None:
        events = events.filter(number__lt=before)
    found = list(events[: PAGE + 1])
    shown = found[:PAGE][::-1]
    newest = shown[-1].number if shown else 0
    return EventPage(
        _lines(run, shown, drawing),
        earlier=shown[0].number if len(found) > PAGE else None,
        later=newest + PAGE + 1 if before is not None and newest < run.event_count else None,
    )


def _lines(run: Instance, events: Sequence[Event], drawing: Drawing) -> list[EventLine]:
    names = facts.step_names(run.pk, sorted({event.visit_seq for event in events if event.visit_seq is not None}))
    people = names_of(event.data.get(name) for event in events for name in ("by", "to"))
    lines = []
    for event in events:
        name = names.get(event.visit_seq or 0) or (drawing.label(event.node_id, run.input) if event.node_id else "")
        told = _Told(event.data, quoted(name), people)
        tone, icon, speak = _SPEAKERS.get(event.type, ("grey", "circle-dashed", None))
        what, detail = speak(told) if speak else (event.type.replace("_", " ").capitalize(), "")
        lines.append(EventLine(event, tone, icon, what, detail))
    return lines


Speaker = Callable[[_Told], tuple[str, str]]


def _started(told: _Told) -> tuple[str, str]:
    attempt = told.data.get("attempt")
    if isinstance(attempt, int) and attempt > 1:
        return gettext("%(step)s is tried again") % {"step": told.step}, gettext("Try %(n)d") % {"n": attempt}
    return gettext("%(step)s began") % {"step": told.step}, ""


def _completed(told: _Told) -> tuple[str, str]:
    return gettext("%(step)s is done") % {"step": told.step}, gettext("After %(time)s") % {
        "time": told.seconds("duration_ms")
    }


def _failed(told: _Told) -> tuple[str, str]:
    attempt = told.data.get("attempt")
    what = (
        gettext("%(step)s failed at try %(n)s")
        if isinstance(attempt, int) and attempt > 1
        else gettext("%(step)s failed")
    )
    return what % {"step": told.step, "n": attempt}, told.message


def _waits(told: _Told) -> tuple[str, str]:
    reasons = {
        "human_task": gettext("%(step)s waits for a person"),
        "function_call": gettext("%(step)s waits for an answer"),
        "scheduled": gettext("%(step)s waits for its time"),
        "event": gettext("%(step)s waits for an event"),
        "retry": gettext("%(step)s will be tried again"),
        "join": gettext("%(step)s waits for a run of its own"),
        "chat_session": gettext("%(step)s waits for the next message"),
    }
    what = reasons.get(str(told.data.get("reason")), gettext("%(step)s waits"))
    return what % {"step": told.step}, str(told.data.get("event_type") or "")


def _resumed(told: _Told) -> tuple[str, str]:
    by = str(told.data.get("by") or "")
    if by:
        what = gettext("%(who)s did not want to wait for the next try of %(step)s")
        return what % {"who": told.people[by], "step": told.step}, ""
    return gettext("%(step)s goes on") % {"step": told.step}, gettext("Waited %(time)s") % {
        "time": told.seconds("wait_duration_ms")
    }


def _flow_completed(told: _Told) -> tuple[str, str]:
    lasted = gettext("After %(time)s in all") % {"time": told.seconds("total_duration_ms")}
    if told.data.get("status") == "stopped":
        reason = str(told.data.get("reason") or "")
        return gettext("The run was stopped on purpose"), " ".join(filter(None, (ended(reason), lasted)))
    return gettext("The run is completed"), lasted


def _flow_failed(told: _Told) -> tuple[str, str]:
    rolled_back = told.data.get("status") == "rolled_back"
    return gettext("The run ended rolled back") if rolled_back else gettext("The run failed"), told.message


def _flow_cancelled(told: _Told) -> tuple[str, str]:
    by = str(told.data.get("by") or "")
    return gettext("The run was cancelled"), gettext("By %(who)s") % {"who": told.people[by]} if by else ""


def _held(told: _Told) -> tuple[str, str]:
    unknown = told.data.get("reason") == "unknown_outcome"
    detail = gettext("Nobody knows whether it took effect") if unknown else ""
    return gettext("The run is held at %(step)s") % {"step": told.step}, detail


def _undo_started(told: _Told) -> tuple[str, str]:
    attempt = told.data.get("attempt")
    again = isinstance(attempt, int) and attempt > 1
    return gettext("Undoing %(step)s") % {"step": told.step}, gettext("Try %(n)d") % {"n": attempt} if again else ""


def _undone(told: _Told) -> tuple[str, str]:
    if told.data.get("status") == "absent":
        return gettext("%(step)s: there was nothing to undo any more") % {"step": told.step}, ""
    return gettext("%(step)s is undone") % {"step": told.step}, ""


def _undo_failed(told: _Told) -> tuple[str, str]:
    return gettext("%(step)s could not be undone") % {"step": told.step}, told.message


def _skipped(told: _Told) -> tuple[str, str]:
    return gettext("%(step)s was skipped") % {"step": told.step}, ""


def _answer_ignored(told: _Told) -> tuple[str, str]:
    by = str(told.data.get("by") or "")
    who = gettext("By %(who)s") % {"who": told.people[by]} if by else ""
    return gettext("An answer to %(step)s came too late and changed nothing") % {"step": told.step}, who


def _handed_over(told: _Told) -> tuple[str, str]:
    by, to = str(told.data.get("by") or ""), str(told.data.get("to") or "")
    who = gettext("By %(who)s") % {"who": told.people[by]} if by else ""
    what = gettext("%(step)s was given to %(who)s") % {"step": told.step, "who": told.people.get(to, to)}
    return what, " · ".join(filter(None, (who, str(told.data.get("note") or ""))))


def _asked(what: str) -> Speaker:
    def speak(told: _Told) -> tuple[str, str]:
        by = str(told.data.get("by") or "")
        who = gettext("By %(who)s") % {"who": told.people[by]} if by else ""
        return gettext(what), " · ".join(filter(None, (who, str(told.data.get("note") or ""))))

    return speak


def _resume_refused(told: _Told) -> tuple[str, str]:
    return gettext("The run could not be resumed"), str(told.data.get("message") or "")


def _log(told: _Told) -> tuple[str, str]:
    return str(told.data.get("message") or ""), ""


def _recovery(told: _Told) -> tuple[str, str]:
    failures = told.data.get("failures")
    detail = ""
    if isinstance(failures, int):
        detail = ngettext("%(n)d failure so far", "%(n)d failures so far", failures) % {"n": failures}
    return gettext("It was decided how to go on after %(step)s") % {"step": told.step}, detail


def _notified(told: _Told) -> tuple[str, str]:
    tries = told.data.get("attempts")
    again = isinstance(tries, int) and tries > 1
    return gettext("%(who)s was told") % {"who": told.target}, gettext("Try %(n)d") % {"n": tries} if again else ""


def _notify_failed(told: _Told) -> tuple[str, str]:
    unknown = gettext("Nobody knows whether %(who)s was told")
    what = unknown if told.data.get("unknown") is True else gettext("%(who)s could not be told")
    return what % {"who": told.target}, str(told.data.get("message") or "")


def _notify_skipped(told: _Told) -> tuple[str, str]:
    return gettext("%(who)s would be told, but not of a test run") % {"who": told.target}, ""


_SPEAKERS: Final[Mapping[str, tuple[str, str, Speaker]]] = {
    "step_started": ("blue", "play", _started),
    "step_completed": ("green", "check", _completed),
    "step_failed": ("red", "x", _failed),
    "step_skipped": ("grey", "minus", _skipped),
    "flow_waiting": ("amber", "clock", _waits),
    "flow_resumed": ("blue", "play", _resumed),
    "flow_completed": ("green", "circle-check", _flow_completed),
    "flow_failed": ("red", "circle-x", _flow_failed),
    "flow_cancelled": ("grey", "slash", _flow_cancelled),
    "flow_held": ("orange", "pause", _held),
    "compensation_started": ("violet", "undo-2", _undo_started),
    "compensation_completed": ("violet", "check", _undone),
    "compensation_failed": ("red", "x", _undo_failed),
    "undo_completed": ("violet", "check", _undone),
    "recovery_decided": ("blue", "repeat", _recovery),
    "notified": ("green", "bell", _notified),
    "notify_failed": ("red", "bell", _notify_failed),
    "notify_skipped": ("grey", "bell", _notify_skipped),
    "answer_ignored": ("grey", "ban", _answer_ignored),
    "task_handed_over": ("amber", "forward", _handed_over),
    "resume_asked": ("blue", "play", _asked(gettext_noop("The run is resumed"))),
    "resume_refused": ("red", "x", _resume_refused),
    "abandon_asked": ("violet", "undo-2", _asked(gettext_noop("The run is given up"))),
    "log": ("grey", "info", _log),
}
