"""All flows, and how a new one begins."""

import re
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from designer import access
from designer.gallery import flow_templates
from designer.http import SignedIn
from designer.presenters.flow_rows import flow_rows, with_state
from designer.toasts import toast
from designer.workspaces import current
from flows.errors import FlowsError
from flows.loader import load
from flows.models import Flow, Workspace
from flows.publishing import FOLDER, import_flow
from flows.text import MAX_BYTES, DocumentError, write_yaml

SIZE: Final = 50


@login_required
@require_GET
def home(request: SignedIn) -> HttpResponse:
    """Where somebody begins: with the flows they see, else with what is asked of them."""
    return redirect("flow-list" if access.sees_flows(request.user) else "inbox")


@login_required
@require_GET
def flow_list(request: SignedIn) -> HttpResponse:
    """The flows this person sees, with a search over names and descriptions."""
    text = request.GET.get("q", "").replace("\x00", "").strip()
    visible = access.flows_for(request.user, current(request))
    wanted = Q(title__icontains=text) | Q(path__icontains=text) | Q(description__icontains=text)
    found = with_state(visible.filter(wanted) if text else visible).order_by("title", "path")
    page = Paginator(found, SIZE).get_page(request.GET.get("page"))
    context = {
        "rows": flow_rows(list(page.object_list)),
        "page": page,
        "text": text,
        "may_create": access.can_create_flows(request.user),
        "may_start": access.can_start_some(request.user),
        "sees_flows": access.sees_flows(request.user),
    }
    return render(request, "flow_list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new_flow(request: SignedIn) -> HttpResponse:
    """Begin a flow: empty, from a template, or out of a file. A post says which in ``how``."""
    workspace = access.get_workspace_for_new_flows(request.user, current(request))
    if request.method == "GET":
        return show_new(request, workspace)
    try:
        text = _text(request)
        flow = _make(request, workspace, text)
    except Unusable as problem:
        return show_new(request, workspace, str(problem), status=400)
    return redirect("design", flow.path)


class Unusable(Exception):
    """Why nothing was made, in words for the person who asked."""


def _text(request: SignedIn) -> str:
    """The document that was asked for."""
    match request.POST.get("how"):
        case "empty":
            return _empty(request.POST.get("title", "").strip())
        case "template":
            name = request.POST.get("template")
            found = next((each.text for each in flow_templates() if each.name == name), None)
            if found is None:
                raise Unusable(_("This template is gone. Choose another one."))
            return found
    return _uploaded(request)


def _empty(title: str) -> str:
    name = slugify(title)[:100]
    if not name:
        raise Unusable(_("Give the flow a name with at least one letter or digit."))
    properties = {"title": title, "name": name, "description": "", "enabled": True}
    return write_yaml(
        {"node_type": "raisin:Flow", "properties": {**properties, "workflow_data": {"version": 1, "nodes": []}}}
    )


def _uploaded(request: SignedIn) -> str:
    file = request.FILES.get("file")
    if file is None:
        text = request.POST.get("text", "")
        if not text.strip():
            raise Unusable(_("Paste a flow as YAML or JSON, or choose a file."))
        return text
    if file.size is None or file.size > MAX_BYTES:
        raise Unusable(_("This file is too large: at most 5 MB are read."))
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Unusable(_("This file is not UTF-8 text. Save it as UTF-8.")) from error


def _make(request: SignedIn, workspace: Workspace, text: str) -> Flow:
    """Store the flow as a draft. One that is there already is only written over when that was asked for."""
    title = re.sub(r"[^\w.-]+", "-", request.POST.get("name", "").strip())
    try:
        name = load(text).name or title
        known = Flow.objects.filter(workspace=workspace, path=f"{FOLDER}/{name}").first()
        if known is not None and not may_overwrite(request):
            told = {"path": known.path, "flow": known}
            raise Unusable(_("There is a flow at %(path)s already: %(flow)s. Change the name in the document.") % told)
        report = import_flow(workspace, text, by=request.user, draft=True, name=title)
    except (DocumentError, FlowsError) as refused:
        raise Unusable(str(refused)) from refused
    if report.is_new:
        toast(request, _("%(flow)s is here as a draft. Publish it when it is ready.") % {"flow": report.flow})
    else:
        toast(request, _("The draft of %(flow)s was written over.") % {"flow": report.flow}, level=messages.WARNING)
    return report.flow


def may_overwrite(request: SignedIn) -> bool:
    """Whether drafts that are there may be written over: it was asked for, and they may."""
    return request.POST.get("overwrite") == "yes" and access.can_change_flows(request.user)


def show_new(request: SignedIn, workspace: Workspace, problem: str = "", *, status: int = 200) -> HttpResponse:
    """The page on which flows begin, with why the last try made none."""
    taken = set(Flow.objects.filter(workspace=workspace).values_list("path", flat=True))
    context: dict[str, Any] = {
        "templates": [each for each in flow_templates() if f"{FOLDER}/{each.name}" not in taken],
        "problem": problem,
        "how": request.POST.get("how", ""),
        "sent": request.POST,
        "may_overwrite": access.can_change_flows(request.user),
    }
    return render(request, "flow_new.html", context, status=status)
