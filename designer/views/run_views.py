"""The saved views of the list of runs: kept, looked through, deleted."""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from designer import access, run_filters, saved_views
from designer.http import SignedIn
from designer.toasts import toast
from designer.workspaces import current

NAME_LENGTH: Final = 80


@login_required
@require_http_methods(["GET", "POST"])
def run_views(request: SignedIn) -> HttpResponse:
    """All views they may use, and a form that saves the filters in the address (or, posted, in ``query``)."""
    if request.method == "POST":
        return _save(request)
    context = {
        "views": saved_views.views_for(request.user, current(request)),
        "address": run_filters.read(request.GET).address(),
        "may_share": access.can_share_views(request.user),
        "is_administrator": access.is_administrator(request.user),
    }
    return render(request, "run_views.html", context)


def _save(request: SignedIn) -> HttpResponse:
    name = " ".join(request.POST.get("name", "").replace("\x00", "").split())[:NAME_LENGTH]
    query = request.POST.get("query", "")
    is_shared = request.POST.get("shared") == "yes" and access.can_share_views(request.user)
    back = f"{reverse('run-list')}?{run_filters.read(QueryDict(query)).address()}"
    if not name:
        toast(request, _("Nothing was saved: give the view a name."), level=messages.ERROR)
        return redirect(back)
    try:
        saved_views.save(request.user, current(request), name=name, query=query, is_shared=is_shared)
    except saved_views.TooManyViews:
        words = _("Nothing was saved: you have %(n)d views. Delete one you no longer need.") % {"n": saved_views.MOST}
        toast(request, words, level=messages.ERROR)
        return redirect("run-views")
    toast(request, _("The view “%(name)s” is saved.") % {"name": name})
    return redirect(back)


@login_required
@require_POST
def delete_run_view(request: SignedIn, view_id: int) -> HttpResponse:
    """Delete a view; the runs it shows stay as they are."""
    view = access.saved_view_for(request.user, current(request), view_id)
    view.delete()
    toast(request, _("The view “%(name)s” is deleted.") % {"name": view.name})
    return redirect("run-views")
