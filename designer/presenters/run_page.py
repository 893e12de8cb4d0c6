"""Everything a run's page shows, read tab by tab: what nobody looks at is not asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import uuid4

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from designer import access
from designer.drawings import Drawing, drawing_of
from designer.http import SignedIn
from designer.people import names_of
from designer.presenters import again, facts, stories
from designer.presenters.event_lines import event_page
from designer.presenters.failure_part import FailurePart, failure_part
from designer.presenters.run_diagram import picks_of, run_diagram
from designer.presenters.run_rows import lasted, light, run_rows, started_by, with_gist
from designer.presenters.undo_lines import UndoLine, steps_by_fate, undo_lines
from designer.presenters.visits import visit_page
from engine.models import Attempt, Event, InboxTask, Instance
from engine.states import ACTIVE, TERMINAL, Phase, Status, WaitKind
from flows.models import FlowVersion
from flows.versions import newest_published

TABS: Final = ("steps", "diagram", "failure", "undo", "children", "events", "data")
CHILDREN_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab of the page; ``count`` is ``None`` where nothing is counted."""

    name: str
    word: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """What the run waits for right now, and the task with which this person may end it."""

    words: str
    task: InboxTask | None


@dataclass(frozen=True, slots=True)
class Deeds:
    """What this person may do to this run as it stands, each with its consequences, one a line; empty: they may not.

    ``key`` makes starting again twice from one page harmless.
    """

    cancel: str = ""
    retry: str = ""
    roll_back: str = ""
    start_again: str = ""
    start_same: str = ""
    change: bool = False
    scenario: bool = False
    delete: str = ""
    key: str = field(default_factory=lambda: str(uuid4()))


def run_page(run: Instance, request: SignedIn) -> dict[str, Any]:
    """The context of ``run.html`` and of the part of it that refreshes itself."""
    user, drawing = request.user, drawing_of(run.version)
    undo = undo_lines(run, drawing)
    tasks = facts.open_tasks([run]).get(run.pk, [])
    known = _known(run, drawing, undo, tasks)
    children = Instance.objects.filter(parent=run)
    failure = failure_part(run, user)
    tabs = _tabs(run, failure, len(undo), children.count())
    tab = request.GET.get("tab", "")
    tab = tab if tab in {each.name for each in tabs} else "steps"
    newest = newest_published(run.workspace_id, run.flow.path)
    return {
        "run": run,
        "drawing": drawing,
        "sentence": stories.what_happened(run, replace(known, is_unknown=failure is None or failure.is_unknown)),
        "by": started_by(run),
        "lasted": lasted(run),
        "is_live": run.status not in TERMINAL,
        "is_test": run.is_test,
        "parent": run.parent,
        "newest": newest,
        "branch": facts.branch_name(run, drawing),
        "rest": _rest(run, tasks, user),
        "failure": failure,
        "tabs": tabs,
        "tab": tab,
        "is_administrator": access.is_administrator(user),
        "deeds": _deeds(run, user, known, newest),
        **_content(tab, run, drawing, undo, request),
    }


def _tabs(run: Instance, failure: FailurePart | None, undo: int, children: int) -> list[Tab]:
    tabs = [Tab("steps", _("Steps"), int((run.position or {}).get("last_seq", 0))), Tab("diagram", _("Diagram"))]
    if failure is not None:
        tabs.append(Tab("failure", _("Failure")))
    if undo:
        tabs.append(Tab("undo", _("Undo"), undo))
    if children:
        tabs.append(Tab("children", _("Child runs"), children))
    return [*tabs, Tab("events", _("Events"), run.event_count), Tab("data", _("Input and output"))]


def _content(tab: str, run: Instance, drawing: Drawing, undo: list[UndoLine], request: SignedIn) -> dict[str, Any]:
    before = _number(request.GET.get("before"))
    match tab:
        case "undo":
            return {"undo": undo, "undo_began": any(line.row.attempts for line in undo)}
        case "children":
            # In the order of the index on parents: by the id alone the database would look for them among all runs.
            found = light(Instance.objects.filter(parent=run)).order_by("parent_visit", "id")
            return {"rows": run_rows(list(with_gist(found)[:CHILDREN_SHOWN])), "rows_shown": CHILDREN_SHOWN}
        case "diagram":
            return {"shown": run_diagram(run, picks_of(request.GET))}
        case "events":
            return {"page": event_page(run, drawing, before=before)}
        case "data" | "failure":
            return {}
    return {"page": visit_page(run, drawing, [line.row for line in undo], before=before)}


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


# --- what the sentence needs ---------------------------------------------------------------------------------------


def _known(run: Instance, drawing: Drawing, undo: Sequence[UndoLine], tasks: Sequence[InboxTask]) -> stories.Known:
    place = facts.place_of(run)
    undone, not_undone, kept = steps_by_fate(undo)
    error, attempt = facts.failure_of(run), None
    if run.wait_kind == WaitKind.RETRY and run.phase == Phase.FORWARD:
        attempt = _latest_attempt(run)
        error = {**(attempt.error or {}), "attempts": attempt.number} if attempt else None
    step = drawing.steps.get(place)
    cancelled_by = _cancelled_by(run)
    names = names_of([cancelled_by, facts.asked(tasks)])
    return stories.Known(
        step=_name_of_place(run, drawing, place),
        error=error,
        kind=step.kind if step else "",
        task=tasks[0].title if tasks else "",
        assignee=names.get(facts.asked(tasks), ""),
        event_type=str(step.settings.get("event_type", "")) if step else "",
        child=_open_child(run),
        tries=attempt.number if attempt else 0,
        of_tries=_tries_allowed(run, place) if attempt else 0,
        by=names.get(cancelled_by, ""),
        undone=undone,
        not_undone=not_undone,
        kept=kept,
    )


