"""One flow: its outline, its text, its versions and runs; and the form that starts a run."""

import json
from typing import Any
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from designer import access
from designer.http import SignedIn
from designer.paging import as_uuid
from designer.presenters.diagram import diagram
from designer.presenters.flow_page import flow_page
from designer.presenters.outline import outline_of
from designer.schema_forms import ABSENT, Part, Problems, form_for, problems_of, read
from designer.toasts import toast
from designer.workspaces import current
from engine import commands
from engine.errors import EngineError, InvalidInput
from engine.ports_production import ports
from flows.models import Flow, FlowVersion
from flows.publishing import export_flow
from flows.text import Format
from flows.versions import newest_published


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
    return HttpResponse(export_flow(exported, as_json), content_type=f"{kind}; charset=utf-8", headers=headers)


# --- starting a run ----------------------------------------------------------------------------------------------------


@login_required
@require_http_methods(["GET", "POST"])
def run_form(request: SignedIn, path: str) -> HttpResponse:
    """The form made from the flow's input schema; a post starts a run and leads to it."""
    flow = access.get_runnable_flow_for(request.user, current(request), path)
    version = newest_published(flow.workspace_id, flow.path)
    if version is None:
        raise Http404("This flow has no published version to run.")
    schema = (version.definition or {}).get("input_schema")
    as_json = schema is None or request.GET.get("as") == "json"
    if request.method == "GET":
        return _show_form(request, version, schema, _given(request), as_json=as_json)
    return _start(request, version, schema, as_json=as_json)


def _given(request: SignedIn) -> Any:
    """The input of the run that ``?from=`` names, if they see it."""
    run_id = as_uuid(request.GET.get("from"))
    if run_id is None:
        return ABSENT
    return access.get_instance_for(request.user, current(request), run_id).input


def _start(request: SignedIn, version: FlowVersion, schema: Any, *, as_json: bool) -> HttpResponse:
    value, problems = _json(request.POST.get("json", "")) if as_json else read(schema, request.POST)
    if not problems:
        try:
            started = commands.start(
                version.flow_id,
                version.pk,
                input=value,
                by=access.user_path(request.user),
                user=request.user,
                key=request.POST.get("key") or None,
                ports=ports(),
            )
        except InvalidInput as refused:
            problems = problems_of(refused.problems or [{"message": refused.message}])
        except EngineError as refused:
            problems = {"input": [refused.message]}
        else:
            toast(request, _("Started %(flow)s.") % {"flow": version.flow})
            return redirect("run-detail", run_id=started.pk)
    shown = request.POST.get("json", "") if as_json else value
    return _show_form(request, version, schema, shown, problems, as_json=as_json, status=400)


def _json(text: str) -> tuple[Any, Problems]:
    try:
        return json.loads(text or "{}"), {}
    except (ValueError, RecursionError):
        return text, {"input": [_("This is not JSON. Texts stand in double quotes, names too.")]}


def _show_form(
    request: SignedIn,
    version: FlowVersion,
    schema: Any,
    value: Any,
    problems: Problems | None = None,
    *,
    as_json: bool,
    status: int = 200,
) -> HttpResponse:
    form: Part | None = None if as_json else form_for(schema, value, problems)
    context = {
        "flow": version.flow,
        "version": version,
        "form": form,
        "has_schema": schema is not None,
        "schema": schema,
        "json": value if isinstance(value, str) else _as_text(value, schema),
        "problems": [f"{_where(name)}{each}" for name, found in (problems or {}).items() for each in found],
        "key": request.POST.get("key") or str(uuid4()),
    }
    return render(request, "run_form.html", context, status=status)


def _where(name: str) -> str:
    inside = name.removeprefix("input").strip(".")
    return f"{inside}: " if inside else ""


def _as_text(value: Any, schema: Any) -> str:
    """JSON to begin with: what was given, else the schema's defaults under its names."""
    if value is ABSENT:
        properties = (schema or {}).get("properties") or {}
        value = {
            name: part["default"] for name, part in properties.items() if isinstance(part, dict) and "default" in part
        }
    return json.dumps(value, ensure_ascii=False, indent=2)
