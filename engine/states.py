"""The words a run's rows may hold, and which move may follow which.

Pure. :mod:`engine.transitions` is the only module that writes any of them.
"""

from collections.abc import Mapping
from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Status(TextChoices):
    """Where an instance stands (design/semantics.md, "Instance status")."""

    PENDING = "pending", _("queued")
    RUNNING = "running", _("running")
    WAITING = "waiting", _("waiting")
    HELD = "held", _("held")
    COMPLETED = "completed", _("completed")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")
    ROLLED_BACK = "rolled_back", _("rolled back")
    CANCELLED = "cancelled", _("cancelled")


ACTIVE: Final = frozenset({Status.PENDING, Status.RUNNING, Status.WAITING})
TERMINAL: Final = frozenset({Status.COMPLETED, Status.STOPPED, Status.FAILED, Status.ROLLED_BACK, Status.CANCELLED})

_ENDS: Final = TERMINAL | {Status.HELD}
ALLOWED: Final[Mapping[Status, frozenset[Status]]] = {
    Status.PENDING: frozenset({Status.PENDING, Status.RUNNING, Status.WAITING}) | _ENDS,
    Status.RUNNING: frozenset({Status.RUNNING, Status.WAITING}) | _ENDS,
    Status.WAITING: frozenset({Status.RUNNING, Status.WAITING}) | _ENDS,
    Status.HELD: frozenset({Status.RUNNING, Status.WAITING}) | TERMINAL,
    Status.FAILED: frozenset({Status.RUNNING, Status.WAITING, Status.ROLLED_BACK}),
    Status.COMPLETED: frozenset(),
    Status.STOPPED: frozenset(),
    Status.ROLLED_BACK: frozenset({Status.RUNNING, Status.WAITING, Status.ROLLED_BACK}),
    Status.CANCELLED: frozenset(),
}


class Phase(TextChoices):
    """What an active instance is busy with."""

    FORWARD = "forward", _("running")
    ROLLING_BACK = "rolling_back", _("rolling back")
    REDOING = "redoing", _("undoing before a redo")
    UNWINDING = "unwinding", _("being made ready to go on")


UNDOING: Final = frozenset({Phase.ROLLING_BACK, Phase.UNWINDING})
"""Phases in which compensations run: all of them, or before a resume those that must go in any case."""


class Outcome(TextChoices):
    """How a visit ended (recovery seed, *Outcomes*)."""

    SUCCEEDED = "succeeded", _("succeeded")
    SKIPPED = "skipped", _("skipped")
    FAILED = "failed", _("failed")
    NOT_RUN = "not_run", _("not run")


class WaitKind(TextChoices):
    """What an instance rests on (design/semantics.md, "Words")."""

    FUNCTION = "function", _("a call")
    RETRY = "retry", _("the next try")
    HUMAN_TASK = "human_task", _("a person")
    TIMER = "timer", _("a time")
    EVENT = "event", _("an event")
    CHILD = "child", _("another run")
    AGENT = "agent", _("an agent")
    CHAT = "chat", _("a chat")
    PARENT = "parent", _("the run it belongs to")


class AttemptResult(TextChoices):
    """How one call of a body ended."""

    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    TIMED_OUT = "timed_out", _("timed out")
    UNKNOWN = "unknown", _("unknown")
    WORKER_LOST = "worker_lost", _("worker lost")
    CANCELLED = "cancelled", _("cancelled")


class CompensationState(TextChoices):
    """Where a registered compensation or an undo stands; the last four are final (contract seed, *unwind*).

    A compensation is ``withdrawn`` when its effect was undone for a redo, or when the redone visit registered its own.
    """

    REGISTERED = "registered", _("registered")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    ABSENT = "absent", _("nothing to undo")
    FAILED = "failed", _("failed")
    WITHDRAWN = "withdrawn", _("withdrawn")


class ResolutionKind(TextChoices):
    """What a person may decide of a failure (design/failure-document.md, "Operations")."""

    RESUME = "resume", _("resume")
    ABANDON = "abandon", _("abandon")


class ResolutionState(TextChoices):
    """Where a decision about a failure stands. A refused one left the run as it was; another may follow it."""

    ASKED = "asked", _("asked for")
    DONE = "done", _("carried out")
    REFUSED = "refused", _("refused")


class NoticeState(TextChoices):
    """Where a notice stands; all but the first two are final. ``unknown``: it may have arrived, and is not sent again."""

    OPEN = "open", _("to be sent")
    SENDING = "sending", _("being sent")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    UNKNOWN = "unknown", _("unknown")
    NOBODY = "nobody", _("nobody to tell")


class TaskStatus(TextChoices):
    """Where an inbox task stands (reference/flow-format.md, section 9)."""

    PENDING = "pending", _("open")
    COMPLETED = "completed", _("completed")
    EXPIRED = "expired", _("expired")
    CANCELLED = "cancelled", _("cancelled")
