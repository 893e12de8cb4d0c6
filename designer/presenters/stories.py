"""What became of a run, in one sentence a person would say (design/look.md, "Words").

``what_happened`` is the first thing on a run's page, ``in_short`` its line in a list. Both are given what they may need
to know beyond the run's row, so that a page of runs costs the same few queries as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.text import get_text_list
from django.utils.translation import gettext, ngettext, pgettext

from designer import words
from engine.models import Instance
from engine.states import ACTIVE, Phase, Status, WaitKind
from flows import kinds

SHOWN = 4
"""So many names are told one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to say beyond the run's row; names, not paths and ids.

    ``step`` is where the run stands or failed, ``kind`` the kind of that step. ``undone``, ``not_undone`` and ``kept``
    are names of steps whose compensations ran, failed, and never ran.
    """

    step: str = ""
    kind: str = ""
    error: Mapping[str, Any] | None = None
    task: str = ""
    assignee: str = ""
    event_type: str = ""
    child: str = ""
    tries: int = 0
    of_tries: int = 0
    by: str = ""
    undone: Sequence[str] = ()
    not_undone: Sequence[str] = ()
    kept: Sequence[str] = ()
    is_unknown: bool = True
    """Whether a held run is held because nobody knows what a call did."""


def what_happened(run: Instance, known: Known) -> str:
    """One or two sentences; every status has its own."""
    if run.status in ACTIVE and run.phase == Phase.ROLLING_BACK:
        return _joined(_cause(known), _being_undone(known))
    if run.status in ACTIVE and run.phase == Phase.UNWINDING:
        return gettext("Being resumed. What must go in any case is undone first.")
    if run.status in ACTIVE and run.cancel_requested:
        return gettext("Being cancelled. What is out is awaited first; nothing new starts.")
    match run.status:
        case Status.PENDING:
            return gettext("Queued. It begins as soon as a worker is free.")
        case Status.RUNNING:
            return (
                gettext("%(step)s is under way.") % {"step": quoted(known.step)} if known.step else gettext("Running.")
            )
        case Status.WAITING:
            return _waits(run, known)
        case Status.HELD:
            return _held(run, known)
        case Status.COMPLETED:
            return gettext("Completed in %(time)s.") % {"time": _lasted(run)}
        case Status.STOPPED:
            return _stopped(run)
        case Status.FAILED:
            return _joined(_cause(known), _stays_done(known))
        case Status.ROLLED_BACK:
            return _joined(_cause(known) or gettext("Cancelled and rolled back."), _was_undone(known))
        case _:
            return _joined(_cancelled(known), _stays_done(known))


def in_short(run: Instance, known: Known) -> str:
    """What it waits for, or why it failed; empty where the status says it all."""
    if run.status in ACTIVE and run.phase == Phase.ROLLING_BACK:
        return gettext("Being undone")
    match run.status:
        case Status.RUNNING:
            return known.step
        case Status.WAITING:
            return _waits_in_short(run, known)
        case Status.HELD:
            return gettext("Nobody knows whether %(step)s took effect") % {"step": quoted(known.step)}
        case Status.STOPPED:
            return run.reason
        case Status.FAILED | Status.ROLLED_BACK if known.error:
            return (
                f"{known.step}: {known.error.get('message', '')}" if known.step else str(known.error.get("message", ""))
            )
    return ""


def quoted(name: str) -> str:
    """A name inside a sentence."""
    return pgettext("a name inside a sentence", "“%(name)s”") % {"name": name}


def listed(names: Sequence[str]) -> str:
    """``“A”, “B” and 3 more``."""
    shown = [quoted(name) for name in names[:SHOWN]]
    more = len(names) - len(shown)
    if more:
        shown.append(ngettext("%(n)d more", "%(n)d more", more) % {"n": more})
    return get_text_list(shown, pgettext("between the last two of a list", "and"))


def until(moment: datetime, *, now: datetime | None = None) -> str:
    """A moment in the reader's zone, as short as it can be said: ``17:00``, ``Thu 9 Jan, 17:00``."""
    local, today = timezone.localtime(moment), timezone.localtime(now)
    if abs(local - today).total_seconds() < words.MINUTE:
        return format_date(local, pgettext("date", "H:i:s"))
    if local.date() == today.date():
        return format_date(local, pgettext("date", "H:i"))
    with_year = local.year != today.year
    return format_date(local, pgettext("date", "D j M Y, H:i") if with_year else pgettext("date", "D j M, H:i"))


def ended(message: str) -> str:
    """A message as a sentence: with its full stop."""
    text = message.strip()
    return text if text.endswith((".", "!", "?", "…")) or not text else text + "."


# --- waiting -------------------------------------------------------------------------------------------------------


