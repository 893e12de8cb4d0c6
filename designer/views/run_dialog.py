"""The Run dialog: real or test, the input, and what stands in for functions, agents and people in a test."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from designer import access
from designer.http import SignedIn
from designer.paging import as_uuid
from designer.presenters.mock_rows import BEHAVIOURS, mock_lines, task_lines
from designer.presenters.run_rows import gist_of, with_gist
from designer.run_dialog import TEST, Sides, Typed, begin, read_form, sides_of
from designer.schema_forms import ABSENT, problems_of
from designer.toasts import toast
from designer.workspaces import current
from engine import commands, testruns
from engine.answers import latest_answers
from engine.errors import EngineError, InvalidInput
from engine.models import Instance
from engine.ports_production import ports
from flows.models import Flow, InputSample

LAST_INPUTS = 5
TITLE_LENGTH = 120


@login_required
@require_http_methods(["GET", "POST"])
def run_dialog(request: SignedIn, path: str) -> HttpResponse:
    """The dialog; a post starts a run and leads to it, or keeps what was typed as a sample."""
    flow = access.get_startable_flow_for(request.user, current(request), path)
    sides = sides_of(flow, request.user)
    if request.method == "GET":
        return _show(request, flow, sides, begin(sides, request.GET.get("mode", ""), *_given(request, flow)))
    typed = read_form(sides, request.POST, as_json=_as_json(request))
    if request.POST.get("do") == "keep":
        return _keep(request, flow, sides, typed)
    return _start(request, flow, sides, typed)


@login_required
@require_POST
def drop_sample(request: SignedIn, path: str, sample_id: int) -> HttpResponse:
    """Forget a sample: whoever kept it may, and who may change the flow."""
    flow = access.get_startable_flow_for(request.user, current(request), path)
    sample = access.get_droppable_sample_for(request.user, flow, sample_id)
    title = sample.title
    sample.delete()
    toast(request, _("The sample %(title)s is deleted.") % {"title": title})
    return redirect("run-form", path=flow.path)


def _as_json(request: SignedIn) -> bool:
    return request.GET.get("as") == "json"


def _given(request: SignedIn, flow: Flow) -> tuple[Any, dict[str, Any] | None]:
    """The input, and the mocks, of the run that ``?from=`` names or the sample that ``?sample=`` does."""
    run_id = as_uuid(request.GET.get("from"))
    if run_id is not None:
        run = access.get_instance_for(request.user, current(request), run_id)
        return run.input, run.test_config if run.is_test else None
    number = request.GET.get("sample", "")
    if number:
        sample = get_object_or_404(
            InputSample, flow=flow, pk=int(number) if number.isdecimal() and len(number) < 18 else 0
        )
        return sample.input, sample.test_config
    return ABSENT, None


# --- what a post does ----------------------------------------------------------------------------------------------------


def _start(request: SignedIn, flow: Flow, sides: Sides, typed: Typed) -> HttpResponse:
    side = sides.of(typed.mode)
    if side.why_not and not typed.problems:
        typed.problems["input"] = [side.why_not]
    if not typed.problems:
        try:
            started = _started(request, flow, sides, typed)
        except InvalidInput as refused:
            found = problems_of(refused.problems or [{"message": refused.message}])
            typed.problems = {side.name + name.removeprefix("input"): each for name, each in found.items()}
        except EngineError as refused:
            typed.problems = {"input": _words(refused)}
        else:
            words = _("Started a test run of %(flow)s.") if typed.mode == TEST else _("Started %(flow)s.")
            toast(request, words % {"flow": flow})
            return redirect("run-detail", run_id=started.pk)
    return _show(request, flow, sides, typed, status=400)


def _words(refused: EngineError) -> list[str]:
    """Why nothing was started: every problem of a draft with its place, else the reason."""
    problems = getattr(refused, "problems", None) or [{"message": refused.message}]
    return [": ".join(filter(None, (each.get("field"), each["message"]))) for each in problems]


def _started(request: SignedIn, flow: Flow, sides: Sides, typed: Typed) -> Instance:
    who: dict[str, Any] = {
        "by": access.user_path(request.user),
        "user": request.user,
        "key": request.POST.get("key") or None,
        "ports": ports(),
    }
    if typed.mode == TEST:
        access.get_testable_flow_for(request.user, current(request), flow.path)
        return testruns.start_test(flow, input=typed.value, test_config=typed.config, **who)
    access.get_runnable_flow_for(request.user, current(request), flow.path)
    version = sides.real.version
    assert version is not None  # else there is a reason why not
    return commands.start(flow.pk, version.pk, input=typed.value, **who)


def _keep(request: SignedIn, flow: Flow, sides: Sides, typed: Typed) -> HttpResponse:
    """Keep what was typed under a title; one that is taken is kept anew."""
    title = request.POST.get("title", "").strip()[:TITLE_LENGTH]
    if not title:
        typed.problems["title"] = [_("Give the sample a name.")]
    elif not typed.problems and not isinstance(typed.value, dict):
        typed.problems["input"] = [_("The input must be a JSON object.")]
    if typed.problems:
        return _show(request, flow, sides, typed, status=400)
    kept = {"input": typed.value, "test_config": typed.config, "created_by": request.user}
    sample, is_new = InputSample.objects.update_or_create(flow=flow, title=title, defaults=kept)
    words = _("Kept as %(title)s.") if is_new else _("Kept as %(title)s, in place of what was kept under that name.")
    toast(request, words % {"title": title}, level=messages.SUCCESS)
    return redirect(f"{reverse('run-form', args=[flow.path])}?sample={sample.pk}&mode={typed.mode}")


# --- the page ------------------------------------------------------------------------------------------------------------


def _show(request: SignedIn, flow: Flow, sides: Sides, typed: Typed, *, status: int = 200) -> HttpResponse:
    as_json = _as_json(request)
    shown = [sides.of(typed.mode)] if sides.together else [sides.real, sides.test]
    pinned = latest_answers(flow.pk, [each.path for each in sides.called]) if not sides.test.why_not else {}
    lines = mock_lines(typed.mocks, pinned)
    context = {
        "flow": flow,
        "sides": sides,
        "mode": typed.mode,
        "inputs": [typed.input_form(side, as_json=as_json) for side in shown],
        "as_json": as_json,
        "has_schema": any(side.schema is not None for side in shown),
        "problems": [f"{_where(name)}{each}" for name, found in typed.problems.items() for each in found],
        "key": request.POST.get("key") or str(uuid4()),
        "title": request.POST.get("title", ""),
        "mock_lines": lines,
        "sent_titles": [line.title for line in lines if line.is_sent],
        "behaviours": BEHAVIOURS.items(),
        "task_lines": task_lines(typed.mocks),
        "switches": typed.mocks.switches,
        "samples": _samples(request, flow),
        "last_runs": _last_runs(request, flow),
    }
    return render(request, "run_form.html", context, status=status)


def _samples(request: SignedIn, flow: Flow) -> list[tuple[InputSample, bool]]:
    """The samples, and whether this person may forget each."""
    found = InputSample.objects.filter(flow=flow).defer("input", "test_config").select_related("created_by")
    return [(each, access.can_drop_sample(request.user, each)) for each in found]


def _last_runs(request: SignedIn, flow: Flow) -> list[tuple[Instance, str]]:
    """The newest runs whose input may be taken again, with what each was about."""
    visible = access.instances_for(request.user, flow.workspace.slug).filter(flow=flow, parent=None)
    found = with_gist(visible.defer("input", "output", "not_run", "position", "test_config")).order_by("-pk")
    return [(run, gist_of(getattr(run, "input_begins", ""))) for run in found[:LAST_INPUTS]]


def _where(name: str) -> str:
    inside = name.removeprefix("input").removeprefix("draft").strip(".")
    return "" if name in ("mocks", "title") or not inside else f"{inside}: "