def _name_of_place(run: Instance, drawing: Drawing, place: str) -> str:
    """The step's name as its newest start recorded it, else as drawn."""
    if not place:
        return ""
    seq = ((run.position or {}).get("leaf") or {}).get("seq")
    name = facts.step_names(run.pk, [seq]).get(seq, "") if isinstance(seq, int) and place == run.node_id else ""
    return name or drawing.label(place, run.input)


def _latest_attempt(run: Instance) -> Attempt | None:
    return (
        Attempt.objects.filter(instance=run).order_by("-visit_seq", "-number").defer("arguments", "traceback").first()
    )


def _tries_allowed(run: Instance, place: str) -> int:
    """How often the step is tried at most: once, and each of its retries."""
    waiting = Event.objects.filter(instance=run, node_id=place, type="flow_waiting").order_by("-number").first()
    retries = waiting.data.get("of") if waiting else None
    return retries + 1 if isinstance(retries, int) else 0


def _cancelled_by(run: Instance) -> str:
    if run.status != Status.CANCELLED:
        return ""
    event = Event.objects.filter(instance=run, type="flow_cancelled").order_by("-number").first()
    return str(event.data.get("by") or "") if event else ""


def _open_child(run: Instance) -> str:
    if run.wait_kind != WaitKind.CHILD:
        return ""
    child = (
        Instance.objects.filter(parent=run, ended_at=None)
        .select_related("flow")
        .only("flow__title", "flow__path")
        .first()
    )
    return str(child.flow) if child else ""


def _rest(run: Instance, tasks: Sequence[InboxTask], user: User) -> Rest | None:
    if run.status != Status.WAITING or not run.wait_kind:
        return None
    own = [task for task in tasks if task.assignee == access.user_path(user)]
    if not own and (access.is_administrator(user) or (tasks and access.can_answer_any(user, tasks[0]))):
        own = list(tasks)
    return Rest(_REST[WaitKind(run.wait_kind)](), own[0] if own else None)


_REST: Final[Mapping[WaitKind, Callable[[], str]]] = {
    WaitKind.HUMAN_TASK: lambda: _("Somebody has to answer."),
    WaitKind.TIMER: lambda: _("It goes on by itself."),
    WaitKind.RETRY: lambda: _("It is tried again by itself."),
    WaitKind.EVENT: lambda: _("An event has to come."),
    WaitKind.CHILD: lambda: _("Other runs have to end."),
    WaitKind.FUNCTION: lambda: _("An answer has to come."),
    WaitKind.AGENT: lambda: _("An agent has to answer."),
    WaitKind.CHAT: lambda: _("A message has to come."),
}


# --- what may be done ----------------------------------------------------------------------------------------------


def _deeds(run: Instance, user: User, known: stories.Known, newest: FlowVersion | None) -> Deeds:
    stoppable = (run.status in ACTIVE or run.status == Status.HELD) and run.phase == Phase.FORWARD
    stoppable = stoppable and not run.cancel_requested
    may_cancel = stoppable and access.can_cancel(user, run)
    may_again = run.parent_id is None and again.may_start(run, user, newest)
    may_delete = run.status in TERMINAL and run.parent_id is None and access.is_administrator(user)
    return Deeds(
        cancel=_cancel_words(run, known) if may_cancel else "",
        roll_back=_roll_back_words(run, known) if may_cancel and known.kept and access.can_operate(user) else "",
        retry=again.retry_words(run, known) if run.wait_kind == WaitKind.RETRY and access.can_retry(user, run) else "",
        start_again=again.again_words(run, newest) if may_again else "",
        start_same=again.same_words(run) if may_again and again.has_another(run, newest) else "",
        change=may_again,
        scenario=run.parent_id is None and run.status not in (Status.PENDING, Status.RUNNING),
        delete=_delete_words(run) if may_delete else "",
    )


def _cancel_words(run: Instance, known: stories.Known) -> str:
    lines = [_("Cancel this run of %(flow)s?") % {"flow": run.flow}, *_what_ends(run, known)]
    if known.kept:
        n = len(known.kept)
        stays = ngettext("%(steps)s stays done: nothing is undone.", "%(steps)s stay done: nothing is undone.", n)
        lines.append(stays % {"steps": stories.listed(known.kept)})
    return "\n".join(lines)


def _roll_back_words(run: Instance, known: stories.Known) -> str:
    n = len(known.kept)
    undone = ngettext("%(steps)s will be undone.", "%(steps)s will be undone, in this order.", n)
    return "\n".join(
        [
            _("Cancel this run of %(flow)s and roll it back?") % {"flow": run.flow},
            *_what_ends(run, known),
            undone % {"steps": stories.listed(known.kept)},
        ]
    )


def _what_ends(run: Instance, known: stories.Known) -> list[str]:
    if run.wait_kind == WaitKind.HUMAN_TASK and known.task:
        told = {"task": stories.quoted(known.task), "who": known.assignee}
        return [_("The task %(task)s disappears from the inbox of %(who)s.") % told]
    if run.wait_kind == WaitKind.CHILD:
        return [_("Its child runs are cancelled first.")]
    if run.status == Status.RUNNING:
        return [_("The call that is out is awaited first; nothing new starts.")]
    return []


def _delete_words(run: Instance) -> str:
    return "\n".join(
        [
            _("Delete this run of %(flow)s?") % {"flow": run.flow},
            _("Its steps, events, tasks, input and output are lost, with those of its child runs."),
            _("What its steps did elsewhere stays as it is."),
        ]
    )
