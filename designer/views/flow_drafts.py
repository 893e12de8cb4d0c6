"""Changing a flow: its draft, what is published of it, and whether it may be started."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from designer import access
from designer.http import SignedIn
from designer.presenters.flow_page import flow_page
from designer.toasts import toast
from designer.workspaces import current
from flows.errors import DefinitionRejected, RevisionConflict
from flows.models import Flow
from flows.publishing import publish, save_draft
from flows.text import DocumentError


@login_required
@require_POST
def draft(request: SignedIn, path: str) -> HttpResponse:
    """Save the text as the flow's draft; with ``check`` only show what the doctor finds in it."""
    flow = access.get_rw_flow_for(request.user, current(request), path)
    text = request.POST.get("text", "").replace("\r\n", "\n")
    if "check" in request.POST:
        return render(request, "flow.html", flow_page(flow, request, tab="yaml", sent=text))
    try:
        save_draft(flow, text, revision=_revision(request), by=request.user)
    except DocumentError:
        return render(request, "flow.html", flow_page(flow, request, tab="yaml", sent=text), status=400)
    except RevisionConflict:
        context = flow_page(flow, request, tab="yaml", sent=text)
        return render(request, "flow.html", {**context, "is_conflict": True}, status=409)
    toast(request, _("The draft of %(flow)s is saved.") % {"flow": flow})
    return _back(flow, "yaml")


def _revision(request: SignedIn) -> int:
    sent = request.POST.get("revision", "")
    return int(sent) if sent.isdecimal() and len(sent) < 10 else 0


@login_required
@require_POST
def publish_draft(request: SignedIn, path: str) -> HttpResponse:
    """Publish the draft at the revision that was looked at. Safe to repeat: the same text is not published twice."""
    flow = access.get_publishable_flow_for(request.user, current(request), path)
    before = flow.versions.published().count()
    try:
        if flow.revision != _revision(request):
            raise RevisionConflict(flow.revision)
        version = publish(flow, by=request.user, note=request.POST.get("note", "").strip()[:2000])
    except RevisionConflict:
        toast(request, _("Somebody saved this flow meanwhile. Look at it again, then publish."), level=messages.WARNING)
        return _back(flow, "outline")
    except (DocumentError, DefinitionRejected):
        toast(request, _("The draft has errors, so nothing was published. They are listed here."), level=messages.ERROR)
        return _back(flow, "yaml")
    if flow.versions.published().count() == before:
        said = _("Version %(n)d says the same already; nothing new was published.")
        toast(request, said % {"n": version.number}, level=messages.INFO)
    else:
        toast(request, _("Version %(n)d is published. New runs use it.") % {"n": version.number})
    return _back(flow, "versions")


@login_required
@require_POST
def switch(request: SignedIn, path: str) -> HttpResponse:
    """Let the flow be started, or not; ``enabled`` says which. Runs that are under way go on either way."""
    flow = access.get_rw_flow_for(request.user, current(request), path)
    is_on = request.POST.get("enabled") == "yes"
    Flow.objects.filter(pk=flow.pk).update(enabled=is_on, changed_by=request.user)
    said = _("%(flow)s is switched on.") if is_on else _("%(flow)s is switched off: nothing starts it now.")
    toast(request, said % {"flow": flow})
    return _back(flow, "outline")


def _back(flow: Flow, tab: str) -> HttpResponse:
    return redirect(f"{reverse('flow-detail', args=[flow.path])}?tab={tab}")
