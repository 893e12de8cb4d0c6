"""What people are asked, and their answers."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer import access
from designer.http import SignedIn
from designer.people import names_of
from designer.presenters import tasks as present
from designer.schema_forms import ABSENT, Problems, problems_of, read
from designer.toasts import toast
from designer.workspaces import current
from engine import inbox as commands
from engine.errors import Conflict, EngineError, Forbidden, InvalidInput
from engine.models import InboxTask, Instance
from engine.people import USERS
from engine.ports_production import ports
from engine.states import TaskStatus

REASON_LENGTH: Final = 500


@login_required
@require_GET
def inbox(request: SignedIn) -> HttpResponse:
    """The list of what is asked of this person; administrators may look at everybody's."""
    return render(request, "inbox.html", _list(request))


@login_required
@require_http_methods(["GET", "POST"])
def task(request: SignedIn, task_id: UUID) -> HttpResponse:
    """One task: what is asked and the facts to decide on; a post is the answer."""
    found = access.get_task_for(request.user, current(request), str(task_id))
    if request.method == "POST":
        return _answer(request, found)
    return _show(request, found)


@login_required
@require_POST
def hand_over_task(request: SignedIn, task_id: UUID) -> HttpResponse:
    """Give it to a colleague (``to``, a user name), with a reason in ``reason``."""
    found = access.get_task_for(request.user, current(request), str(task_id))
    to = USERS + request.POST.get("to", "").replace("\x00", "")
    try:
        given = commands.hand_over(
            found.pk,
            to=to,
            by=access.user_path(request.user),
            reason=request.POST.get("reason", "").replace("\x00", "").strip()[:REASON_LENGTH],
            is_admin=access.can_answer_any(request.user, found),
            ports=ports(),
        )
    except EngineError as refused:
        toast(request, refused.message, level=messages.ERROR)
        return redirect("task", task_id=found.pk)
    words = _("%(who)s is asked now: %(title)s.")
    toast(request, words % {"who": names_of([to])[to], "title": given.title})
    return redirect("inbox")


def _answer(request: SignedIn, found: InboxTask) -> HttpResponse:
    response, problems = _response(request, found)
    if not problems:
        try:
            answered = commands.complete(
                found.pk,
                by=access.user_path(request.user),
                response=response,
                is_admin=access.can_answer_any(request.user, found),
                ports=ports(),
            )
        except (Conflict, Forbidden) as error:
            toast(request, error.message, level=messages.INFO)
            return redirect("task", task_id=found.pk)
        except InvalidInput as error:
            problems = problems_of(error.problems or [{"message": error.message}], name="response")
        else:
            toast(request, _("Answered: %(title)s. The run goes on.") % {"title": answered.title})
            return redirect("run-detail", run_id=found.instance_id) if found.is_test else redirect("inbox")
    return _show(request, found, response, problems, status=400)


def _response(request: SignedIn, found: InboxTask) -> tuple[Any, Problems]:
    """The answer as it was sent: an option with a comment, a form's value, or just a comment."""
    if found.task_type == "input":
        return read(found.input_schema, request.POST, name="response")
    comment = request.POST.get("comment", "").strip()
    answer = {"comment": comment} if comment else {}
    if found.task_type == "approval":
        answer = {"action": request.POST.get("action", ""), **answer}
    return answer, {}


def _show(
    request: SignedIn, found: InboxTask, sent: Any = ABSENT, problems: Problems | None = None, *, status: int = 200
) -> HttpResponse:
    run = Instance.objects.select_related("flow", "root", "started_by").get(pk=found.instance_id)
    context = {
        **_list(request),
        "task": found,
        "names": names_of([found.assignee, found.assignment_group, found.completed_by, found.escalated_from]),
        "colleagues": present.colleagues(found) if found.status == TaskStatus.PENDING else [],
        "is_open": found.status == TaskStatus.PENDING,
        "is_overdue": present.is_overdue(found, ports().clock.now()),
        "answers": present.answers(found),
        "form": present.form(found, sent, problems),
        "facts": present.facts(found),
        "problems": (problems or {}).get("response", []),
        "run": run,
        "sees_run": access.sees_flows(request.user) or access.can_cancel(request.user, run),
        "is_test": run.is_test,
    }
    return render(request, "task.html", context, status=status)


def _list(request: SignedIn) -> dict[str, Any]:
    everybody = request.GET.get("of") == "all" and access.is_administrator(request.user)
    mine = access.tasks_for(request.user, current(request), "*" if everybody else access.user_path(request.user))
    is_done = request.GET.get("show") == "done"
    chosen = present.done_first(mine) if is_done else present.open_first(mine)
    return {
        "lines": (lines := present.lines(chosen[: present.SHOWN])),
        "common_answers": [] if is_done else present.common_answers([line.task for line in lines]),
        "open_count": mine.filter(status=TaskStatus.PENDING).count(),
        "is_done": is_done,
        "is_everybody": everybody,
        "may_see_all": access.is_administrator(request.user),
        "list_url": reverse("inbox"),
    }
