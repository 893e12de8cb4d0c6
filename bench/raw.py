"""What the machine itself can do: one synced write, and one statement with its commit through Django's connection."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from django.db import connection

ROW = "x" * 200  # about what the rows of a step hold
PAGE = b"x" * 8192


def measure(directory: Path, *, seconds: float) -> dict[str, float]:
    """``fsync_ms``, ``commit_ms`` (both medians) and ``commits_per_s``, each measured for so many seconds."""
    synced = _repeated(_synced_write(directory / "fsync"), seconds)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_raw (id integer, text varchar(400))")
    committed = _repeated(_insert, seconds)
    return {
        "fsync_ms": median(synced) * 1000,
        "commit_ms": median(committed) * 1000,
        "commits_per_s": len(committed) / sum(committed),
    }


def _synced_write(path: Path) -> Callable[[], None]:
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)

    def write() -> None:
        os.write(file, PAGE)
        os.fdatasync(file)

    return write


def _insert() -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_raw (id, text) VALUES (%s, %s)", [1, ROW])


def _repeated(action: Callable[[], None], seconds: float) -> list[float]:
    """How long each call took, in seconds."""
    took: list[float] = []
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        action()
        took.append(time.perf_counter() - begun)
    return took
