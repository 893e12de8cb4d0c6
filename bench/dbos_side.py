"""The same work on DBOS, an engine for durable functions that keeps its steps in the same databases.

``python -m bench.dbos_side URL SIZES``: figures as JSON on standard output. With one more word it is one of two processes that
carry out a long workflow at the same time: it says ``ready``, waits for a line, and answers with the seconds it took.
"""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from dbos import DBOS

from bench.figures import spread
from bench.sizes import STEPS, Sizes

F = TypeVar("F", bound=Callable[..., Any])


def step(function: F) -> F:
    return cast(F, DBOS.step()(function))


def workflow(function: F) -> F:
    return cast(F, DBOS.workflow()(function))


@step
def add(n: int) -> int:
    return n + 1


@step
def stamp() -> float:
    return time.time()


@workflow
def chain(steps: int) -> int:
    n = 0
    for _ in range(steps):
        n = add(n)
    return n


@workflow
def sleeper(due: float) -> float:
    DBOS.sleep(due - time.time())
    return (stamp() - due) * 1000


@contextmanager
def running(url: str, executor: str) -> Iterator[None]:
    """DBOS on that database. Each process is an executor of its own, or one would take up what the other does."""
    if url.startswith("sqlite"):
        sqlite3.connect(url.removeprefix("sqlite:///")).execute("PRAGMA journal_mode=WAL").close()
    else:
        url = url.replace("postgres://", "postgresql://")
    DBOS(
        config={
            "name": "bench",
            "system_database_url": url,
            "executor_id": executor,
            "log_level": "ERROR",
            "max_executor_threads": 256,
        }
    )
    DBOS.launch()
    try:
        chain(STEPS)
        yield
    finally:
        DBOS.destroy(destroy_registry=True)


def measure(url: str, sizes: Sizes) -> dict[str, Any]:
    """Workflows are called in the process itself, without a queue before them: the fastest that DBOS offers."""
    with running(url, "one"):
        drive = timed(sizes.drive)
        flows = [timed(STEPS) for _ in range(sizes.flows)]
        found = {
            "one_worker": {
                "drive_steps_per_s": sizes.drive / drive,
                "flow_steps_per_s": sizes.flows * STEPS / sum(flows),
            },
            "latency": spread([each * 1000 for each in flows]),
            "lateness": spread(lateness(sizes)),
        }
    return found | {"two_workers": {"drive_steps_per_s": 2 * sizes.drive / at_once(url, sizes)}}


def timed(steps: int) -> float:
    """Seconds for one workflow of so many steps."""
    begun = time.perf_counter()
    chain(steps)
    return time.perf_counter() - begun


def lateness(sizes: Sizes) -> list[float]:
    """Milliseconds between the moment a sleep was to end and the step after it."""
    first = time.time() + 2
    dues = [first + sizes.timer_seconds * each / sizes.timers for each in range(sizes.timers)]
    return [handle.get_result() for handle in [DBOS.start_workflow(sleeper, due) for due in dues]]


def at_once(url: str, sizes: Sizes) -> float:
    """Seconds until each of two processes has carried out a long workflow."""
    command = [sys.executable, "-m", "bench.dbos_side", url, json.dumps(sizes.arguments())]
    both = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("two", "three")
    ]
    for each in both:
        assert each.stdout is not None
        if each.stdout.readline() != "ready\n":
            raise RuntimeError("A second process of DBOS did not start.")
    for each in both:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    return max(float(each.communicate(timeout=600)[0]) for each in both)


def take_part(url: str, sizes: Sizes, name: str) -> None:
    """The second and third process of :func:`at_once`."""
    with running(url, name):
        print("ready", flush=True)
        sys.stdin.readline()
        print(timed(sizes.drive), flush=True)


if __name__ == "__main__":
    wanted = Sizes(**json.loads(sys.argv[2]))
    if len(sys.argv) > 3:
        take_part(sys.argv[1], wanted, sys.argv[3])
    else:
        print(json.dumps(measure(sys.argv[1], wanted)))
