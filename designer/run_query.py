"""Which runs are asked for: one question for the list of runs, its counts, its exports and the API.

Every part of it ends at an index in the order of ids (engine/models.py, docs/decisions/0009-finding-runs.md). Names are
looked up first, so that the database knows how rare the rows are that it is asked for.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast, Right

from designer.paging import as_uuid, first_id_at
from engine import search
from engine.models import Instance
from flows.models import Flow, FlowVersion

COUNTED_UP_TO: Final = 1000
"""Counts end here: a person reads "1,000+" as quickly, and no list costs a look at every run."""
_END_OF_ID: Final = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class RunQuery:
    """What is asked for; what is empty is not.

    ``flow`` is a path, ``by`` a user name, ``until`` the first moment that is too late.
    ``version`` is a number of ``flow``'s and means nothing without it.
    """

    statuses: tuple[str, ...] = ()
    flow: str = ""
    version: int | None = None
    by: str = ""
    since: datetime | None = None
    until: datetime | None = None
    failed_step: str = ""
    text: str = ""
    is_test: bool | None = None
    with_children: bool = False

    def among(self, runs: QuerySet[Instance], workspace: str) -> QuerySet[Instance]:
        """Those of ``runs`` that fit, whatever their status. A flow, version, person or text costs a query by its key."""
        wanted = self._times() & self._place(workspace)
        if not self.with_children:
            wanted &= Q(parent=None)
        if self.by:
            wanted &= Q(started_by=User.objects.filter(username=self.by).values_list("pk", flat=True).first() or 0)
        if self.failed_step:
            wanted &= Q(failed_node=self.failed_step)
        if self.is_test is not None:
            wanted &= Q(is_test=self.is_test)
        return runs.filter(wanted & _named(self.text) if self.text else wanted)

    def branches(self) -> list[Q]:
        """The statuses asked for as conditions of which each run fits one; none for all."""
        return [Q(status=status) for status in self.statuses]

    def by_status(self, runs: QuerySet[Instance]) -> QuerySet[Instance]:
        """Those of ``runs`` that are in one of the statuses asked for."""
        return runs.filter(status__in=self.statuses) if self.statuses else runs

    def _times(self) -> Q:
        wanted = Q()
        if self.since is not None:
            wanted &= Q(pk__gte=first_id_at(self.since))
        if self.until is not None:
            wanted &= Q(pk__lt=first_id_at(self.until))
        return wanted

    def _place(self, workspace: str) -> Q:
        if not self.flow:
            return Q()
        if self.version is None:
            flow = Flow.objects.filter(workspace__slug=workspace, path=self.flow).values_list("pk", flat=True).first()
            return Q(flow=flow or 0)
        versions = FlowVersion.objects.filter(flow__workspace__slug=workspace, flow__path=self.flow)
        version = versions.filter(number=self.version).order_by().values_list("pk", flat=True).first()
        return Q(version=version or 0)


def _named(text: str) -> Q:
    """Runs that a text may mean: an id, the end of one as lists show it, or the beginning of a value of the input."""
    whole, end = as_uuid(text), text.lower()
    if whole is not None:
        return Q(pk=whole)
    found = search.find(text)
    if found is None:
        return Q(pk__in=search.equal_to(text))
    if _END_OF_ID.fullmatch(end):
        ids = Instance.objects.alias(end=Right(Cast("id", TextField()), 8)).filter(end=end).order_by()
        found |= set(ids.values_list("pk", flat=True)[: search.FOUND_AT_MOST])
    return Q(pk__in=found)


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are; ``more``: at least that many."""

    number: int
    more: bool


def bounded_count(runs: QuerySet[Instance]) -> Count:
    """Count to a bound and no further."""
    found = runs.order_by().values("pk")[: COUNTED_UP_TO + 1].count()
    return Count(min(found, COUNTED_UP_TO), found > COUNTED_UP_TO)
