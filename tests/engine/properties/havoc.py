"""Playing a run while calls fail, workers die at named moments, and messages come twice, as often as a plan says.

It does what a cluster does, through the same calls: it takes hints, fires what is due, tells of deaths, sweeps.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from engine import commands, driver, failpoints, inbox, recovery, wakeups
from engine.errors import Conflict
from engine.models import InboxTask, Instance
from engine.outcomes import Failed, Pending, Result, Succeeded, Unknown
from engine.ports import AGENT, COMPENSATION, Call
from engine.states import TERMINAL, Status, TaskStatus, WaitKind
from tests.engine.world import Died, World

ENOUGH = 3_000
"""Moves after which a run of a dozen nodes should long have come to its end."""


@dataclass
class Plan:
    """What goes wrong. ``broken`` are the steps whose calls always fail, ``calls`` says what the n-th call gives, ``deaths`` at
    which moments a worker dies, ``twice`` after which moves every message comes again; numbers count from 0."""

    broken: frozenset[str] = frozenset()
    calls: Mapping[int, str] = field(default_factory=dict)
    deaths: frozenset[int] = frozenset()
    twice: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Executor:
    start: Callable[[Call], Result | Pending]


class Havoc(World):
    """A world in which things go wrong as planned, and everybody who is asked answers."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.moments = 0
        self.moves = 0
        self.workers = 1
        self.made: list[Call] = []
        self.dead: list[str] = []
        self.ports = replace(self.ports, executor=_Executor(self.answer_call))

    def answer_call(self, call: Call) -> Result | Pending:
        """What comes of the next call."""
        number = len(self.made)
        self.made.append(call)
        is_broken = call.node_id in self.plan.broken and call.kind != COMPENSATION
        match self.plan.calls.get(number, "fails" if is_broken else "succeeds"):
            case "fails":
                return Failed("It failed.", code="planned")
            case "later":
                return Failed("Not now.", status=429, retry_after=7)
            case "hangs":
                return Pending()
            case "unknown":
                return Unknown("Nobody knows.")
            case "dies":
                raise Died
        return Succeeded({"response": "Hello"} if call.kind == AGENT else {"made": number})

    # --- playing -----------------------------------------------------------------------------------------------------

    def play(self, run: UUID) -> Instance:
        """Go on until the run has ended or is held; fails when it never does."""
        failpoints.listen(self._reach)
        try:
            while self._move(run):
                self.moves += 1
                assert self.moves < ENOUGH, "the run never comes to its end"
                if self.moves in self.plan.twice:
                    self.queue.redeliver()
        finally:
            failpoints.listen(None)
        return Instance.objects.get(pk=run)

    def _reach(self, name: str) -> None:
        self.moments += 1
        if self.moments - 1 in self.plan.deaths:
            raise Died(name)

    def _move(self, run: UUID) -> bool:
        hint = self.queue.take()
        if hint is not None:
            self._or_die(lambda: driver.drive(hint, self.ports))
        elif self.dead:
            recovery.worker_died(self.dead.pop(), self.ports)
        elif recovery.sweep(self.ports):
            return True
        else:
            return self._let_time_pass(run)
        return True

    def _let_time_pass(self, run: UUID) -> bool:
        """Nothing moves by itself any more: somebody answers, an event comes, or it gets later."""
        ended = Instance.objects.filter(pk=run, status__in=[*TERMINAL, Status.HELD]).exists()
        if ended or not self._somebody_acts():
            due = wakeups.next_due()
            if due is None:
                return False
            self.clock.moment = max(self.clock.moment, due)
            self._or_die(lambda: wakeups.fire_due(self.ports))
        return True

    def _somebody_acts(self) -> bool:
        task = InboxTask.objects.filter(status=TaskStatus.PENDING, due_at=None).order_by("created_at", "id").first()
        if task is not None:
            self._or_die(lambda: inbox.complete(task.pk, by=task.assignee, response={"n": 1}, ports=self.ports))
            return True
        waits = (
            Instance.objects.filter(status=Status.WAITING, wait_kind=WaitKind.EVENT, wait_due=None)
            .order_by("id")
            .first()
        )
        if waits is None:
            return False
        self._or_die(lambda: commands.resume(waits.pk, data={"came": 1}, ports=self.ports))
        return True

    def _or_die(self, action: Any) -> None:
        try:
            action()
        except Died:
            self.dead.append(self.ports.worker)
            self.workers += 1
            self.ports = replace(self.ports, worker=f"node:{self.workers}")
        except Conflict:
            pass  # somebody was faster
