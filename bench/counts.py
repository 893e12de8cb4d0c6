"""How many transactions and syncs a step costs, as PostgreSQL itself counts them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields

import psycopg
from django.db import connection

from bench.definitions import Published
from bench.workers import run_quietly, running_cluster

_SNAPSHOT = """
    SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = %(name)s) AS commits,
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS writes,
           (SELECT sum(fsyncs)::bigint FROM pg_stat_io WHERE object = 'wal') AS fsyncs
"""
"""PostgreSQL 18 counts the syncs of its log in pg_stat_io, no more in pg_stat_wal. Whoever writes takes a number from the
sequence of transactions, whoever only reads does not: so the snapshot's end counts the writing ones."""


@dataclass(frozen=True, slots=True)
class Counts:
    commits: int
    writes: int
    fsyncs: int

    def __sub__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, each.name) - getattr(other, each.name) for each in fields(self)))


def measure(drive: Published, short: Published, *, runs: int, warm_up: Published) -> dict[str, float]:
    """Per step, over one run of ``drive`` and over so many runs of ``short``: ``commits``, ``writes``, ``reads``, ``fsyncs``.

    Everything is counted, from the start of the run to the acknowledged message. What an idle cluster does in the same time
    (it beats, sweeps, and looks at the queue) is counted the same way and taken off.
    """
    return {
        **_per_step("drive", drive, 1, warm_up),
        **_per_step("flow", short, runs, warm_up),
    }


def _per_step(name: str, flow: Published, runs: int, warm_up: Published) -> dict[str, float]:
    lasted = 0.0

    def busy() -> None:
        nonlocal lasted
        lasted = run_quietly(flow, runs)

    found = _counted(busy, warm_up) - _counted(lambda: time.sleep(lasted), warm_up)
    steps = runs * flow.steps
    return {
        f"{name}_commits": found.commits / steps,
        f"{name}_writes": found.writes / steps,
        f"{name}_reads": (found.commits - found.writes) / steps,
        f"{name}_fsyncs": found.fsyncs / steps,
    }


def _counted(work: Callable[[], None], warm_up: Published) -> Counts:
    """What the whole life of a cluster with one worker costs, ``work`` included: processes report all they did when they end."""
    parameters = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**parameters, autocommit=True) as outside:
        before = _settled(outside)
        with running_cluster(1, warm_up):
            work()
        return _settled(outside) - before


def _settled(outside: "psycopg.Connection[tuple[object, ...]]") -> Counts:
    """The counts once nobody is connected any more."""
    name = connection.settings_dict["NAME"]
    connection.close()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = outside.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [name]).fetchone()
        if found == (0,):
            row = outside.execute(_SNAPSHOT, {"name": name}).fetchone()
            assert row is not None
            return Counts(*(int(str(each)) for each in row))
        time.sleep(0.05)
    raise RuntimeError(f"Somebody is still connected to {name}.")
