"""How pages say a status, a moment and a length of time (design/look.md, "Look" and "Words")."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import formats, timezone
from django.utils.dateformat import format as format_date
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Look:
    """One status as people see it: the word, the icon's name, whether the icon is filled, the hue."""

    word: "Words | str"
    icon: str
    tone: str
    filled: bool = False


STATUSES = {
    "pending": Look(pgettext_lazy("status", "Queued"), "ellipsis", "grey"),
    "running": Look(pgettext_lazy("status", "Running"), "circle", "blue", filled=True),
    "waiting": Look(pgettext_lazy("status", "Waiting"), "clock", "amber"),
    "completed": Look(pgettext_lazy("status", "Completed"), "check", "green"),
    "failed": Look(pgettext_lazy("status", "Failed"), "x", "red"),
    "rolled_back": Look(pgettext_lazy("status", "Rolled back"), "undo-2", "violet"),
    "held": Look(pgettext_lazy("status", "Held"), "pause", "orange"),
    "stopped": Look(pgettext_lazy("status", "Stopped"), "square", "grey", filled=True),
    "cancelled": Look(pgettext_lazy("status", "Cancelled"), "slash", "grey"),
    "skipped": Look(pgettext_lazy("status", "Skipped"), "minus", "grey"),
    "not_run": Look(pgettext_lazy("status", "Not run"), "circle", "none"),
    "test": Look(pgettext_lazy("status", "Test"), "flask-conical", "accent"),
    "retrying": Look(pgettext_lazy("status", "Retrying"), "refresh-cw", "amber"),
    # how one try of a step ended
    "succeeded": Look(pgettext_lazy("status", "Succeeded"), "check", "green"),
    "timed_out": Look(pgettext_lazy("status", "Timed out"), "timer", "red"),
    "unknown": Look(pgettext_lazy("status", "Unknown"), "circle-question-mark", "orange"),
    "worker_lost": Look(pgettext_lazy("status", "Worker lost"), "circle-alert", "orange"),
    # where an undo stands
    "registered": Look(pgettext_lazy("status", "Can be undone"), "undo-2", "none"),
    "done": Look(pgettext_lazy("status", "Undone"), "undo-2", "violet"),
    "absent": Look(pgettext_lazy("status", "Nothing to undo"), "minus", "grey"),
    "withdrawn": Look(pgettext_lazy("status", "No undo needed any more"), "minus", "grey"),
    # where a task stands
    "open": Look(pgettext_lazy("status", "Open"), "hand", "amber"),
    "overdue": Look(pgettext_lazy("status", "Overdue"), "hourglass", "red"),
    "expired": Look(pgettext_lazy("status", "Expired"), "timer", "grey"),
}


def look_of(status: str) -> Look:
    """A status nobody gave a look is shown by its own name, in grey."""
    return STATUSES.get(status) or Look(status.replace("_", " ").capitalize(), "circle-dashed", "grey")


def relative(moment: datetime, now: datetime) -> str:
    """How long ago or until: words within a week, else the date. static/js/times.js says the same in an open page."""
    seconds = (moment - now).total_seconds()
    if abs(seconds) < 45:
        return gettext("just now") if seconds <= 0 else gettext("in a moment")
    if abs(seconds) >= 7 * DAY:
        return short_date(moment, now)
    return _ahead(seconds) if seconds > 0 else _ago(-seconds)


def _ago(seconds: float) -> str:
    if seconds < HOUR:
        n = max(1, round(seconds / MINUTE))
        return ngettext("%(n)d minute ago", "%(n)d minutes ago", n) % {"n": n}
    if seconds < DAY:
        n = round(seconds / HOUR)
        return ngettext("%(n)d hour ago", "%(n)d hours ago", n) % {"n": n}
    n = round(seconds / DAY)
    return ngettext("%(n)d day ago", "%(n)d days ago", n) % {"n": n}


def _ahead(seconds: float) -> str:
    if seconds < HOUR:
        n = max(1, round(seconds / MINUTE))
        return ngettext("in %(n)d minute", "in %(n)d minutes", n) % {"n": n}
    if seconds < DAY:
        n = round(seconds / HOUR)
        return ngettext("in %(n)d hour", "in %(n)d hours", n) % {"n": n}
    n = round(seconds / DAY)
    return ngettext("in %(n)d day", "in %(n)d days", n) % {"n": n}


def short_date(moment: datetime, now: datetime) -> str:
    local = timezone.localtime(moment)
    same_year = local.year == timezone.localtime(now).year
    return format_date(local, pgettext("date", "j M") if same_year else pgettext("date", "j M Y"))


def exact(moment: datetime) -> str:
    """The moment in the reader's zone, for example "Mon 7 Jan 2030, 10:00 (your time)"."""
    local = timezone.localtime(moment)
    words = format_date(local, pgettext("date", "D j M Y, H:i"))
    zone = timezone.get_current_timezone_name()
    return f"{words} UTC" if zone == "UTC" else gettext("%(moment)s (your time)") % {"moment": words}


def duration(length: float | timedelta) -> str:
    """A length of time (seconds, or a timedelta) in at most two units: "40 ms", "3.2 s", "4 min 10 s", "2 days"."""
    seconds = length.total_seconds() if isinstance(length, timedelta) else float(length)
    if seconds < 0:
        return "−" + duration(-seconds)
    if seconds < 0.1:
        return gettext("%(n)s ms") % {"n": round(seconds * 1000)}
    if seconds < 9.95:
        return gettext("%(n)s s") % {"n": formats.number_format(round(seconds, 1))}
    return " ".join(_units(round(seconds)))


def _units(seconds: int) -> list[str]:
    """The largest unit and the next one, unless that is zero."""
    days, hours, minutes = seconds // DAY, seconds % DAY // HOUR, seconds % HOUR // MINUTE
    spoken = [
        (days, ngettext("%(n)d day", "%(n)d days", days)),
        (hours, gettext("%(n)d h")),
        (minutes, gettext("%(n)d min")),
        (seconds % MINUTE, gettext("%(n)d s")),
    ]
    first = next((place for place, (n, _) in enumerate(spoken) if n), len(spoken) - 1)
    return [text % {"n": n} for n, text in spoken[first : first + 2] if n]


def aware(moment: datetime) -> datetime:
    """A moment without a zone is taken as UTC, as the engine stores it."""
    return moment if timezone.is_aware(moment) else moment.replace(tzinfo=UTC)
