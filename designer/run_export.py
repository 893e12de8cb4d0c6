"""Lists of runs as files: as many as there are, a few hundred in memory at a time, and no long transaction."""

import csv
import io
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from designer import live
from designer.api.serializers import InstanceSerializer
from designer.presenters.run_rows import lasted
from engine.models import Instance
from flows.values import dumps

BATCH: Final = 500
COLUMNS: Final = (
    "id", "flow", "version", "status", "is_test", "started_by", "created_at", "started_at", "ended_at", "seconds",
    "failed_step", "error",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")

Write = Callable[[Sequence[Instance], bool], str]
"""Rows as text; the flag says whether they are the first."""


async def stream(runs: QuerySet[Instance], form: str) -> AsyncGenerator[bytes]:
    """The runs as ``csv`` or ``json``, newest first. Each batch is a query of its own, which begins where the last one ended."""
    write, end = FORMS[form]
    before: UUID | None = None
    while True:
        text, before, is_last = await live.in_pool(_batch, runs, before, write)
        yield text.encode()
        if is_last:
            break
    yield end.encode()


def _batch(runs: QuerySet[Instance], before: UUID | None, write: Write) -> tuple[str, UUID | None, bool]:
    rest = runs if before is None else runs.filter(pk__lt=before)
    rows = list(rest.order_by("-pk")[:BATCH])
    return write(rows, before is None), rows[-1].pk if rows else None, len(rows) < BATCH


def as_csv(runs: Sequence[Instance], is_first: bool) -> str:
    """Lines of a table, its head before the first; times in UTC."""
    text = io.StringIO()
    table = csv.writer(text)
    if is_first:
        table.writerow(COLUMNS)
    table.writerows([_cell(value) for value in _row(run)] for run in runs)
    return text.getvalue()


def as_json(runs: Sequence[Instance], is_first: bool) -> str:
    """Members of an array, each in the shape the API lists runs in."""
    between = ",\n"
    lines = between.join(dumps(dict(InstanceSerializer(run).data)) for run in runs)
    return ("[\n" if is_first else between if lines else "") + lines


FORMS: Final[Mapping[str, tuple[Write, str]]] = {"csv": (as_csv, ""), "json": (as_json, "\n]\n")}


def _row(run: Instance) -> tuple[Any, ...]:
    error: Any = run.error or {}
    seconds = lasted(run) if run.ended_at else None
    return (
        run.pk,
        run.flow.path,
        run.version.number,
        run.status,
        int(run.is_test),
        run.started_by.get_username() if run.started_by else "",
        run.created_at,
        run.started_at,
        run.ended_at,
        round(seconds.total_seconds(), 3) if seconds is not None else None,
        run.failed_node,
        error.get("message", ""),
    )


def _cell(value: Any) -> Any:
    """A value for a spreadsheet, which must not take what somebody typed for a formula."""
    if isinstance(value, datetime):
        return value.isoformat()
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
