"""The filters of the list of runs, as its address carries them: as a question, and as chips that take one away."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

from designer.people import name_of
from designer.run_query import RunQuery
from engine.states import Status
from flows.models import Flow

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

STATUSES: Final[Mapping[str, tuple[Status, ...]]] = {
    "running": (Status.PENDING, Status.RUNNING),
    "waiting": (Status.WAITING,),
    "held": (Status.HELD,),
    "failed": (Status.FAILED,),
    "rolled_back": (Status.ROLLED_BACK,),
    "completed": (Status.COMPLETED,),
    "stopped": (Status.STOPPED,),
    "cancelled": (Status.CANCELLED,),
}
COUNTED: Final = ("running", "waiting", "held")
"""Statuses with something to do for somebody: their chips say how many there are."""

SINCE: Final[Mapping[str, "Words"]] = {
    "today": pgettext_lazy("runs started", "Today"),
    "7d": pgettext_lazy("runs started", "Last 7 days"),
    "30d": pgettext_lazy("runs started", "Last 30 days"),
}
_DAYS: Final = {"7d": 7, "30d": 30}


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is on: what it says, and the name of its part of the address."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Names:
    """What people call flows, persons and steps, by what the address calls them."""

    flows: Mapping[str, str]
    people: Mapping[str, str]
    steps: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RunFilters:
    """What is asked for; everything unknown was left out. ``by`` is somebody's user name, ``step`` where runs failed."""

    statuses: tuple[str, ...] = ()
    flow: str = ""
    version: int | None = None
    step: str = ""
    by: str = ""
    since: str = ""
    first_day: date | None = None
    last_day: date | None = None
    text: str = ""
    kind: str = ""
    with_children: bool = False

    def query(self) -> RunQuery:
        """The question; days are the reader's, and the last one belongs to it."""
        begins = [moment for moment in (_since(self.since), _midnight(self.first_day)) if moment]
        return RunQuery(
            statuses=tuple(status.value for name in self.statuses for status in STATUSES[name]),
            flow=self.flow,
            version=self.version,
            by=self.by,
            since=max(begins, default=None),
            until=_midnight(self.last_day + timedelta(days=1)) if self.last_day else None,
            failed_step=self.step,
            text=self.text,
            is_test=self.kind == "test" if self.kind else None,
            with_children=self.with_children,
        )

    def address(self) -> str:
        """As the query string that reads as these filters; what was typed in vain is gone."""
        query = QueryDict(mutable=True)
        query.setlist("status", list(self.statuses))
        for name, value in self._parts():
            query[name] = value
        return query.urlencode()

    def _parts(self) -> Iterator[tuple[str, str]]:
        parts: dict[str, object] = {
            "flow": self.flow,
            "version": self.version,
            "step": self.step,
            "by": self.by,
            "since": self.since,
            "from": self.first_day,
            "to": self.last_day,
            "kind": self.kind,
            "children": "1" if self.with_children else "",
            "q": self.text,
        }
        yield from ((name, str(value)) for name, value in parts.items() if value)

    def chips(self, names: Names) -> Iterator[Chip]:
        """Those that are on; the statuses have chips of their own."""
        words = {
            "flow": names.flows.get(self.flow, self.flow),
            "version": _("Version %(n)s") % {"n": self.version},
            "step": _("Failed at %(step)s") % {"step": names.steps.get(self.step, self.step)},
            "by": _("Started by %(who)s") % {"who": names.people.get(self.by, self.by)},
            "since": str(SINCE.get(self.since, "")),
            "from": _("From %(day)s") % {"day": _day(self.first_day)},
            "to": _("Until %(day)s") % {"day": _day(self.last_day)},
            "kind": _("Test runs") if self.kind == "test" else _("Real runs"),
            "children": _("With child runs"),
            "q": _("“%(text)s”") % {"text": self.text},
        }
        yield from (Chip(name, words[name]) for name, value in self._parts())

    def toggled(self, status: str) -> list[str]:
        """The statuses with that one taken away, or with it, in the order of the chips."""
        return [name for name in STATUSES if (name in self.statuses) != (name == status)]


def read(asked: QueryDict) -> RunFilters:
    """The filters in a query string."""
    since, kind, statuses = asked.get("since", ""), asked.get("kind", ""), asked.getlist("status")
    flow = _clean(asked.get("flow", ""))
    return RunFilters(
        statuses=tuple(name for name in STATUSES if name in statuses),
        flow=flow,
        version=_number(asked.get("version", "")) if flow else None,
        step=_clean(asked.get("step", "")),
        by=_clean(asked.get("by", "")),
        since=since if since in SINCE else "",
        first_day=_as_day(asked.get("from", "")),
        last_day=_as_day(asked.get("to", "")),
        text=_clean(asked.get("q", "")),
        kind=kind if kind in ("real", "test") else "",
        with_children=asked.get("children") == "1",
    )


def names_of_flows(flows: Iterable[Flow]) -> dict[str, str]:
    return {flow.path: str(flow) for flow in flows}


def names_of_people(people: Iterable[User]) -> dict[str, str]:
    return {person.get_username(): name_of(person) for person in people}


def _clean(text: str) -> str:
    return text.replace("\x00", "").strip()[:200]  # PostgreSQL cannot even be asked for a NUL


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _as_day(text: str) -> date | None:
    """A day as a date field sends it; years that no run can be of are a slip."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1970 < day.year < 9999 else None


def _day(day: date | None) -> str:
    return format_date(day, pgettext("date", "j M Y")) if day else ""


def _midnight(day: date | None) -> datetime | None:
    return timezone.make_aware(datetime.combine(day, time.min)) if day else None


def _since(name: str) -> datetime | None:
    if name == "today":
        return _midnight(timezone.localdate())
    return timezone.now() - timedelta(days=_DAYS[name]) if name else None
