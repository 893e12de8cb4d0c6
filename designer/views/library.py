"""The library: what flows may call, and whom they may tell, in words."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from designer import access
from designer.http import SignedIn
from designer.presenters.manifests import function_card, target_card, used_by
from designer.workspaces import current
from flows.models import Agent, LibraryFunction, NotificationTarget


@login_required
@require_GET
def library(request: SignedIn) -> HttpResponse:
    """Functions, agents and notification targets, with a search over path, name and title."""
    _check(request)
    text = request.GET.get("q", "").strip()
    wanted = Q(path__icontains=text) | Q(title__icontains=text)
    named = Q(name__icontains=text) | Q(description__icontains=text)
    functions = LibraryFunction.objects.filter(wanted).select_related("httpfunction")
    flows = used_by(current(request))
    return render(
        request,
        "library.html",
        {
            "functions": [function_card(each, flows) for each in functions],
            "agents": Agent.objects.filter(wanted),
            "targets": [target_card(each, flows) for each in NotificationTarget.objects.filter(named)],
            "text": text,
            "is_administrator": access.is_administrator(request.user),
        },
    )


@login_required
@require_GET
def function(request: SignedIn) -> HttpResponse:
    """One function: its manifest in words, what it sends if it is an HTTP function, its schemas, and the flows that call it."""
    _check(request)
    known = LibraryFunction.objects.select_related("httpfunction")
    found = get_object_or_404(known, path=request.GET.get("path", ""))
    context = {
        "card": function_card(found, used_by(current(request))),
        "function": found,
        "is_administrator": access.is_administrator(request.user),
    }
    return render(request, "library_function.html", context)


def _check(request: SignedIn) -> None:
    if not access.sees_flows(request.user):
        raise PermissionDenied("The library is for those who see flows.")
