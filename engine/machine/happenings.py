"""What can happen to a run, as values. A driver makes them out of results and signals.

Pure. ``seq`` and ``attempt`` say which visit and call is meant: one that the run has left by now changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

from engine.outcomes import Result
from engine.states import WaitKind


@dataclass(frozen=True, slots=True)
class Started:
    """A driver took the run up: it begins, or goes on where it stood."""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The body of the open attempt ended."""

    result: Result
    seq: int
    attempt: int


@dataclass(frozen=True, slots=True)
class CallParked:
    """The executor has no answer yet; the run rests on the call, in the kind of wait that says what was called."""

    wait: WaitKind = WaitKind.FUNCTION


@dataclass(frozen=True, slots=True)
class Woke:
    """A wake-up came due. ``early`` is how many seconds before its time it was fired, in a run whose time is compressed; ``by``
    is who did not want to wait for it."""

    kind: str
    seq: int
    attempt: int
    early: float = 0.0
    by: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """An inbox task was answered; ``output`` is the step's output already."""

    seq: int
    output: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Arrived:
    """The event an event wait waits for, with its data."""

    seq: int
    data: Any


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """A child run reached its end."""

    seq: int
    child: UUID
    status: str
    output: Any = None
    error: dict[str, Any] | None = None
    compensations: int = 0


@dataclass(frozen=True, slots=True)
class BranchFailed:
    """A step failed in a branch, and the run around it has a say in what becomes of that; the branch rests meanwhile.

    ``node`` is the one whose ladder goes on outside, ``at`` the visit that failed. With ``must`` no policy applies and the whole
    run fails. ``way`` are the branches below ``child`` that lead to the one that rests, if it is not ``child`` itself.
    """

    seq: int
    made_by: int
    child: UUID
    node: int
    at: int
    error: dict[str, Any]
    final: bool = False
    must: bool = False
    way: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Ruled:
    """What the run around a branch has decided about the failure ``at`` a visit: ``redo``, ``hold`` or ``fail``.

    ``way`` are the branches below this one that lead to the one that asked, if it is not this one.
    """

    at: int
    decision: str
    node: int
    error: dict[str, Any]
    scope: str = ""
    round: int = 0
    whole: bool = False
    way: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """Somebody wants the run to end. With ``roll_back`` its compensations run first."""

    by: str = ""
    roll_back: bool = False
    open_children: tuple[UUID, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ResumeAsked:
    """Somebody lets a failed or held run go on (design/failure-document.md, "Operations").

    ``was`` is how the run stood: ``{status, error, reason, unknown}``, the last one what the ambiguous attempt came to.
    ``ack`` is ``applied`` (with ``result``), ``not_applied`` or empty. ``resolution`` is the decision's row, 0 in a child
    run. ``held`` names the child run in which the tree is held, where that is not this run.
    """

    was: Mapping[str, Any]
    resolution: int = 0
    by: str = ""
    note: str = ""
    ack: str = ""
    result: Any = None
    held: UUID | None = None


@dataclass(frozen=True, slots=True)
class AbandonAsked:
    """Somebody gives a failed or held run up: everything registered is undone. ``was`` and the rest as for a resume."""

    was: Mapping[str, Any]
    resolution: int = 0
    by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChildHeld:
    """A child run, at any depth, is held for a person: so is the whole tree."""

    child: UUID
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class TreeHeld:
    """The tree that the run belongs to is held: nothing new starts until it is resumed at its root."""


Happening: TypeAlias = (
    Started
    | CallEnded
    | CallParked
    | Woke
    | Answered
    | Arrived
    | ChildEnded
    | BranchFailed
    | Ruled
    | CancelAsked
    | ResumeAsked
    | AbandonAsked
    | ChildHeld
    | TreeHeld
)
