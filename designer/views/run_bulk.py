"""One action for several runs: a page that says what will happen to which of them, then the deed.

Those chosen one by one are done at once. All that fit the list's filters are handed to the workers (designer/bulk_errands.py),
and a page shows how far they are.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import access, bulk, bulk_errands, run_filters
from designer.http import SignedIn
from designer.paging import as_uuid, keyset
from designer.presenters.run_rows import light, run_rows, with_gist
from designer.run_filters import RunFilters
from designer.run_query import bounded_count
from designer.toasts import toast
from designer.views.run_list import filters_in_words
from designer.workspaces import current
from engine.models import Errand, Instance

SHOWN: Final = 10
"""Of all that fit, so many are shown before they are touched."""


@login_required
@require_http_methods(["GET", "POST"])
def run_bulk(request: SignedIn) -> HttpResponse:
    """Asked for: what will be done to the runs in ``run``, or with ``all`` to those that fit the list's query string ``back``.
    Posted: it is done, or begun."""
    asked = request.POST if request.method == "POST" else request.GET
    action = bulk.ACTIONS.get(asked.get("action", ""))
    if action is None:
        raise Http404("There is no such action for runs.")
    if not action.is_offered_to(request.user):
        raise PermissionDenied("You may not do this to runs.")
    filters = run_filters.read(QueryDict(asked.get("back", "")))
    return (_everything if asked.get("all") == "1" else _some)(request, asked, action, filters)


def _some(request: SignedIn, asked: QueryDict, action: bulk.BulkAction, filters: RunFilters) -> HttpResponse:
    runs = _chosen(request, asked)
    back = f"{reverse('run-list')}?{filters.address()}"
    if not runs:
        toast(request, _("No run was chosen, so nothing was changed."), level=messages.INFO)
        return redirect(back)
    if request.method == "POST":
        done = bulk.carry_out(action, request.user, runs)
        _tell(request, action, done, len(runs) - done)
        return redirect(back)
    found = bulk.sort_out(action, request.user, runs)
    context = {
        "action": action,
        "question": action.words("question", len(found.fit)),
        "verb": action.words("verb", len(found.fit)),
        "rows": run_rows(found.fit),
        "refused": [
            (row, why) for row, (_run, why) in zip(run_rows([r for r, _ in found.refused]), found.refused, strict=True)
        ],
        "back": back,
        "address": filters.address(),
        "is_test": all(run.is_test for run in found.fit) and bool(found.fit),
    }
    return render(request, "run_bulk.html", context)


def _everything(request: SignedIn, asked: QueryDict, action: bulk.BulkAction, filters: RunFilters) -> HttpResponse:
    workspace, query = current(request), filters.query()
    fit = query.among(access.instances_for(request.user, workspace), workspace)
    counted = bounded_count(query.by_status(fit))
    back = f"{reverse('run-list')}?{filters.address()}"
    if not counted.number:
        toast(request, _("No run fits these filters any more, so nothing was changed."), level=messages.INFO)
        return redirect(back)
    if request.method == "POST":
        filtered = bulk_errands.Filtered(query, filters.address(), tuple(filters_in_words(request, filters)), counted)
        return redirect("bulk-errand", bulk_errands.ask(request.user, workspace, action, filtered))
    page = keyset(with_gist(light(fit)), size=SHOWN, branches=query.branches())
    context = {
        "action": action,
        "counted": counted,
        "filters": filters_in_words(request, filters),
        "rows": run_rows(page.rows),
        "has_more": page.older is not None,
        "back": back,
        "address": filters.address(),
    }
    return render(request, "run_bulk_all.html", context)


@login_required
@require_GET
def bulk_errand_list(request: SignedIn) -> HttpResponse:
    """What this person had done to all runs that fit a filter, newest first."""
    found = [_shown(errand) for errand in bulk_errands.list_for(request.user)]
    return render(request, "bulk_errand_list.html", {"errands": found})


@login_required
@require_GET
def bulk_errand(request: SignedIn, errand_id: UUID) -> HttpResponse:
    """How far one is, and in the end what came of it."""
    return render(request, "bulk_errand.html", _shown(bulk_errands.get_for(request.user, errand_id)))


@login_required
@require_GET
def bulk_errand_body(request: SignedIn, errand_id: UUID) -> HttpResponse:
    """The part of its page that changes."""
    return render(request, "_bulk_errand.html", _shown(bulk_errands.get_for(request.user, errand_id)))


@login_required
@require_POST
def stop_bulk_errand(request: SignedIn, errand_id: UUID) -> HttpResponse:
    """Touch no further run."""
    errand = bulk_errands.get_for(request.user, errand_id)
    if bulk_errands.stop(errand.id):
        toast(request, _("Stopped. What was done stays done."))
    else:
        toast(request, _("It had ended already."), level=messages.INFO)
    return redirect("bulk-errand", errand_id)


def _shown(errand: Errand) -> dict[str, Any]:
    progress = bulk_errands.from_json(errand.state)
    action = bulk.ACTIONS[progress.action]
    return {
        "errand": errand,
        "progress": progress,
        "action": action,
        "done_words": action.words("done", progress.done),
        "by": User.objects.filter(pk=progress.user).first(),
    }


def _chosen(request: SignedIn, asked: QueryDict) -> Sequence[Instance]:
    """The runs in the address that this person sees, newest first; what is no id or too much is left out."""
    ids: list[UUID] = [run_id for text in asked.getlist("run")[: bulk.MOST] if (run_id := as_uuid(text))]
    visible = access.instances_for(request.user, current(request)).filter(pk__in=ids)
    return list(with_gist(light(visible).select_related("root")).order_by("-pk"))


def _tell(request: SignedIn, action: bulk.BulkAction, done: int, left: int) -> None:
    if done:
        toast(request, action.words("done", done))
    if left:
        stayed = ngettext("%(n)d run stayed as it is.", "%(n)d runs stayed as they are.", left) % {"n": left}
        toast(request, stayed, level=messages.INFO)
