"""Two versions of a flow on one diagram."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import access
from designer.http import SignedIn
from designer.presenters.comparison import choices_of, comparison, sides_of
from designer.workspaces import current
from flows.text import DocumentError


@login_required
@require_GET
def compare_versions(request: SignedIn, path: str) -> HttpResponse:
    """What ``?before=`` and ``?after=`` differ in; each is ``draft`` or the number of a published version."""
    flow = access.get_flow_for(request.user, current(request), path)
    sides = sides_of(flow, request.GET.get("before", ""), request.GET.get("after", ""))
    context: dict[str, Any] = {"flow": flow, "sides": sides, "choices": choices_of(flow)}
    if sides:
        try:
            context["comparison"] = comparison(flow, *sides)
        except DocumentError as error:
            context["problem"] = error.message
    return render(request, "flow_compare.html", context)