def _waits(run: Instance, known: Known) -> str:
    told = {"step": quoted(known.step), "due": until(run.wait_due) if run.wait_due else ""}
    match run.wait_kind:
        case WaitKind.HUMAN_TASK:
            return _waits_for_person(known, told["due"])
        case WaitKind.RETRY:
            return _joined(_cause(known), _next_try(known, told["due"]))
        case WaitKind.TIMER:
            return gettext("%(step)s: waits until %(due)s.") % told
        case WaitKind.EVENT:
            told["event"] = quoted(known.event_type)
            if run.wait_due:
                return gettext("Waits for the event %(event)s, until %(due)s.") % told
            return gettext("Waits for the event %(event)s.") % told
        case WaitKind.CHILD if known.kind == kinds.PARALLEL:
            return gettext("Waits for the branches of %(step)s.") % told
        case WaitKind.CHILD:
            return gettext("Waits for %(flow)s, a run of its own.") % {"flow": quoted(known.child or known.step)}
        case WaitKind.CHAT:
            return gettext("Waits for the next message in the chat of %(step)s.") % told
    return gettext("Waits for the answer of %(step)s.") % told


def _waits_for_person(known: Known, due: str) -> str:
    told = {"who": known.assignee, "task": quoted(known.task or known.step), "due": due}
    if due:
        return gettext("Waits for %(who)s to answer %(task)s, until %(due)s.") % told
    return gettext("Waits for %(who)s to answer %(task)s.") % told


def _next_try(known: Known, due: str) -> str:
    told = {"due": due, "n": known.tries + 1, "of": known.of_tries}
    if known.of_tries:
        return gettext("Try %(n)d of %(of)d is at %(due)s.") % told
    return gettext("The next try is at %(due)s.") % told


def _waits_in_short(run: Instance, known: Known) -> str:
    due = until(run.wait_due) if run.wait_due else ""
    match run.wait_kind:
        case WaitKind.HUMAN_TASK:
            told = {"who": known.assignee, "task": known.task or known.step, "due": due}
            if due:
                return gettext("For %(who)s until %(due)s: %(task)s") % told
            return gettext("For %(who)s: %(task)s") % told
        case WaitKind.RETRY:
            return gettext("Tries %(step)s again at %(due)s") % {"step": quoted(known.step), "due": due}
        case WaitKind.TIMER:
            return gettext("Until %(due)s: %(step)s") % {"due": due, "step": known.step}
        case WaitKind.EVENT:
            told = {"event": known.event_type, "due": due}
            return (
                gettext("For the event %(event)s until %(due)s") if due else gettext("For the event %(event)s")
            ) % told
        case WaitKind.CHILD if known.kind == kinds.PARALLEL:
            return gettext("For the branches of %(step)s") % {"step": quoted(known.step)}
        case WaitKind.CHILD:
            return gettext("For the run of %(flow)s") % {"flow": known.child or known.step}
    return known.step


# --- ends ----------------------------------------------------------------------------------------------------------


def _cause(known: Known) -> str:
    """``“Charge card” failed after 2 tries: card declined.``; empty where nothing failed."""
    if not known.error:
        return ""
    tries = int(known.error.get("attempts") or 1)
    told = {
        "step": quoted(known.step),
        "n": tries,
        "message": ended(str(known.error.get("message") or gettext("No reason was given."))),
    }
    if tries <= 1:
        return gettext("%(step)s failed: %(message)s") % told
    said = ngettext(
        "%(step)s failed after %(n)d try: %(message)s", "%(step)s failed after %(n)d tries: %(message)s", tries
    )
    return said % told


def _being_undone(known: Known) -> str:
    done, total = len(known.undone) + len(known.not_undone), len(known.undone) + len(known.not_undone) + len(known.kept)
    return gettext("What was done is being undone: %(done)d of %(total)d.") % {"done": done, "total": total}


def _was_undone(known: Known) -> str:
    parts = []
    if known.undone:
        n = len(known.undone)
        parts.append(ngettext("%(steps)s was undone.", "%(steps)s were undone.", n) % {"steps": listed(known.undone)})
    if known.not_undone:
        parts.append(gettext("%(steps)s could not be undone.") % {"steps": listed(known.not_undone)})
    return _joined(*parts)


def _stays_done(known: Known) -> str:
    if not known.kept:
        return gettext("There was nothing to undo.")
    n = len(known.kept)
    return ngettext("%(steps)s stays done.", "%(steps)s stay done.", n) % {"steps": listed(known.kept)}


def _cancelled(known: Known) -> str:
    return gettext("Cancelled by %(who)s.") % {"who": known.by} if known.by else gettext("Cancelled.")


def _stopped(run: Instance) -> str:
    if run.reason:
        return gettext("Stopped on purpose: %(reason)s") % {"reason": ended(run.reason)}
    return gettext("Stopped on purpose.")


def _held(run: Instance, known: Known) -> str:
    if not known.is_unknown:
        return _joined(
            gettext("Held at %(step)s until a person decides.") % {"step": quoted(known.step)}, ended(run.reason)
        )
    asked = gettext("Held: nobody knows whether %(step)s took effect.") % {"step": quoted(known.step)}
    return _joined(asked, ended(run.reason))


def _lasted(run: Instance) -> str:
    if run.started_at is None or run.ended_at is None:
        return words.duration(0)
    return words.duration(run.ended_at - run.started_at)


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
