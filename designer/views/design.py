"""The designer's page, and what it asks the server for: the draft, the doctor's findings, versions, publishing.

The browser edits a flow's definition and its text together; what is stored is the text (docs/decisions/0005). A save
says both. Where they disagree the definition wins and the text is written anew, so that a slip of the writer in the
browser can cost a comment and never a step.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import access, editing
from designer.http import SignedIn
from designer.presenters import samples
from designer.presenters.design import same, start, state, version_of, versions_of
from designer.views.flows import show_as_text
from designer.workspaces import current
from engine.lastrun import LastRun, last_run
from flows.doctor import check_document
from flows.errors import DefinitionRejected, RevisionConflict
from flows.library import DatabaseLibrary
from flows.loader import Document, dump, load
from flows.models import Flow, FlowVersion
from flows.publishing import publish, save_draft
from flows.text import MAX_BYTES, DocumentError


@login_required
@require_GET
@ensure_csrf_cookie
def design(request: SignedIn, path: str) -> HttpResponse:
    """The page; whoever may not change the flow sees the same canvas and can only look."""
    flow = access.get_flow_for(request.user, current(request), path)
    try:
        begin = start(flow, request.user)
    except DocumentError as error:
        return show_as_text(request, flow, error)
    return render(request, "design.html", {"flow": flow, "has_canvas": True, "start": begin})


MOST_TRIED: Final = 200_000
"""Bytes of one field and what stands around it; a longer one is no longer tried while it is typed."""

View = Callable[..., HttpResponseBase]


def for_designer(view: View) -> View:
    """Answers in JSON, refusals too: a signed-out person gets 401, so that the page keeps their work and says so."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _refusal(401, "not_signed_in", _("You are signed out. Sign in again; nothing you did is lost."))
        try:
            return view(request, *args, **kwargs)
        except DocumentError as error:
            return _refusal(400, error.code, error.message, line=error.line)
        except RevisionConflict:
            said = _("Somebody else saved this flow meanwhile.")
            flow = access.get_flow_for(request.user, current(request), kwargs["path"])
            return _refusal(409, "revision_conflict", said, now=state(flow))

    return asked


def _refusal(status: int, code: str, message: str, **more: Any) -> JsonResponse:
    return JsonResponse({"code": code, "message": message, **more}, status=status)


def _sent(request: HttpRequest, most: int = 4 * MAX_BYTES) -> dict[str, Any]:
    """The body as an object. Raises :class:`DocumentError`."""
    if len(request.body) > most:
        raise DocumentError(_("This is too large."), code="too_large")
    try:
        found = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise DocumentError(_("This is not JSON."), code="malformed_json") from error
    if not isinstance(found, dict):
        raise DocumentError(_("This is no JSON object."), code="malformed_json")
    return found


@require_http_methods(["GET", "POST"])
@for_designer
def design_draft(request: SignedIn, path: str) -> HttpResponse:
    """The draft with the doctor's findings; a post saves ``{revision, text, content}`` first."""
    if request.method == "GET":
        return JsonResponse(state(access.get_flow_for(request.user, current(request), path)))
    flow = access.get_rw_flow_for(request.user, current(request), path)
    sent = _sent(request)
    text = _text(str(sent.get("text") or ""), sent.get("content"))
    revision = sent.get("revision")
    saved = save_draft(flow, text, revision=revision if isinstance(revision, int) else -1, by=request.user)
    return JsonResponse(state(saved))


def _text(text: str, content: Any) -> str:
    """The text to be stored: what was sent, or the definition written anew where the text does not say the same."""
    if not isinstance(content, dict):
        return text
    try:
        if same(dict(load(text).content), content):
            return text
    except DocumentError:
        pass
    return dump(Document(content))


@require_POST
@for_designer
def design_check(request: SignedIn, path: str) -> HttpResponse:
    """What a text says and what the doctor finds in it; nothing is stored."""
    flow = access.get_flow_for(request.user, current(request), path)
    document = load(str(_sent(request).get("text") or ""))
    found = check_document(document, library=DatabaseLibrary(flow.workspace_id), flow_path=flow.path)
    return JsonResponse({"content": document.content, "findings": [each.as_json() for each in found]})


@require_POST
@for_designer
def design_publish(request: SignedIn, path: str) -> HttpResponse:
    """Publish ``{revision, note}``. Refused with the findings where the draft has errors."""
    flow = access.get_publishable_flow_for(request.user, current(request), path)
    sent = _sent(request)
    if flow.revision != sent.get("revision"):
        raise RevisionConflict(flow.revision)
    before = flow.versions.published().count()
    try:
        version = publish(flow, by=request.user, note=str(sent.get("note") or "").strip()[:2000])
    except DefinitionRejected as refused:
        findings = [each.as_json() for each in refused.findings]
        return _refusal(
            422, "definition_rejected", _("The draft has errors, so nothing was published."), findings=findings
        )
    is_new = flow.versions.published().count() > before
    return JsonResponse({"number": version.number, "is_new": is_new, "versions": versions_of(flow)})


@require_GET
@for_designer
def design_version(request: SignedIn, path: str, number: int) -> HttpResponse:
    """One published version, to be compared with the draft or made the draft again."""
    flow: Flow = access.get_flow_for(request.user, current(request), path)
    version = get_object_or_404(FlowVersion.objects.select_related("published_by"), flow=flow, number=number)
    return JsonResponse(version_of(version))


@require_GET
@for_designer
def design_samples(request: SignedIn, path: str) -> HttpResponse:
    """What the newest finished run of the flow that they may see knew: its input, and what each step gave."""
    return JsonResponse(samples.samples(_last_run(request, path)))


@require_POST
@for_designer
def design_preview(request: SignedIn, path: str) -> HttpResponse:
    """What ``{kind, value, step, loops}`` comes to on that run's values, or what is wrong with it and where."""
    run = _last_run(request, path)
    return JsonResponse(samples.preview(run, _sent(request, MOST_TRIED)))


def _last_run(request: SignedIn, path: str) -> LastRun | None:
    flow = access.get_flow_for(request.user, current(request), path)
    return last_run(access.instances_for(request.user, current(request)).filter(flow=flow))


@require_POST
@for_designer
def design_editing(request: SignedIn, path: str) -> HttpResponse:
    """The page's pulse: ``{"here": false}`` when it is closed. Answers who else has the draft open to change it."""
    flow = access.get_rw_flow_for(request.user, current(request), path)
    if _sent(request).get("here") is False:
        editing.is_gone(flow, request.user)
        return JsonResponse({"others": []})
    return JsonResponse({"others": editing.is_here(flow, request.user)})
