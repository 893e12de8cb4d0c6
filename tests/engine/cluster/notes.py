"""A table in which real processes note what they did, for the tests to read."""

import os
import time
from typing import NamedTuple

from django.db import connection


class Note(NamedTuple):
    what: str
    detail: str
    pid: int
    at: float


def create_tables() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE cluster_note (what varchar(50), detail varchar(200), pid integer, at float8)")
        cursor.execute("CREATE TABLE cluster_timer (due_at float8, fired_at float8)")


def drop_tables() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE cluster_note")
        cursor.execute("DROP TABLE cluster_timer")


def write(what: str, detail: object = "") -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO cluster_note (what, detail, pid, at) VALUES (%s, %s, %s, %s)",
            [what, str(detail), os.getpid(), time.time()],
        )


def read(what: str) -> list[Note]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT what, detail, pid, at FROM cluster_note WHERE what = %s ORDER BY at", [what])
        return [Note(*row) for row in cursor.fetchall()]


def details(what: str) -> list[str]:
    return [note.detail for note in read(what)]


def notify(channel: str) -> None:
    """What a writer does on PostgreSQL to wake who waits; on SQLite its commit is enough."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [channel])
