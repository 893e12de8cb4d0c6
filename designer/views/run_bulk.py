"""One action for several runs: a page that says what will happen to which of them, then the deed."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from designer import access, bulk, run_filters
from designer.http import SignedIn
from designer.paging import as_uuid
from designer.presenters.run_rows import light, run_rows, with_gist
from designer.toasts import toast
from designer.workspaces import current
from engine.models import Instance


@login_required
@require_http_methods(["GET", "POST"])
def run_bulk(request: SignedIn) -> HttpResponse:
    """Asked for: what will be done to the runs in ``run``. Posted: it is done. ``back`` is the list's query string."""
    asked = request.POST if request.method == "POST" else request.GET
    action = bulk.ACTIONS.get(asked.get("action", ""))
    if action is None:
        raise Http404("There is no such action for runs.")
    if not action.is_offered_to(request.user):
        raise PermissionDenied("You may not do this to runs.")
    runs = _chosen(request, asked)
    address = run_filters.read(QueryDict(asked.get("back", ""))).address()
    back = f"{reverse('run-list')}?{address}"
    if not runs:
        toast(request, _("No run was chosen, so nothing was changed."), level=messages.INFO)
        return redirect(back)
    found = bulk.sort_out(action, request.user, runs)
    if request.method == "POST":
        done = bulk.carry_out(action, request.user, found.fit)
        _tell(request, action, done, len(runs) - done)
        return redirect(back)
    context = {
        "action": action,
        "question": action.question(len(found.fit)),
        "verb": action.verb(len(found.fit)),
        "rows": run_rows(found.fit),
        "refused": [
            (row, why) for row, (_run, why) in zip(run_rows([r for r, _ in found.refused]), found.refused, strict=True)
        ],
        "back": back,
        "address": address,
        "is_test": all(run.is_test for run in found.fit) and bool(found.fit),
    }
    return render(request, "run_bulk.html", context)


def _chosen(request: SignedIn, asked: QueryDict) -> Sequence[Instance]:
    """The runs in the address that this person sees, newest first; what is no id or too much is left out."""
    ids: list[UUID] = [run_id for text in asked.getlist("run")[: bulk.MOST] if (run_id := as_uuid(text))]
    visible = access.instances_for(request.user, current(request)).filter(pk__in=ids)
    return list(with_gist(light(visible).select_related("root")).order_by("-pk"))


def _tell(request: SignedIn, action: bulk.BulkAction, done: int, left: int) -> None:
    if done:
        toast(request, action.done(done))
    if left:
        stayed = ngettext("%(n)d run stayed as it is.", "%(n)d runs stayed as they are.", left) % {"n": left}
        toast(request, stayed, level=messages.INFO)
