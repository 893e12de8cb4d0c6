"""The filters of the list of runs, as its address carries them: what is asked for, and as chips that take one away."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from designer.paging import as_uuid, first_id_at
from designer.people import name_of
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
"""Statuses that few runs have at a time: these are counted for their chips, the others would cost a look at every run."""

SINCE: Final[Mapping[str, "Words"]] = {
    "today": pgettext_lazy("runs started", "Today"),
    "7d": pgettext_lazy("runs started", "Last 7 days"),
    "30d": pgettext_lazy("runs started", "Last 30 days"),
}
_DAYS: Final = {"7d": 7, "30d": 30}
_PART_OF_ID: Final = re.compile(r"[0-9a-f]{4,32}")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is on: what it says, and the name of its part of the address."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class RunFilters:
    """What is asked for; everything unknown was left out. ``by`` is somebody's user name."""

    status: str = ""
    flow: str = ""
    by: str = ""
    since: str = ""
    text: str = ""
    kind: str = ""
    with_children: bool = False

    def question(self, *, status: bool = True) -> Q:
        """As a condition on runs; without ``status`` for counting the statuses."""
        wanted = Q() if self.with_children else Q(parent=None)
        if status and self.status:
            wanted &= Q(status__in=STATUSES[self.status])
        if self.flow:
            wanted &= Q(flow__path=self.flow)
        if self.by:
            wanted &= Q(started_by__username=self.by)
        if self.since:
            wanted &= Q(pk__gte=_since(self.since))
        if self.kind:
            wanted &= Q(is_test=self.kind == "test")
        return wanted & _names(self.text) if self.text else wanted

    def chips(self, flows: Mapping[str, str], people: Mapping[str, str]) -> Iterator[Chip]:
        """Those that are on, with the names of flows and people in place of paths."""
        if self.flow:
            yield Chip("flow", flows.get(self.flow, self.flow))
        if self.by:
            yield Chip("by", _("Started by %(who)s") % {"who": people.get(self.by, self.by)})
        if self.since:
            yield Chip("since", str(SINCE[self.since]))
        if self.kind:
            yield Chip("kind", _("Test runs") if self.kind == "test" else _("Real runs"))
        if self.with_children:
            yield Chip("children", _("With child runs"))
        if self.text:
            yield Chip("q", _("“%(text)s”") % {"text": self.text})


def read(asked: Mapping[str, str]) -> RunFilters:
    """The filters in a query string."""
    status, since, kind = asked.get("status", ""), asked.get("since", ""), asked.get("kind", "")
    return RunFilters(
        status=status if status in STATUSES else "",
        flow=_clean(asked.get("flow", "")),
        by=_clean(asked.get("by", "")),
        since=since if since in SINCE else "",
        text=_clean(asked.get("q", "")),
        kind=kind if kind in ("real", "test") else "",
        with_children=asked.get("children") == "1",
    )


def names_of_flows(flows: list[Flow]) -> dict[str, str]:
    return {flow.path: str(flow) for flow in flows}


def names_of_people(people: list[User]) -> dict[str, str]:
    return {person.get_username(): name_of(person) for person in people}


def _clean(text: str) -> str:
    return text.replace("\x00", "").strip()[:200]  # PostgreSQL cannot even be asked for a NUL


def _since(name: str) -> UUID:
    now = timezone.localtime()
    if name == "today":
        return first_id_at(now.replace(hour=0, minute=0, second=0, microsecond=0))
    return first_id_at(now - timedelta(days=_DAYS[name]))


def _names(text: str) -> Q:
    """Runs that a text may mean: an id or the end of one as lists show it, else the name of their flow."""
    whole, compact = as_uuid(text), text.lower().replace("-", "")
    named = Q(flow__title__icontains=text) | Q(flow__path__icontains=text)
    if whole is not None:
        return Q(pk=whole)
    return named | Q(pk__endswith=compact) if _PART_OF_ID.fullmatch(compact) and len(compact) <= 12 else named
