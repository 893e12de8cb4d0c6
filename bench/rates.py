"""How many steps a second the workers carry out, and what a step costs when many were done before it."""

import time
from typing import Any

from django.db import transaction
from django.db.models import Q

from bench.definitions import Published
from bench.workers import all_ended, start, watching
from engine.models import Attempt

PART = 10  # the first and the last tenth of a long run are compared


def steps_per_second(flow: Published, count: int) -> float:
    """Runs that all become known to the workers in one moment, and how fast they are done."""
    with watching() as watch:
        with transaction.atomic():
            runs = [start(flow).id for _ in range(count)]
        begun = time.perf_counter()
        return count * flow.steps / (watch.until(all_ended(runs)) - begun)


def growth(flow: Published, **given: Any) -> dict[str, float]:
    """Milliseconds a step over the first and the last tenth of one long run, its child runs included; and over all of it."""
    with watching() as watch:
        asked = time.perf_counter()
        run = start(flow, **given).id
        seconds = watch.until(all_ended([run])) - asked
    family = Q(instance=run) | Q(instance__root=run)
    begun = list(
        Attempt.objects.filter(family).exclude(path="").order_by("started_at").values_list("started_at", flat=True)
    )
    part = max(1, len(begun) // PART)
    first, last = begun[part] - begun[0], begun[-1] - begun[-1 - part]
    return {
        "steps": len(begun),
        "seconds": seconds,
        "first_ms": first.total_seconds() * 1000 / part,
        "last_ms": last.total_seconds() * 1000 / part,
    }
