"""Wait steps: a delay, a time, a cron match or an event (reference/flow-format.md, section 5)."""

from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

from croniter import croniter
from croniter.croniter import CroniterError

from engine.machine import steps
from engine.machine.faults import Fault, deadline_passed
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.states import WaitKind
from flows import kinds
from flows.cron import parse_cron, parse_timezone
from flows.durations import InvalidDuration, parse_duration
from flows.graph import Node


class WaitStep(Kind):
    """A step that rests until its time or its event comes."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._wait(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._wait(turn, node)

    def woke(self, turn: Turn, node: Node) -> None:
        if node.settings.get("wait_type") == "event":
            steps.fail(turn, node, deadline_passed("The event did not come in time."))
        else:
            steps.succeed(turn, node, {"waited": True})

    def arrived(self, turn: Turn, node: Node, data: Any) -> None:
        steps.succeed(turn, node, {"waited": True, "event": data})

    def _wait(self, turn: Turn, node: Node) -> None:
        match node.settings.get("wait_type") or "delay":
            case "until":
                self._until(turn, node)
            case "event":
                self._event(turn, node)
            case "cron":
                self._cron(turn, node)
            case _:
                self._delay(turn, node)

    def _delay(self, turn: Turn, node: Node) -> None:
        duration = _duration(turn, node, "duration")
        if duration is not None:
            turn.rest(WaitKind.TIMER, "scheduled", due=turn.now + duration, wake="timer")

    def _until(self, turn: Turn, node: Node) -> None:
        value, found = steps.resolve_or_fail(turn, node, "until", node.settings.get("until"))
        if not found:
            return
        moment = _moment(value)
        if moment is None:
            steps.fail(turn, node, _not_usable("until", "a date and time such as 2030-01-31T09:00:00Z"))
        elif moment <= turn.now:
            steps.succeed(turn, node, {"waited": False, "reason": "timestamp_passed"})
        else:
            turn.rest(WaitKind.TIMER, "scheduled", due=min(moment, turn.after(inf)), wake="timer")

    def _event(self, turn: Turn, node: Node) -> None:
        due = None
        if node.settings.get("timeout") is not None:
            limit = _duration(turn, node, "timeout")
            if limit is None:
                return
            due = turn.now + limit
        turn.rest(
            WaitKind.EVENT, "event", due=due, wake="deadline", data={"event_type": node.settings.get("event_type")}
        )

    def _cron(self, turn: Turn, node: Node) -> None:
        due = next_match(str(node.settings.get("cron")), str(node.settings.get("timezone") or "UTC"), turn.now)
        if due is None:
            steps.fail(turn, node, _not_usable("cron", "five fields such as 0 7 * * 1-5 and a known time zone"))
        else:
            turn.rest(WaitKind.TIMER, "scheduled", due=due, wake="timer")


def next_match(cron: str, timezone: str, now: datetime) -> datetime | None:
    """The next moment (UTC) after ``now`` that matches; ``None`` when expression or time zone cannot be read."""
    try:
        local = now.astimezone(parse_timezone(timezone))
        found: datetime = croniter(parse_cron(cron), local).get_next(datetime)
    except (CroniterError, ValueError):
        return None
    return found.astimezone(UTC)


def _duration(turn: Turn, node: Node, field: str) -> timedelta | None:
    """The field's duration; ``None`` when the attempt failed for it."""
    value, found = steps.resolve_or_fail(turn, node, field, node.settings.get(field))
    if not found:
        return None
    try:
        return parse_duration(value)
    except InvalidDuration as error:
        steps.fail(turn, node, Fault(f"{field}: {error}", "evaluation", final=True))
        return None


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _not_usable(field: str, wanted: str) -> Fault:
    return Fault(f"{field}: this is not {wanted}.", "evaluation", final=True)


KINDS[kinds.WAIT] = WaitStep()
