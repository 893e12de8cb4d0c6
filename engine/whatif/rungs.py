"""The rungs of a ladder that was climbed in advance. Pure."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Row: TypeAlias = Literal[
    "retries",
    "timeout_edge",
    "error_edge",
    "goes_on",
    "must_succeed",
    "next_iteration",
    "starts_anew",
    "redo",
    "escalate",
    "hold",
    "scope_fails",
    "branch_fails",
    "branches_suffice",
    "rolls_back",
    "kept",
    "asked_again",
    "reconcile",
    "held_unknown",
    "never_unknown",
]
"""What a rung says; the words for it are the pages'."""


@dataclass(frozen=True, slots=True)
class Undo:
    """A call that takes a step's effect back, if the step has succeeded by then."""

    step: str
    function: str


@dataclass(frozen=True, slots=True)
class Rung:
    """One thing that happens, in its order; the next one is what comes when it was not enough.

    ``node`` is whose policy it is, empty for the flow's own. ``to`` is where control goes, ``delays_ms`` are the waits between
    tries, ``members`` the steps that run again, ``undo`` what is taken back, in that order. ``failures`` within ``within`` are
    how many a scope endures; ``notify`` is told of it.
    """

    row: Row
    node: str = ""
    to: str = ""
    delays_ms: tuple[float, ...] = ()
    members: tuple[str, ...] = ()
    undo: tuple[Undo, ...] = ()
    failures: int | None = None
    within: str = ""
    notify: str = ""
