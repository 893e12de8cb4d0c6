"""All runs, filtered and page by page."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import access, run_filters
from designer.http import SignedIn
from designer.paging import as_uuid, keyset
from designer.presenters.run_rows import COLUMNS_LEFT_OUT, run_rows, with_gist
from designer.run_filters import COUNTED, SINCE, STATUSES, RunFilters
from designer.words import look_of
from designer.workspaces import current
from flows.models import Flow

PEOPLE_OFFERED = 200


@login_required
@require_GET
def run_list(request: SignedIn) -> HttpResponse:
    """The runs this person sees, newest first."""
    filters = run_filters.read(request.GET.dict())
    visible = access.instances_for(request.user, current(request))
    before, after = as_uuid(request.GET.get("before")), as_uuid(request.GET.get("after"))
    light = visible.filter(filters.question()).select_related("flow", "version", "started_by").defer(*_HEAVY)
    page = keyset(with_gist(light), before=before, after=after)
    flows, people = _flows(request), _people(request)
    context = {
        "rows": run_rows(page.rows),
        "page": page,
        "filters": filters,
        "chips": list(filters.chips(flows, people)),
        "statuses": _status_chips(filters, request),
        "flows": flows,
        "people": people,
        "since": SINCE,
        "sees_flows": access.sees_flows(request.user),
        "is_filtered": bool(filters != RunFilters()),
    }
    return render(request, "run_list.html", context)


_HEAVY = (
    *COLUMNS_LEFT_OUT,
    "flow__draft",
    "flow__description",
    "version__source",
    "version__definition",
    "version__graph",
    "version__note",
)


def _status_chips(filters: RunFilters, request: SignedIn) -> list[dict[str, Any]]:
    """Every status as a choice, with its count where that is cheap."""
    open_ones = [status for name in COUNTED for status in STATUSES[name]]
    visible = access.instances_for(request.user, current(request)).filter(filters.question(status=False))
    counted = visible.filter(status__in=open_ones).order_by().values_list("status").annotate(Count("pk"))
    counts: Mapping[str, int] = dict(counted)
    return [
        {
            "name": name,
            "look": look_of(name),
            "is_on": filters.status == name,
            "count": sum(counts.get(status, 0) for status in members) if name in COUNTED else None,
        }
        for name, members in STATUSES.items()
    ]


def _flows(request: SignedIn) -> dict[str, str]:
    """What can be chosen: the flows they see, else those of the runs they started."""
    user, workspace = request.user, current(request)
    flows = access.flows_for(user, workspace)
    if not access.sees_flows(user):
        flows = Flow.objects.filter(pk__in=access.instances_for(user, workspace).order_by().values("flow"))
    return run_filters.names_of_flows(list(flows.only("path", "title").order_by("title", "path")))


def _people(request: SignedIn) -> dict[str, str]:
    """Who can be chosen as the one who started them; those who see only their own runs have no choice."""
    if not access.sees_flows(request.user):
        return {}
    people = User.objects.filter(is_active=True).only("username", "first_name", "last_name").order_by("username")
    return run_filters.names_of_people(list(people[:PEOPLE_OFFERED]))
