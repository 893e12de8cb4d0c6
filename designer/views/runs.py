"""One run and what may be done to it. Each view fetches with access, calls one thing, answers."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from designer import access
from designer.drawings import drawing_of
from designer.http import SignedIn
from designer.presenters.diagram import diagram
from designer.presenters.run_page import run_page
from designer.presenters.visits import visit_detail
from designer.toasts import toast
from designer.workspaces import current
from engine import commands, testruns
from engine.errors import Conflict, EngineError, NotFound
from engine.failure import failure_document
from engine.models import Instance, Visit
from engine.ports_production import ports
from engine.scenarios.copying import as_scenario
from flows.values import dumps


@login_required
@require_GET
def run_detail(request: SignedIn, run_id: UUID) -> HttpResponse:
    """One run: what happened, its steps, what undoes them, its events, its input and output."""
    run = access.get_instance_for(request.user, current(request), run_id)
    page = run_page(run, request)
    if page["tab"] == "diagram":  # here alone: what refreshes itself brings only how the steps fare
        page["diagram"] = diagram(str(run.flow), run.version.definition, run.workspace)
    return render(request, "run.html", page)


@login_required
@require_GET
def run_body(request: SignedIn, run_id: UUID) -> HttpResponse:
    """The part of a run's page that refreshes itself."""
    run = access.get_instance_for(request.user, current(request), run_id)
    return render(request, "_run_body.html", run_page(run, request))


@login_required
@require_GET
def run_step(request: SignedIn, run_id: UUID, seq: int) -> HttpResponse:
    """One visit of a step with its attempts; with ``?part=1`` only what the run's page puts below its line."""
    run = access.get_instance_for(request.user, current(request), run_id)
    visit = get_object_or_404(Visit, instance=run, seq=seq)
    detail = visit_detail(run, visit, drawing_of(run.version))
    context = {"run": run, "detail": detail, "is_test": run.is_test}
    context["is_administrator"] = access.is_administrator(request.user)
    return render(request, "_run_step.html" if request.GET.get("part") else "run_step.html", context)


# --- what may be done ----------------------------------------------------------------------------------------------


@login_required
@require_POST
def cancel_run(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Ask the run to end; with ``roll_back`` what it did is undone, which is for operators."""
    run = access.get_cancellable_instance_for(request.user, current(request), run_id)
    roll_back = request.POST.get("roll_back") == "yes"
    if roll_back and not access.can_operate(request.user):
        raise PermissionDenied("Only an operator may have a run rolled back.")
    try:
        outcome = commands.cancel(run.pk, by=access.user_path(request.user), roll_back=roll_back, ports=ports())
    except Conflict:
        toast(
            request,
            _("The run has ended by now, or is being undone already. Nothing was changed."),
            level=messages.INFO,
        )
    else:
        toast(request, _cancelled(outcome.requested, roll_back))
    return redirect("run-detail", run_id=run.pk)


def _cancelled(requested: bool, roll_back: bool) -> str:
    if not requested:
        return _("The run is cancelled.")
    if roll_back:
        return _("The run is being cancelled and rolled back.")
    return _("The run is being cancelled. A call that is out is awaited first.")


@login_required
@require_POST
def start_run_again(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Start the flow with this run's input, on the newest version or, with ``version=same``, on this run's. A test run is
    tested again, with its mocks. ``key`` makes a second click harmless."""
    run = access.get_instance_for(request.user, current(request), run_id)
    get_flow = access.get_testable_flow_for if run.is_test else access.get_runnable_flow_for
    flow = get_flow(request.user, current(request), run.flow.path)
    try:
        started = testruns.start_again(
            run,
            newest=request.POST.get("version") != "same",
            by=access.user_path(request.user),
            user=request.user,
            key=request.POST.get("key") or None,
            ports=ports(),
        )
    except EngineError as refused:
        toast(request, _("Nothing was started: %(why)s") % {"why": refused.message}, level=messages.ERROR)
        return redirect("run-detail", run_id=run.pk)
    toast(request, _("Started %(flow)s again.") % {"flow": flow})
    return redirect("run-detail", run_id=started.pk)


@login_required
@require_POST
def retry_run_now(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Make the try now that the run waits for."""
    run = access.get_retryable_instance_for(request.user, current(request), run_id)
    try:
        commands.retry_now(run.pk, by=access.user_path(request.user), ports=ports())
    except Conflict as refused:
        toast(request, refused.message, level=messages.INFO)
    else:
        toast(request, _("The next try is made now."))
    return redirect("run-detail", run_id=run.pk)


@login_required
@require_GET
def run_as_scenario(request: SignedIn, run_id: UUID) -> HttpResponse:
    """The run as a file that ``manage.py flow test`` plays."""
    run = access.get_instance_for(request.user, current(request), run_id)
    try:
        text = as_scenario(run)
    except Conflict as refused:
        toast(request, _("Nothing was copied: %(why)s") % {"why": refused.message}, level=messages.INFO)
        return redirect("run-detail", run_id=run.pk)
    name = f"{run.flow.path.rpartition('/')[2]}-{str(run.pk)[-8:]}.scenarios.yaml"
    disposition = content_disposition_header(True, name) or "attachment"
    headers = {"Content-Disposition": disposition}
    return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


@login_required
@require_POST
def delete_run(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Delete a run that has ended, with all its rows."""
    run = access.get_deletable_instance_for(request.user, current(request), run_id)
    try:
        commands.delete(run.pk)
    except Conflict:
        toast(
            request,
            _("This run cannot be deleted: it has not ended, or it belongs to another run."),
            level=messages.ERROR,
        )
        return redirect("run-detail", run_id=run.pk)
    toast(request, _("The run of %(flow)s is deleted.") % {"flow": run.flow})
    return redirect("run-list")


# --- whole values, where a page shows a part -----------------------------------------------------------------------

_OF_RUN: Final[dict[str, Callable[[Instance], Any]]] = {
    "input": lambda run: run.input,
    "output": lambda run: run.output,
    "trigger": lambda run: run.trigger,
    "failure": lambda run: failure_document(run.pk),
}


@login_required
@require_GET
def run_value(request: SignedIn, run_id: UUID, what: str) -> HttpResponse:
    """A run's input, output, trigger or failure document as a JSON file."""
    run = access.get_instance_for(request.user, current(request), run_id)
    if what not in _OF_RUN:
        raise Http404(f"A run has no {what} to download.")
    try:
        return _as_file(_OF_RUN[what](run), f"{what}-{str(run.pk)[-8:]}.json")
    except NotFound as nothing:
        raise Http404(nothing.message) from nothing


@login_required
@require_GET
def step_value(request: SignedIn, run_id: UUID, seq: int) -> HttpResponse:
    """The output of a visit as a JSON file."""
    run = access.get_instance_for(request.user, current(request), run_id)
    visit = get_object_or_404(Visit, instance=run, seq=seq)
    return _as_file(visit.output, f"{visit.node_id}-{str(run.pk)[-8:]}.json")


def _as_file(value: Any, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(dumps(value), content_type="application/json", headers=headers)
