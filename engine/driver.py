"""Moves one run: claim, decide, commit, carry out, and again until it rests or ends.

One transaction a step: the end of one attempt and the start of the next are committed together, the body runs between two
transactions (design/engine-notes.md, section 2). The database is the truth; a hint only says where to look.
"""

import logging
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from engine import rehearsal, wakeups
from engine.failpoints import reach
from engine.machine.happenings import CallEnded, CallParked, Happening, Started
from engine.machine.machine import decide, give_up
from engine.machine.memory import take_in
from engine.machine.run import Run, World
from engine.machine.turn import Decision
from engine.models import Instance, new_id
from engine.outcomes import Pending, Result, TimedOut, WorkerLost, tidied
from engine.ports import AGENT, Ports
from engine.signals import happening_of
from engine.states import ACTIVE, Phase, Status, WaitKind
from engine.store import loading
from engine.store.loading import Claimed
from engine.transitions import Committed, commit
from flows.graph import END_INDEX

log = logging.getLogger("sultana.engine")
ASK_AGAIN_SECONDS = 1.0
"""How often a long drive asks whether others wait: a query with every step would cost as much as the step."""
COMMIT_PAUSES = (0.1, 0.3, 1.0, 3.0, 5.0, 10.0, 10.0)
"""Seconds between tries to commit while the database does not answer, well within a lease."""


def drive(instance_id: UUID, ports: Ports) -> None:
    """Move a run until it rests or ends, and then whatever run that frees; nothing happens when it cannot be claimed.

    An exception out of the executor passes through: it means that this worker is dying, and nothing may be recorded.
    """
    turn_over_at = time.monotonic() + settings.SULTANA_DRIVE_SECONDS
    upcoming: tuple[UUID, UUID | None] | None = (instance_id, None)
    while upcoming is not None:
        driver = _Driver(*upcoming, ports, turn_over_at)
        upcoming = driver.run()


def settle(instance_id: UUID, ports: Ports) -> None:
    """Let a run that nobody holds take in what it was told, without starting anything: for web requests."""
    _Driver(instance_id, None, ports, turn_over_at=0.0, settling=True).run()


