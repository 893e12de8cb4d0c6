"""Failed and held runs: what people decide about them on the run's page."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from designer import access
from designer.http import SignedIn
from designer.presenters.failure_part import result_schema
from designer.schema_forms import read
from designer.toasts import toast
from designer.workspaces import current
from engine import resolutions
from engine.errors import EngineError
from engine.failure import place as places
from engine.failure import tree
from engine.models import Instance
from engine.ports_production import ports

LONGEST_NOTE = 2000


@login_required
@require_POST
def resume_run(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Let the run go on; ``ack`` settles what nobody knew. The failure's number makes a second click harmless."""
    run = access.get_operable_instance_for(request.user, current(request), run_id)
    ack = request.POST.get("ack") or None
    said: dict[str, Any] = {"ack": ack, "failure": _number(request)}
    if ack == "applied":
        result, problems = _result(request, run)
        if problems:
            toast(request, problems[0], level=messages.ERROR)
            return _back(run)
        said |= result
    try:
        resolutions.resume_failed(run.pk, **said, **_who(request))
    except EngineError as refused:
        toast(request, _("Nothing was changed: %(why)s") % {"why": refused.message}, level=messages.ERROR)
        return _back(run)
    toast(request, _("The run goes on."))
    return redirect("run-detail", run_id=run.pk)


@login_required
@require_POST
def abandon_run(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Give the run up: what is registered is undone; on a run that was given up before, what could not be is tried again."""
    run = access.get_operable_instance_for(request.user, current(request), run_id)
    try:
        decision = resolutions.abandon(run.pk, **_who(request))
    except EngineError as refused:
        toast(request, _("Nothing was changed: %(why)s") % {"why": refused.message}, level=messages.ERROR)
        return _back(run)
    if decision is None:
        toast(request, _("There is nothing left to undo."), level=messages.INFO)
    else:
        toast(request, _("The run is given up. What it did is being undone."))
    return redirect("run-detail", run_id=run.pk)


def _result(request: SignedIn, run: Instance) -> tuple[dict[str, Any], list[str]]:
    """The result as it was sent, by the fields of the function's output schema; nothing where it promises none."""
    schema = result_schema(places.find(tree.read(run)))
    if schema is None:
        return {}, []
    value, problems = read(schema, request.POST, name="result")
    return {"result": value}, [message for found in problems.values() for message in found]


def _who(request: SignedIn) -> dict[str, Any]:
    note = request.POST.get("note", "").strip()[:LONGEST_NOTE]
    return {"by": access.user_path(request.user), "note": note, "ports": ports()}


def _number(request: SignedIn) -> int | None:
    text = request.POST.get("failure", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _back(run: Instance) -> HttpResponse:
    return redirect(f"{reverse('run-detail', args=[run.pk])}?tab=failure")
