"""How long a person or a clock waits for the workers: one run at a time, through the queue."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from bench.definitions import PERSON, Published
from bench.workers import all_ended, start, watching
from engine import commands, inbox
from engine.models import InboxTask, Instance, Visit
from engine.ports_production import ports
from engine.states import Status

AHEAD = 0.4  # seconds before its time at which every second timer is written


def latencies(flow: Published, count: int) -> list[float]:
    """From before the start of a run to its end being committed, in milliseconds."""
    found: list[float] = []
    with watching() as watch:
        for _ in range(count):
            begun = time.perf_counter()
            run = start(flow).id
            found.append((watch.until(all_ended([run])) - begun) * 1000)
    return found


def resumes(flow: Published, count: int, answer: Callable[[UUID], None]) -> list[float]:
    """From before ``answer`` is given to the beginning of the next step's call, in milliseconds."""
    found: list[float] = []
    with watching() as watch:
        for _ in range(count):
            run = start(flow).id
            watch.until(_waits(run))
            begun = time.monotonic()
            answer(run)
            watch.until(all_ended([run]))
            found.append((_stamp(run)["monotonic"] - begun) * 1000)
    return found


def send_event(run: UUID) -> None:
    """The event that the run waits for."""
    commands.resume(run, ports=ports())


def answer_task(run: UUID) -> None:
    """The answer of the person it was asked of."""
    task = InboxTask.objects.get(instance=run)
    inbox.complete(task.id, by=f"/users/{PERSON}", response={"action": "approve"}, ports=ports())


def lateness(flow: Published, count: int, *, within: float) -> list[float]:
    """How much later than due the step after a timer begins, in milliseconds: so many timers spread over ``within`` seconds.

    One half is written beforehand, the other AHEAD of its time: the timekeeper must notice an earlier one.
    """
    first = datetime.now(UTC) + timedelta(seconds=2 + count * 0.005)
    dues = [first + timedelta(seconds=within * each / count) for each in range(count)]
    begun = [_start_timer(flow, due) for due in dues[::2]]
    for due in dues[1::2]:
        time.sleep(max((due - datetime.now(UTC)).total_seconds() - AHEAD, 0))
        begun.append(_start_timer(flow, due))
    with watching() as watch:
        watch.until(all_ended([run for run, _ in begun]))
    return [(_stamp(run)["time"] - due.timestamp()) * 1000 for run, due in begun]


def _start_timer(flow: Published, due: datetime) -> tuple[UUID, datetime]:
    return start(flow, due=due.isoformat()).id, due


def _waits(run: UUID) -> Callable[[], bool]:
    return lambda: Instance.objects.filter(id=run, status=Status.WAITING).exists()


def _stamp(run: UUID) -> dict[str, float]:
    output: Any = Visit.objects.get(instance=run, node_id="next").output
    return dict(output)