class _Driver:
    """One run in one worker's hands. ``settling`` records what is known and leaves all that starts to the workers."""

    def __init__(
        self, instance_id: UUID, token: UUID | None, ports: Ports, turn_over_at: float, *, settling: bool = False
    ) -> None:
        self.settling = settling
        self.instance_id = instance_id
        self.token = token
        self.ports = ports
        self.turn_over_at = turn_over_at
        self.claimed: Claimed
        self.state: Run
        self.signals = 0

    def run(self) -> tuple[UUID, UUID] | None:
        """Drive to the next rest; answers a run that this worker holds the lease of and may go on with."""
        first = self._take_up()
        if first is None:
            return None
        decision, committed = first
        if decision.handed_over:
            return None
        while committed.then is None and decision.wait is None and decision.end is None and decision.hold is None:
            decided = self._step(self._carry_out(decision))
            if decided is None or decided[0].handed_over:
                return None
            decision, committed = decided
        if decision.wait is not None and self.state.facts.is_test:
            self._rehearse(WaitKind(decision.wait.kind))
        return committed.then

    def _rehearse(self, rest: WaitKind) -> None:
        """End what a test run rests on, where its configuration says how."""
        if rest == WaitKind.HUMAN_TASK:
            rehearsal.answer(self.instance_id, self.ports)
        elif self.state.facts.is_hurried:
            wakeups.hurry(self.instance_id, self.ports)

    def _take_up(self) -> tuple[Decision, Committed] | None:
        """The claim and the first transition are one transaction; not for a run that waits for child runs and has news: a wish
        to cancel locks those first, and whoever holds its own row already would wait for a child that waits for it."""
        with transaction.atomic():
            if self.token is None:
                among = ACTIVE | {Status.HELD} if self.settling else ACTIVE
                claimed = loading.claim(connection, self.instance_id, self.ports.worker, among=among)
            else:
                claimed = loading.take_over(connection, self.instance_id, self.token)
            if claimed is None:
                return None
            self.claimed = claimed
            self.state = loading.load(claimed, self.ports.flows)
            self.signals = claimed.row["signal_count"]
            reach("claimed")
            if claimed.row["wait_kind"] != WaitKind.CHILD or self.signals == claimed.row["signals_seen"]:
                stepped = self._step(self._found())
                if stepped is None:
                    transaction.set_rollback(True)
                return stepped
        return self._step(self._found())

    def _found(self) -> Sequence[Happening]:
        """What a new driver finds: a call without an end tells of a lost worker, or of a passed deadline."""
        place = self.state.position
        now = self.ports.clock.now() + timedelta(seconds=place.skew)
        undoing = place.undoing
        if undoing is not None and undoing.out:
            return [CallEnded(_lost(undoing.deadline, now), undoing.seq, undoing.attempt)]
        if place.phase == Phase.FORWARD and place.leaf is not None and place.leaf.out:
            leaf = place.leaf
            return [CallEnded(_lost(leaf.deadline, now), leaf.seq, leaf.attempt)]
        if self.claimed.row["started_at"] is None:
            self._begin(self.ports.clock.now())
        return [Started()]

    def _begin(self, now: datetime) -> None:
        """A run's very first transition: it enters the first node, or ends at once when there is none. A branch was told where it
        begins."""
        first, place = self.state.graph.first, self.state.position
        self.state.facts = replace(self.state.facts, started_at=now.isoformat())
        if place.scope is None:
            self.state.position = replace(place, target=END_INDEX if first is None else first)

    def _step(self, happenings: Sequence[Happening]) -> tuple[Decision, Committed] | None:
        """Decide and commit, with whatever others had to say; again when news came just before a rest."""
        row = self.claimed.row
        while True:
            news = loading.news(self.instance_id) if self.signals != row["signals_seen"] else []
            if row["status"] == Status.HELD:  # a wish to cancel ends it; everything else is kept for a resume
                news = [each for each in news if each.kind == "cancel"]
                if not news:
                    return None
            told = [happening_of(each) for each in news]
            decision = self._decide([*happenings, *told])
            seen_before = row["signals_seen"]
            row["signals_seen"] = seen_before + len(news)
            reach("decided")
            committed = self._commit(decision, [each.id for each in news])
            if committed is not None:
                self._take_in(decision, committed)
                reach("committed")
                return decision, committed
            row["signals_seen"] = seen_before
            if not self._still_mine():
                return None

    def _decide(self, happenings: Sequence[Happening]) -> Decision:
        """The transition; a fault of the engine itself ends the run as failed instead of being met for ever.

        A database that is away while it is read is no fault of the engine: the body has run, so its end is decided later.
        """
        for pause in (*COMMIT_PAUSES, None):
            try:
                return self._decided(happenings)
            except (OperationalError, InterfaceError):
                if pause is None or connection.in_atomic_block:
                    raise
                connection.close()
                time.sleep(pause)
        raise AssertionError("The last try answers or raises.")

    def _decided(self, happenings: Sequence[Happening]) -> Decision:
        try:
            return decide(self.state, happenings, self._world(), new_id, hand_over=self._hands_over())
        except DatabaseError:
            raise
        except Exception:
            log.exception("run %s cannot go on", self.instance_id)
            return give_up(self.state, self._world(), new_id)

    def _commit(self, decision: Decision, consumed: list[int]) -> Committed | None:
        """Commit; while the database is away, again for as long as the lease lasts: the body has run, its end must not be
        forgotten. Inside the claim's transaction there is nothing to save, the run is simply left as it was."""
        for pause in (*COMMIT_PAUSES, None):
            try:
                return commit(self.claimed, decision, consumed, self.ports, goes_on=not self.settling)
            except (OperationalError, InterfaceError):
                if pause is None or connection.in_atomic_block:
                    raise
                connection.close()
                time.sleep(pause)
                if self._was_committed():
                    return Committed(self.signals)
        return None

    def _was_committed(self) -> bool:
        """Whether a commit whose answer was lost took place all the same. While it cannot be asked: no."""
        row = self.claimed.row
        try:
            moved = Instance.objects.filter(id=self.instance_id, lease_token=self.claimed.token)
            return moved.filter(step_no=row["step_no"] + 1).exists()
        except (OperationalError, InterfaceError):
            connection.close()
            return False

    def _still_mine(self) -> bool:
        """Whether the lease is still held, so that the commit failed only because news came."""
        row = self.claimed.row
        found = (
            Instance.objects.filter(id=self.instance_id, lease_token=self.claimed.token, step_no=row["step_no"])
            .values_list("signal_count", flat=True)
            .first()
        )
        if found is None or found == self.signals:
            return False
        self.signals = found
        return True

    def _take_in(self, decision: Decision, committed: Committed) -> None:
        """What was committed is where the run stands."""
        row = self.claimed.row
        take_in(self.state, decision)
        row["step_no"] += 1
        row["status"] = decision.status.value
        row["started_at"] = row["started_at"] or self.ports.clock.now()
        self.signals = committed.signals

    def _carry_out(self, decision: Decision) -> Sequence[Happening]:
        """Make the call, outside any transaction; what comes of it is the next happening."""
        call = decision.call
        if call is None:
            return [Started()]
        result: Result | Pending = self.ports.executor.start(call)
        reach("called")
        if isinstance(result, Pending):
            return [CallParked(WaitKind.AGENT if call.kind == AGENT else WaitKind.FUNCTION)]
        return [CallEnded(tidied(result), call.visit_seq, call.attempt)]

    def _hands_over(self) -> bool:
        """Whether a long drive gives the worker back to others who wait: a loop of 10,000 turns must not starve two workers."""
        if self.settling or self.ports.queue.is_stopping():
            return True
        if time.monotonic() < self.turn_over_at:
            return False
        self.turn_over_at = time.monotonic() + ASK_AGAIN_SECONDS
        return self.ports.queue.has_ready()

    def _world(self) -> World:
        return World(
            now=self.ports.clock.now(),
            random=random.random(),
            people=self.ports.people,
            flows=self.ports.flows,
            call_limit_ms=settings.SULTANA_CALL_LIMIT_MS,
        )


def _lost(deadline: str | None, now: datetime) -> Result:
    """A call whose worker is gone: a passed deadline is a time-out, anything else a lost worker."""
    return TimedOut() if deadline is not None and datetime.fromisoformat(deadline) <= now else WorkerLost()
