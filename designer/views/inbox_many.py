"""One answer to several alike tasks: a page that says which of them it fits, then each is answered as it would be alone."""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from designer import access
from designer.http import SignedIn
from designer.paging import as_uuid
from designer.presenters import tasks as present
from designer.toasts import toast
from designer.workspaces import current
from engine import inbox as commands
from engine.errors import EngineError
from engine.models import InboxTask
from engine.ports_production import ports
from engine.states import TaskStatus

MOST: Final = present.SHOWN


@login_required
@require_http_methods(["GET", "POST"])
def answer_tasks(request: SignedIn) -> HttpResponse:
    """Asked for: the chosen open tasks that offer the answer ``action``, and those that do not. Posted: it is given."""
    asked = request.POST if request.method == "POST" else request.GET
    action = asked.get("action", "")
    chosen = [(task, _answer(task, action)) for task in _chosen(request, asked)]
    fit = [(task, answer) for task, answer in chosen if answer is not None]
    if not fit:
        toast(request, _("None of the chosen tasks takes this answer, so nothing was changed."), level=messages.INFO)
        return redirect("inbox")
    if request.method == "POST":
        return _give(request, [task for task, _offered in fit], action, asked.get("comment", "").strip())
    context = {
        "action": action,
        "answer": fit[0][1],
        "lines": present.lines(task for task, _offered in fit),
        "other": present.lines(task for task, answer in chosen if answer is None),
    }
    return render(request, "inbox_answer.html", context)


def _answer(task: InboxTask, action: str) -> present.Answer | None:
    """The answer as the task offers it; ``None`` where it does not."""
    offered = present.answers(task) if task.task_type == "approval" else ()
    return next((each for each in offered if each.value == action), None)


def _chosen(request: SignedIn, asked: QueryDict) -> list[InboxTask]:
    """The open tasks of this person whose ids were sent; administrators choose among everybody's."""
    ids = [task_id for text in asked.getlist("task")[:MOST] if (task_id := as_uuid(text))]
    whose = "*" if access.is_administrator(request.user) else access.user_path(request.user)
    tasks = access.tasks_for(request.user, current(request), whose).filter(pk__in=ids, status=TaskStatus.PENDING)
    return list(present.open_first(tasks))


def _give(request: SignedIn, tasks: list[InboxTask], action: str, comment: str) -> HttpResponse:
    """Each in a transaction of its own: one that refuses does not stop the others, and says why."""
    response = {"action": action, **({"comment": comment} if comment else {})}
    is_admin, by = access.is_administrator(request.user), access.user_path(request.user)
    done = 0
    for task in tasks:
        try:
            commands.complete(task.pk, by=by, response=response, is_admin=is_admin, ports=ports())
        except EngineError as refused:
            toast(request, f"{task.title}: {refused.message}", level=messages.ERROR)
        else:
            done += 1
    if done:
        toast(request, ngettext("%(n)d task is answered.", "%(n)d tasks are answered.", done) % {"n": done})
    return redirect("inbox")
