"""One flow: its outline, its text, its versions and runs."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from designer import access
from designer.http import SignedIn
from designer.presenters.diagram import diagram
from designer.presenters.flow_page import flow_page
from designer.presenters.outline import outline_of
from designer.toasts import toast
from designer.workspaces import current
from flows.models import Flow, FlowVersion
from flows.publishing import export_flow
from flows.text import DocumentError, Format


@login_required
@require_GET
def flow_detail(request: SignedIn, path: str) -> HttpResponse:
    """A flow with its draft, versions and runs."""
    flow = access.get_flow_for(request.user, current(request), path)
    return render(request, "flow.html", flow_page(flow, request))


@login_required
@require_GET
def flow_version(request: SignedIn, path: str, number: int) -> HttpResponse:
    """One published version: its outline and its text, as runs that are pinned to it use them."""
    flow = access.get_flow_for(request.user, current(request), path)
    version = get_object_or_404(FlowVersion.objects.select_related("published_by"), flow=flow, number=number)
    context = {
        "flow": flow,
        "version": version,
        "lines": outline_of(version.definition, flow.workspace_id),
        "diagram": diagram(str(flow), version.definition, flow.workspace),
    }
    return render(request, "flow_version.html", context)


@login_required
@require_GET
def export(request: SignedIn, path: str, form: str) -> HttpResponse:
    """The draft, or the version that ``?version=`` names, as a file in YAML or JSON."""
    if form not in ("yaml", "json"):
        raise Http404("A flow is exported as yaml or json.")
    as_json: Format = "json" if form == "json" else "yaml"
    flow = access.get_flow_for(request.user, current(request), path)
    exported: Flow | FlowVersion = flow
    number = request.GET.get("version", "")
    if number:
        exported = get_object_or_404(FlowVersion, flow=flow, number=int(number) if number.isdecimal() else 0)
    name = flow.path.rpartition("/")[2] + (f"-{number}" if number else "")
    disposition = content_disposition_header(True, f"{name}.{'json' if form == 'json' else 'node.yaml'}")
    kind = "application/json" if form == "json" else "application/yaml"
    headers = {"Content-Disposition": disposition or "attachment"}
    try:
        text = export_flow(exported, as_json)
    except DocumentError as error:
        return show_as_text(request, flow, error)
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)


def show_as_text(request: SignedIn, flow: Flow, error: DocumentError) -> HttpResponse:
    """Where a draft that cannot even be read leads, which only something else than the product can have stored."""
    toast(request, _("The draft cannot be read: %(why)s") % {"why": error.message}, level=messages.ERROR)
    return redirect(f"{reverse('flow-detail', args=[flow.path])}?tab=yaml")
