"""One action for every run that fits a filter, however many: an errand that workers carry out in small portions.

Its progress is kept in the row that :mod:`engine.errands` keeps for it: how far it is, what was done, what was refused and why.
Nothing is chosen in advance: a portion reads the next runs below the last one it came to, newest first, and does to each what is
done to one alone, with the same question whether this person may. So a portion may die, come twice or come late. What a death
can cost is the note of the one run it fell on: done already, it is told as refused or gone.

Runs that began after it was asked for are left alone; days and moments of the filter are those of that time.
"""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection, transaction
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from designer import access, bulk
from designer.paging import Keyset, keyset
from designer.presenters.run_rows import light
from designer.run_query import Count, RunQuery
from engine import errands, queue
from engine.models import Errand, Instance

logger = logging.getLogger(__name__)

FUNCTION: Final = "designer.bulk_errands.carry_on"
PORTION: Final = 50
"""Runs in one message: a second or two of a worker."""
EXAMPLES: Final = 50
"""Runs that stayed as they are of which the result tells one by one."""
REASONS: Final = 20
"""Different reasons that are counted; those that come later are counted together."""
LISTED: Final = 50
_MOMENTS: Final = ("since", "until")

STAGES: Final = ("going", "finished", "stopped", "not_allowed", "broken")
GOING, FINISHED, STOPPED, NOT_ALLOWED, BROKEN = STAGES


@dataclass(frozen=True, slots=True)
class Refused:
    """A run that stayed as it is: its id, its flow's title and why."""

    run: str
    flow: str
    why: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """Which runs: the question, the same as the list's query string and in words, and how many the list said they are."""

    query: RunQuery
    address: str
    words: tuple[str, ...]
    counted: Count


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an errand is. ``below``: the run it came to last, at first an id above the newest run's; ``stage``: one of
    :data:`STAGES`. ``language`` is that of whoever asked: words and reasons are kept in it."""

    user: int
    workspace: str
    language: str
    action: str
    filtered: Filtered
    below: str
    stage: str = GOING
    done: int = 0
    refused: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Refused, ...] = ()

    @property
    def seen(self) -> int:
        return self.done + self.refused

    @property
    def is_going(self) -> bool:
        return self.stage == GOING

    def with_run(self, run: Instance, why: str) -> "Progress":
        """After one more run; ``why`` it stayed as it is, or empty."""
        if not why:
            return replace(self, below=str(run.pk), done=self.done + 1)
        named = why if why in self.reasons or len(self.reasons) < REASONS else _("Other reasons")
        return replace(
            self,
            below=str(run.pk),
            refused=self.refused + 1,
            reasons={**self.reasons, named: self.reasons.get(named, 0) + 1},
            examples=(*self.examples, Refused(str(run.pk), str(run.flow), why))[:EXAMPLES],
        )


def ask(user: User, workspace: str, action: bulk.BulkAction, filtered: Filtered) -> UUID:
    """Begin it for the runs there are now; answers the errand's id."""
    newest = Instance.objects.order_by("-pk").values_list("pk", flat=True).first()
    progress = Progress(
        user=user.pk,
        workspace=workspace,
        language=translation.get_language() or "en",
        action=action.name,
        filtered=filtered,
        below=str(UUID(int=newest.int + 1 if newest else 0)),
    )
    return errands.begin(FUNCTION, to_json(progress), owner=str(user.pk))


def get_for(user: User, errand_id: UUID) -> Errand:
    """An errand to look at or to stop: one's own, and any for administrators; others need not know of it."""
    errand = errands.find(errand_id, FUNCTION)
    if errand is None or not (errand.owner == str(user.pk) or access.is_administrator(user)):
        raise Http404("There is no such action, it was too long ago, or it is somebody else's.")
    return errand


def list_for(user: User) -> list[Errand]:
    """The last ones, newest first: one's own, for administrators everybody's."""
    owner = "" if access.is_administrator(user) else str(user.pk)
    return errands.latest(FUNCTION, owner=owner, most=LISTED)


def stop(errand_id: UUID) -> bool:
    """Let no further run be touched; what is done stays done. Answers whether it was still going on. Safe to repeat."""
    with transaction.atomic():
        errand = errands.find(errand_id, FUNCTION, lock=True)
        if errand is None or errand.is_over:
            return False
        return _end(errand, from_json(errand.state), STOPPED)


def carry_on(errand_id: str) -> None:
    """Do one portion and send for the next: what a message of an errand calls.

    A worker keeps its connection and asks nobody whether it still stands, hence the second try. A fault of the product's own ends
    the errand: it would be met in the next portion too.
    """
    for is_last in (False, True):
        try:
            return _portion(UUID(errand_id))
        except (OperationalError, InterfaceError):
            connection.close()
            if is_last:
                raise
        except Exception:
            logger.exception("the errand %s cannot go on", errand_id)
            errand = errands.find(UUID(errand_id), FUNCTION)
            if errand is not None:
                _end(errand, from_json(errand.state), BROKEN)
            return None


def _portion(errand_id: UUID) -> None:
    errand = errands.find(errand_id, FUNCTION)
    if errand is None or errand.is_over:
        return
    progress = from_json(errand.state)
    action = bulk.ACTIONS[progress.action]
    user = User.objects.filter(pk=progress.user, is_active=True).first()
    if user is None or not action.is_offered_to(user):
        _end(errand, progress, NOT_ALLOWED)
        return
    page = _next_runs(user, progress)
    with translation.override(progress.language):
        for run in page.rows:
            progress = progress.with_run(run, bulk.do(action, user, run))
            noted = errands.note(errand, to_json(progress))
            if noted is None:  # stopped, or a second message is ahead of this one
                return
            errand = noted
            if queue.is_stopping():
                break
    if page.older is None and (not page.rows or progress.below == str(page.rows[-1].pk)):
        _end(errand, progress, FINISHED)
    else:
        errands.go_on(errand)


def _next_runs(user: User, progress: Progress) -> Keyset[Instance]:
    visible = access.instances_for(user, progress.workspace)
    query = progress.filtered.query
    runs = light(query.among(visible, progress.workspace)).select_related("root")
    return keyset(runs, before=UUID(progress.below), size=PORTION, branches=query.branches())


def _end(errand: Errand, progress: Progress, stage: str) -> bool:
    return errands.note(errand, to_json(replace(progress, stage=stage)), is_over=True) is not None


def to_json(progress: Progress) -> dict[str, Any]:
    """As JSON can keep it."""
    kept = asdict(progress)
    asked = kept["filtered"]["query"]
    for name in _MOMENTS:
        asked[name] = asked[name] and asked[name].isoformat()
    return kept


def from_json(kept: Mapping[str, Any]) -> Progress:
    """What :func:`to_json` made."""
    filtered = dict(kept["filtered"])
    asked = dict(filtered["query"])
    for name in _MOMENTS:
        asked[name] = asked[name] and datetime.fromisoformat(asked[name])
    query = RunQuery(**{**asked, "statuses": tuple(asked["statuses"])})
    whole = Filtered(query, filtered["address"], tuple(filtered["words"]), Count(**filtered["counted"]))
    return Progress(**{**kept, "filtered": whole, "examples": tuple(Refused(**each) for each in kept["examples"])})
