"""What happens if a step of a flow fails, told before it does."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from designer import access
from designer.http import SignedIn
from designer.presenters.foresight import foresight
from designer.presenters.outline import names_in
from designer.workspaces import current
from flows.errors import DefinitionRejected
from flows.models import Flow, FlowVersion
from flows.publishing import draft_graph
from flows.text import DocumentError
from flows.versions import graph_of


@login_required
@require_GET
def if_it_fails(request: SignedIn, path: str, step: str) -> HttpResponse:
    """One step of the draft, or of the version that ``?version=`` names."""
    flow = access.get_flow_for(request.user, current(request), path)
    version = _version(flow, request.GET.get("version", ""))
    context: dict[str, Any] = {"flow": flow, "version": version, "step": step}
    try:
        definition, graph = draft_graph(flow) if version is None else (version.definition, graph_of(version.pk))
    except (DefinitionRejected, DocumentError):
        return render(request, "if_it_fails.html", {**context, "is_unsound": True})
    try:
        ways = foresight(graph, definition, flow.workspace_id, step)
    except KeyError:
        raise Http404(f"There is no step {step} in this flow.") from None
    name = names_in(definition, flow.workspace_id).plain(step)
    return render(request, "if_it_fails.html", {**context, "ways": ways, "name": name})


def _version(flow: Flow, number: str) -> FlowVersion | None:
    if not number:
        return None
    found: FlowVersion = get_object_or_404(FlowVersion, flow=flow, number=int(number) if number.isdecimal() else 0)
    return found
