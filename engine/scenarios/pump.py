"""Moves runs until they rest: takes hints, delivers answers, fires wake-ups, one at a time and in a certain order.

It stands in for the workers, the timekeeper and the sentinel of a cluster, and does what they do through the same calls
(design/engine-notes.md, section 12).
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from engine import commands, driver, recovery, wakeups
from engine.models import Wakeup
from engine.outcomes import Result, WorkerLost
from engine.scenarios.errors import Unrunnable
from engine.scenarios.script import Outstanding, WorkerDied
from engine.scenarios.stage import Stage

MOST_MOVES: Final = 100_000
"""Hints, answers and wake-ups of one scenario; a run that needs more never comes to rest."""


class Pump:
    """The only one who drives the runs of a scenario."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._dead: list[str] = []
        self._moves = 0

    def settle(self) -> None:
        """Go on until there is no hint left and nothing is due. Raises :class:`Unrunnable` when that never happens."""
        while self._move():
            self._moves += 1
            if self._moves > MOST_MOVES:
                raise Unrunnable(f"The run does not come to rest: it was moved {MOST_MOVES} times.")

    def advance(self, span: timedelta) -> None:
        """Move the clock by ``span``, stopping wherever something comes due; the run comes to rest in between."""
        clock = self._stage.clock
        target = clock.now() + span
        self.settle()
        while (due := self._next_due()) is not None and due <= target:
            clock.move_to(due)
            self.settle()
        clock.move_to(target)

    def restart(self) -> None:
        """Every worker dies: hints and calls that are out are lost, another worker starts from the tables."""
        stage = self._stage
        stage.queue.lose()
        recovery.worker_died(stage.next_worker(), stage.ports)
        lost = list(stage.executor.outstanding)
        stage.executor.forget(lost)
        for call in lost:
            self._deliver(call, WorkerLost())
        recovery.sweep(stage.ports)
        self.settle()

    def redeliver(self) -> None:
        """Deliver every hint sent so far once more."""
        self._stage.queue.redeliver()
        self.settle()

    def _move(self) -> bool:
        """Make the next move, if there is one: a hint, the news of a death, what is due."""
        stage = self._stage
        hint = stage.queue.take()
        if hint is not None:
            self._drive(hint)
        elif self._dead:
            recovery.worker_died(self._dead.pop(0), stage.ports)
        else:
            return self._fire_due()
        return True

    def _drive(self, instance_id: UUID) -> None:
        try:
            driver.drive(instance_id, self._stage.ports)
        except WorkerDied:
            self._dead.append(self._stage.next_worker())

    def _next_due(self) -> datetime | None:
        answer, wakeup = self._stage.executor.next_due(), wakeups.next_due()
        answered = answer.due_at if answer is not None else None
        return min((each for each in (answered, wakeup) if each is not None), default=None)

    def _fire_due(self) -> bool:
        """Let the one thing happen that is due first, if anything is due by now."""
        stage, now = self._stage, self._stage.clock.now()
        due = self._next_due()
        if due is None or due > now:
            return False
        answer = stage.executor.next_due()
        if answer is not None and answer.due_at == due and not _wakeup_is_older(answer):
            stage.executor.forget([answer])
            assert answer.result is not None
            self._deliver(answer, answer.result)
        else:
            wakeups.fire_due(stage.ports, limit=1)
        return True

    def _deliver(self, call: Outstanding, result: Result) -> None:
        commands.deliver_result(
            call.instance_id, visit_seq=call.visit_seq, attempt=call.attempt, result=result, ports=self._stage.ports
        )


def _wakeup_is_older(answer: Outstanding) -> bool:
    """Whether a wake-up comes due in the same moment that was there before the call was made."""
    return Wakeup.objects.filter(due_at__lte=answer.due_at, id__lte=answer.after_wakeup).exists()
