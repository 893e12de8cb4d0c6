"""The small interfaces through which the world reaches the engine.

Production, test runs, scenarios and the virtual clock are implementations of these; the engine itself never asks which one
it was given (design/product.md, "The engine's idea", 7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, Protocol, TypeAlias
from uuid import UUID

from engine.outcomes import Pending, Result
from flows.graph import Graph

CallKind: TypeAlias = Literal["function", "compensation", "agent"]
FUNCTION: Final = "function"
COMPENSATION: Final = "compensation"
AGENT: Final = "agent"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function, a compensation or an agent that the driver asks its executor to make.

    ``arguments`` are the call's own copy; those of an agent are a question (:mod:`engine.machine.asking`). ``deadline_at`` is
    the moment at which the call must be over.
    """

    kind: CallKind
    path: str
    arguments: dict[str, Any]
    instance_id: UUID
    node_id: str
    visit: int
    visit_seq: int
    attempt: int
    idempotency_key: str
    deadline_at: datetime
    is_test: bool = False
    test_config: Mapping[str, Any] | None = None
    input: Any = None


class Clock(Protocol):
    """What time it is, for wake-ups, retries and deadlines. Always aware, in UTC."""

    def now(self) -> datetime: ...


class Executor(Protocol):
    """Carries bodies out.

    A :class:`~engine.outcomes.Result` is the call's end. :class:`~engine.outcomes.Pending` means that it will come later
    as a signal. Anything raised means that the worker died, and nothing of the call is recorded.
    """

    def start(self, call: Call) -> Result | Pending: ...


class Queue(Protocol):
    """Carries hints. A hint joins the caller's transaction; it may be lost, doubled or late without harm."""

    def hint(self, instance_id: UUID) -> None: ...

    def notice(self, notice_id: UUID, *, at: datetime | None = None) -> None:
        """A hint that somebody is to be told, now or from ``at`` on (:mod:`engine.notices`)."""
        ...

    def has_ready(self) -> bool:
        """Whether somebody else's hint waits for a worker: a long drive then hands itself back."""
        ...

    def hints_arrived_until(self) -> datetime:
        """A hint that was sent before this moment and led to nothing was lost: the sweep may send it again."""
        ...

    def is_stopping(self) -> bool:
        """Whether this worker was asked to stop: a drive then hands over at the next step."""
        ...


class People(Protocol):
    """Who can be given a task. Paths are ``/users/NAME`` and ``/groups/NAME``."""

    def exists(self, path: str) -> bool: ...

    def members(self, group: str) -> Sequence[str]:
        """The user paths of a group's members in the order of their names; empty for an unknown group."""
        ...


@dataclass(frozen=True, slots=True)
class Published:
    """The newest published version of a flow."""

    flow_id: int
    version_id: int
    number: int
    path: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Pinned:
    """The version a run is pinned to. ``number`` is ``None`` for the snapshot of a draft."""

    graph: Graph
    flow_path: str
    number: int | None


class Flows(Protocol):
    """Finds what a sub-flow step calls, and what a version is."""

    def published(self, workspace_id: int, path: str) -> Published | None: ...

    def version(self, version_id: int) -> Pinned: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything the engine needs from outside, in one hand. ``worker`` names this process in leases and attempts."""

    clock: Clock
    executor: Executor
    queue: Queue
    people: People
    flows: Flows
    worker: str
