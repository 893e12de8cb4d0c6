"""What may be done to several runs at once: each action says whom it is for, which runs it fits, and what it will do.

Another action is one more entry in :data:`ACTIONS`; list, confirmation and answer know no action by name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from designer import access
from engine import commands, resolutions
from engine.errors import EngineError
from engine.failure import failure_document
from engine.models import Instance
from engine.ports_production import ports
from engine.states import TERMINAL, Phase, Status

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

MOST: Final = 200
"""Runs in one request: about as many as are done within two seconds."""


@dataclass(frozen=True, slots=True)
class BulkAction:
    """``refusal`` answers why this person cannot have it done to a run, empty where they can; ``one`` does it to one run.

    The words of ``verb``, ``question`` and ``done`` speak of ``n`` runs; ``everything`` asks about all that fit a filter.
    """

    name: str
    icon: str
    is_danger: bool
    is_offered_to: Callable[[User], bool]
    refusal: Callable[[User, Instance], str]
    one: Callable[[User, Instance], object]
    button: "Words"
    verb: "Words"
    question: "Words"
    everything: "Words"
    done: "Words"
    consequences: Sequence["Words"]

    def words(self, name: str, n: int) -> str:
        """``verb``, ``question`` or ``done`` for ``n`` runs."""
        return str(getattr(self, name) % {"n": n})


@dataclass(frozen=True, slots=True)
class Sorted:
    """The runs an action will be done to, and the others, each with the reason."""

    fit: Sequence[Instance]
    refused: Sequence[tuple[Instance, str]]


def sort_out(action: BulkAction, user: User, runs: Iterable[Instance]) -> Sorted:
    """Ask for each run whether the action can be done, as things stand."""
    answers = [(run, action.refusal(user, run)) for run in runs]
    return Sorted([run for run, why in answers if not why], [(run, why) for run, why in answers if why])


def do(action: BulkAction, user: User, run: Instance) -> str:
    """Do it to one run in a transaction of its own, as it is done to one alone; answers why not, empty when it was done.

    Safe to repeat: a run that has moved on meanwhile refuses.
    """
    why = action.refusal(user, run)
    if not why:
        try:
            action.one(user, run)
        except EngineError as refused:
            why = refused.message
    return why


def carry_out(action: BulkAction, user: User, runs: Iterable[Instance]) -> int:
    """Do it to each run; answers for how many it was done. One that refuses does not stop the others."""
    return sum(not do(action, user, run) for run in runs)


def offered_to(user: User) -> list[BulkAction]:
    """The actions this person may use on some run at least."""
    return [action for action in ACTIONS.values() if action.is_offered_to(user)]


def _why_not_cancel(user: User, run: Instance) -> str:
    if not access.can_cancel(user, run):
        return _("Only an operator or whoever started it may cancel it.")
    if run.status in TERMINAL:
        return _("It has ended.")
    if run.phase == Phase.ROLLING_BACK:
        return _("It is being undone already.")
    return ""


def _why_not_delete(user: User, run: Instance) -> str:
    if not access.is_administrator(user):
        return _("Only an administrator may delete it.")
    if run.parent_id is not None:
        return _("It belongs to another run; delete that one.")
    return "" if run.status in TERMINAL else _("It has not ended; cancel it first.")


def _why_not_resume(user: User, run: Instance) -> str:
    if not access.can_operate(user):
        return _("Only an operator may let it go on.")
    if run.parent_id is not None:
        return _("It belongs to another run; decide about that one.")
    if run.status not in (Status.FAILED, Status.HELD):
        return _("It has not failed and is not held.")
    retryable = failure_document(run.pk)["retryable"]
    if "reconcile_required" in retryable:
        return _("Nobody knows whether its last call took effect; decide on its own page.")
    return "" if retryable["resumable"] else str(retryable["reason"])


RESUME: Final = BulkAction(
    name="resume",
    icon="play",
    is_danger=False,
    is_offered_to=access.can_operate,
    refusal=_why_not_resume,
    one=lambda user, run: resolutions.resume_failed(run.pk, by=access.user_path(user), ports=ports()),
    button=gettext_lazy("Resume runs"),
    verb=ngettext_lazy("Resume %(n)d run", "Resume %(n)d runs", "n"),
    question=ngettext_lazy("Let %(n)d run go on?", "Let %(n)d runs go on?", "n"),
    everything=gettext_lazy("Let all runs that fit go on?"),
    done=ngettext_lazy("%(n)d run goes on.", "%(n)d runs go on.", "n"),
    consequences=(
        gettext_lazy(
            "The step that failed is tried again in each, with all its tries; what is done does not run again."
        ),
        gettext_lazy("What is to be undone in any case is undone first."),
    ),
)
CANCEL: Final = BulkAction(
    name="cancel",
    icon="slash",
    is_danger=True,
    is_offered_to=lambda user: True,
    refusal=_why_not_cancel,
    one=lambda user, run: commands.cancel(run.pk, by=access.user_path(user), ports=ports()),
    button=gettext_lazy("Cancel runs"),
    verb=ngettext_lazy("Cancel %(n)d run", "Cancel %(n)d runs", "n"),
    question=ngettext_lazy("Cancel %(n)d run?", "Cancel %(n)d runs?", "n"),
    everything=gettext_lazy("Cancel all runs that fit?"),
    done=ngettext_lazy("%(n)d run is being cancelled.", "%(n)d runs are being cancelled.", "n"),
    consequences=(
        gettext_lazy("Nothing new starts in them; a call that is out is awaited first."),
        gettext_lazy("Their open tasks disappear from inboxes, and their child runs are cancelled too."),
        gettext_lazy("What they have done stays done: nothing is undone."),
    ),
)
DELETE: Final = BulkAction(
    name="delete",
    icon="trash-2",
    is_danger=True,
    is_offered_to=access.is_administrator,
    refusal=_why_not_delete,
    one=lambda user, run: commands.delete(run.pk),
    button=gettext_lazy("Delete runs"),
    verb=ngettext_lazy("Delete %(n)d run", "Delete %(n)d runs", "n"),
    question=ngettext_lazy("Delete %(n)d run?", "Delete %(n)d runs?", "n"),
    everything=gettext_lazy("Delete all runs that fit?"),
    done=ngettext_lazy("%(n)d run is deleted.", "%(n)d runs are deleted.", "n"),
    consequences=(
        gettext_lazy("Their steps, events, tasks, inputs and outputs are lost, with those of their child runs."),
        gettext_lazy("What their steps did elsewhere stays as it is."),
    ),
)
ACTIONS: Final[Mapping[str, BulkAction]] = {action.name: action for action in (RESUME, CANCEL, DELETE)}
