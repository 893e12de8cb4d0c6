"""Flows as rows of their list: the same few queries, however many rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from designer.paging import first_id_at
from engine.models import Instance
from engine.states import Status
from flows.models import Flow, FlowVersion
from flows.publishing import findings_of
from flows.text import DocumentError

FAILING = (Status.FAILED, Status.ROLLED_BACK, Status.HELD)
FAILING_SINCE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One flow. ``number`` is its newest version's, ``None`` before the first; ``problems`` counts the draft's errors.

    ``runs`` and ``failing`` count the runs of the last seven days, ``today`` those of today.
    """

    flow: Flow
    number: int | None
    is_draft_newer: bool
    problems: int
    today: int
    runs: int
    failing: int
    last: Instance | None


def with_state(flows: QuerySet[Flow]) -> QuerySet[Flow]:
    """The flows with what a row says of their versions and their newest run; the row itself costs no query."""
    versions = FlowVersion.objects.published().filter(flow=OuterRef("pk")).newest_first()
    runs = Instance.objects.filter(flow=OuterRef("pk"), parent=None).order_by("-pk")
    return flows.annotate(
        newest_number=Subquery(versions.values("number")[:1]),
        newest_source=Subquery(versions.values("source")[:1]),
        last_run=Subquery(runs.values("pk")[:1]),
    ).select_related("changed_by", "workspace")


def flow_rows(flows: Sequence[Flow]) -> list[FlowRow]:
    """Rows for flows that came :func:`with_state`. Two queries, and the doctor's look at drafts it has not seen yet."""
    facts: list[Any] = [(flow, getattr(flow, "newest_number", None), getattr(flow, "last_run", None)) for flow in flows]
    last_runs = Instance.objects.only("status", "created_at", "started_at").in_bulk([run for _, _, run in facts if run])
    counts = _counts([flow.pk for flow in flows])
    return [
        FlowRow(
            flow=flow,
            number=number,
            is_draft_newer=number is not None and flow.draft != getattr(flow, "newest_source", None),
            problems=errors_in(flow.pk, flow.revision, flow.changed_at),
            last=last_runs.get(last_run),
            **counts.get(flow.pk, {"today": 0, "runs": 0, "failing": 0}),
        )
        for flow, number, last_run in facts
    ]


def _counts(flow_ids: Sequence[int]) -> Mapping[int, dict[str, int]]:
    """Real runs started by somebody or something, not by other runs."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    recent = Instance.objects.filter(flow__in=flow_ids, parent=None, is_test=False).order_by()
    counted = (
        recent.filter(pk__gte=first_id_at(timezone.now() - FAILING_SINCE))
        .values(of=F("flow"))
        .annotate(
            runs=Count("pk"),
            failing=Count("pk", filter=Q(status__in=FAILING)),
            today=Count("pk", filter=Q(pk__gte=first_id_at(midnight))),
        )
    )
    return {row["of"]: {name: row[name] for name in ("today", "runs", "failing")} for row in counted}


@lru_cache(maxsize=1024)
def errors_in(flow_id: int, revision: int, changed_at: datetime) -> int:
    """How many errors the doctor finds in a flow's draft; a draft that was not saved since is not looked at twice."""
    try:
        return sum(1 for finding in findings_of(Flow.objects.get(pk=flow_id)) if finding.is_error)
    except DocumentError:
        return 1
