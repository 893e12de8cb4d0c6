"""A cluster like that of ``manage.py flowcluster``, on tables of the tests; forked, which saves the start of Python."""

import logging.config
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django_q.conf import Conf

from engine.cluster import identity, linux
from engine.cluster.cluster import run_cluster
from engine.cluster.sentinel import Hooks
from engine.cluster.timekeeper import Timekeeper
from tests.engine.cluster import notes


def host(parent: int, workers: int, is_linux: bool, log: Path) -> None:
    """The body of a process: run a cluster until it is asked to stop; exits with the code of run_cluster()."""
    linux.die_with_parent(parent)
    linux.IS_LINUX = is_linux
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stderr = os.fdopen(2, "w", buffering=1)
    logging.config.dictConfig(settings.LOGGING)
    Conf.WORKERS = workers
    identity.set_node_name(identity.new_node_name())
    hooks = Hooks(worker_died=lambda name: notes.write("died", name), beat=lambda node: notes.write("beat", node))
    sys.exit(run_cluster(hooks, Timekeeper(next_due, fire_due, [(0.5, chore)])))


def next_due() -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(due_at) FROM cluster_timer WHERE fired_at IS NULL")
        (due,) = cursor.fetchone()
        return None if due is None else datetime.fromtimestamp(due, UTC)


def fire_due() -> int:
    now = time.time()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE cluster_timer SET fired_at = %s WHERE fired_at IS NULL AND due_at <= %s", [now, now])
        return int(cursor.rowcount)


def chore() -> None:
    notes.write("chore")
    raise RuntimeError("a chore that always fails")
