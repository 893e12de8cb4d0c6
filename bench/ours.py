"""All measurements of this engine on one database: ``python -m bench.ours SIZES DIRECTORY``, figures as JSON on standard output.

A process of its own, because the database is chosen in the environment, before Django starts.
"""

import json
import sys
from pathlib import Path
from typing import Any

import django

from bench.figures import spread
from bench.sizes import STEPS, Sizes


def main(sizes: Sizes, directory: Path) -> dict[str, Any]:
    """Figures by name; times in milliseconds unless the name says otherwise."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection

    from bench import checks, counts, definitions, raw

    call_command("migrate", verbosity=0)
    User.objects.create_user(definitions.PERSON)
    flows = _publish(sizes)
    found: dict[str, Any] = {"raw": raw.measure(directory, seconds=sizes.raw_seconds)}
    if connection.vendor == "postgresql":
        found["counts"] = counts.measure(flows["drive"], flows["flow"], runs=sizes.flows // 3, warm_up=flows["flow"])
    found["one_worker"] = _rates(flows, sizes, workers=1)
    found["two_workers"] = _rates(flows, sizes, workers=2)
    found |= _timed(flows, sizes)
    found["shapes"] = _shapes(flows, sizes)
    found["checks"] = checks.measure(sizes.nodes)
    return found


def _publish(sizes: Sizes) -> dict[str, Any]:
    from bench import definitions
    from bench.definitions import publish

    part = publish("/bench/part", definitions.chain(sizes.part_steps))
    parts = definitions.sub_flows("/bench/part", sizes.parts)
    return {
        "drive": publish("/bench/drive", definitions.chain(sizes.drive)),
        "flow": publish("/bench/flow", definitions.chain(STEPS)),
        "loop": publish("/bench/loop", definitions.loop(sizes.iterations), steps=sizes.iterations),
        "fan_out": publish("/bench/fan-out", definitions.fan_out(sizes.branches), steps=sizes.branches),
        "long": publish("/bench/long", parts, steps=sizes.parts * part.steps),
        "event": publish("/bench/event", definitions.after_event()),
        "answer": publish("/bench/answer", definitions.after_answer()),
        "timer": publish("/bench/timer", definitions.after_time()),
    }


def _rates(flows: dict[str, Any], sizes: Sizes, *, workers: int) -> dict[str, float]:
    from bench import rates
    from bench.workers import running_cluster

    with running_cluster(workers, flows["flow"]) as cluster:
        before = cluster.memory_mb()
        return {
            "drive_steps_per_s": rates.steps_per_second(flows["drive"], workers),
            "flow_steps_per_s": rates.steps_per_second(flows["flow"], sizes.flows),
            "memory_before_mb": before,
            "memory_after_mb": cluster.memory_mb(),
        }


def _timed(flows: dict[str, Any], sizes: Sizes) -> dict[str, Any]:
    from bench import rates, timing
    from bench.workers import running_cluster

    with running_cluster(2, flows["flow"]) as cluster:
        return {
            "latency": spread(timing.latencies(flows["flow"], sizes.answers)),
            "event": spread(timing.resumes(flows["event"], sizes.answers // 2, timing.send_event)),
            "answer": spread(timing.resumes(flows["answer"], sizes.answers // 2, timing.answer_task)),
            "lateness": spread(timing.lateness(flows["timer"], sizes.timers, within=sizes.timer_seconds)),
            "growth": rates.growth(flows["long"]),
            "memory_end_mb": cluster.memory_mb(),
        }


def _shapes(flows: dict[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Large runs of each shape, by two workers."""
    from bench import rates
    from bench.workers import running_cluster

    with running_cluster(2, flows["flow"]) as cluster:
        return {
            "loop": rates.growth(flows["loop"]),
            "fan_out": rates.growth(flows["fan_out"], items=list(range(sizes.branches))),
            "chain": rates.growth(flows["drive"]),
            "memory_mb": cluster.memory_mb(),
        }


if __name__ == "__main__":
    django.setup()
    print(json.dumps(main(Sizes(**json.loads(sys.argv[1])), Path(sys.argv[2]))))
