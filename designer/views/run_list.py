"""All runs, filtered and page by page."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import access, bulk, run_filters
from designer.drawings import drawing_of
from designer.http import SignedIn
from designer.paging import Keyset, as_uuid, keyset
from designer.presenters.run_rows import light, run_rows, with_gist
from designer.run_filters import COUNTED, SINCE, STATUSES, Names, RunFilters
from designer.run_query import Count, RunQuery, bounded_count
from designer.saved_views import views_for
from designer.words import look_of
from designer.workspaces import current
from engine import search
from engine.models import Instance
from flows.models import Flow, FlowVersion

PEOPLE_OFFERED: Final = 200
VERSIONS_OFFERED: Final = 100


@login_required
@require_GET
def run_list(request: SignedIn) -> HttpResponse:
    """The runs this person sees, newest first."""
    user, workspace, filters = request.user, current(request), run_filters.read(request.GET)
    query, visible = filters.query(), access.instances_for(user, workspace)
    of_any_status = query.among(visible, workspace)
    before, after = as_uuid(request.GET.get("before")), as_uuid(request.GET.get("after"))
    page = keyset(with_gist(light(of_any_status)), before=before, after=after, branches=query.branches())
    versions = _versions(filters, workspace) if access.sees_flows(user) else []
    names = Names(_flows(request), _people(request), _steps(versions, filters))
    context = {
        "rows": run_rows(page.rows),
        "page": page,
        "total": _total(page, query.by_status(of_any_status)),
        "filters": filters,
        "address": filters.address(),
        "chips": list(filters.chips(names)),
        "statuses": _status_chips(filters, of_any_status),
        "names": names,
        "versions": [version.number for version in versions],
        "since": SINCE,
        "sees_flows": access.sees_flows(user),
        "is_filtered": filters != RunFilters(),
        "is_text_too_short": bool(filters.text) and search.find(filters.text) is None,
        "bulk_actions": bulk.offered_to(user),
        "may_export": access.can_export(user),
        "views": views_for(user, workspace),
    }
    return render(request, "run_list.html", context)


def filters_in_words(request: SignedIn, filters: RunFilters) -> list[str]:
    """What is asked for, each part as its chip says it; nothing where all runs are."""
    versions = _versions(filters, current(request))
    names = Names(_flows(request), _people(request), _steps(versions, filters))
    return [str(look_of(name).word) for name in filters.statuses] + [chip.words for chip in filters.chips(names)]


def _total(page: Keyset[Instance], shown: QuerySet[Instance]) -> Count:
    """How many runs fit; nothing is asked when they are all on the page."""
    if page.newer is None and page.older is None:
        return Count(len(page.rows), more=False)
    return bounded_count(shown)


def _status_chips(filters: RunFilters, runs: QuerySet[Instance]) -> list[dict[str, Any]]:
    """Every status as a choice that can be taken up or left, with a bounded count where somebody waits for it."""
    return [
        {
            "name": name,
            "look": look_of(name),
            "is_on": name in filters.statuses,
            "toggled": filters.toggled(name),
            "count": bounded_count(RunQuery(tuple(members)).by_status(runs)) if name in COUNTED else None,
        }
        for name, members in STATUSES.items()
    ]


def _flows(request: SignedIn) -> dict[str, str]:
    """What can be chosen: the flows they see, else those of the runs they started."""
    user, workspace = request.user, current(request)
    flows = access.flows_for(user, workspace)
    if not access.sees_flows(user):
        flows = Flow.objects.filter(pk__in=access.instances_for(user, workspace).order_by().values("flow"))
    return run_filters.names_of_flows(flows.only("path", "title").order_by("title", "path"))


def _people(request: SignedIn) -> dict[str, str]:
    """Who can be chosen as the one who started them; those who see only their own runs have no choice."""
    if not access.sees_flows(request.user):
        return {}
    people = User.objects.filter(is_active=True).only("username", "first_name", "last_name").order_by("username")
    return run_filters.names_of_people(people[:PEOPLE_OFFERED])


def _versions(filters: RunFilters, workspace: str) -> list[FlowVersion]:
    """The published versions of the flow that is chosen, newest first."""
    if not filters.flow:
        return []
    versions = FlowVersion.objects.published().filter(flow__workspace__slug=workspace, flow__path=filters.flow)
    return list(versions.newest_first().only("number", "content_hash")[:VERSIONS_OFFERED])


def _steps(versions: list[FlowVersion], filters: RunFilters) -> Mapping[str, str]:
    """The names of the steps of the version that is chosen, else of the newest."""
    chosen = [version for version in versions if version.number == filters.version] or versions[:1]
    return {step.id: step.name for version in chosen for step in drawing_of(version).steps.values()}
