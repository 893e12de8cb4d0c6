"""A transition's writes as SQL: one statement on PostgreSQL, a few inside one transaction on SQLite.

The first part of every write is the *fence*: an update of the instance row that only the holder of the lease can make, at the
very step it read (design/engine-notes.md, section 1). Nothing else is written when it changes no row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper

from engine.machine.turn import EventLine
from engine.store.tables import Table, table

EVENT_FIELDS = ("type", "node_id", "visit_seq", "at", "data")


@dataclass(frozen=True, slots=True)
class Fence:
    """Who may write: the lease's token and the step it read; ``signals`` also demands that no news has come since.

    ``lease_seconds`` from now (the database's clock) is how long the lease then lasts; ``None`` gives it back.
    """

    instance_id: UUID
    token: UUID
    step_no: int
    lease_seconds: float | None
    signals: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row to write. ``kind`` is ``insert``, ``update`` or ``delete``; ``key`` finds it, ``values`` are its fields."""

    kind: str
    table: str
    key: dict[str, Any]
    values: dict[str, Any]


@dataclass(slots=True)
class Batch:
    """Everything one transition writes. ``watchers`` names the root run whose watchers are told, ``None`` for nobody."""

    instance: dict[str, Any]
    rows: list[Row]
    events: Sequence[EventLine]
    at: datetime
    watchers: UUID | None = None


def write(connection: BaseDatabaseWrapper, fence: Fence, batch: Batch) -> int | None:
    """Write ``batch`` if the fence holds; answers the run's ``signal_count``, ``None`` when nothing was written.

    On PostgreSQL this is one statement, and one commit outside a transaction; on SQLite the caller has opened a transaction.
    """
    if connection.vendor == "postgresql":
        return _write_at_once(connection, fence, batch)
    return _write_in_turn(connection, fence, batch)


def lease_until(vendor: str) -> str:
    """SQL for "that many seconds from now" by the database's clock, in the format Django stores; one parameter."""
    if vendor == "postgresql":
        return "clock_timestamp() + make_interval(secs => %s::double precision)"
    return "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')"


class _Parts:
    """SQL text and its parameters, collected together so that they cannot get out of step."""

    def __init__(self, vendor: str) -> None:
        self.vendor = vendor
        self.parameters: list[Any] = []

    def value(self, target: Table, name: str, value: Any) -> str:
        column = target.columns[name]
        self.parameters.append(column.prepare(value))
        return f"%s::{column.sql_type}" if self.vendor == "postgresql" else "%s"

    def assignments(self, target: Table, values: dict[str, Any]) -> str:
        return ", ".join(f"{target.columns[name].name} = {self.value(target, name, v)}" for name, v in values.items())

    def condition(self, target: Table, key: dict[str, Any]) -> str:
        return " AND ".join(
            f"{target.name}.{target.columns[name].name} = {self.value(target, name, v)}" for name, v in key.items()
        )

    def fence(self, fence: Fence, batch: Batch) -> str:
        target = table("instance", self.vendor)
        changes = self.assignments(target, batch.instance)
        if fence.lease_seconds is None:
            lease = "lease_token = NULL, lease_until = NULL"
        else:
            lease = f"lease_until = {lease_until(self.vendor)}"
            self.parameters.append(fence.lease_seconds)
        self.parameters.append(len(batch.events))
        key: dict[str, Any] = {"id": fence.instance_id, "lease_token": fence.token, "step_no": fence.step_no}
        if fence.signals is not None:
            key["signal_count"] = fence.signals
        return (
            f"UPDATE {target.name} SET {changes}, {lease}, step_no = step_no + 1, event_count = event_count + %s "
            f"WHERE {self.condition(target, key)} RETURNING id, signal_count, event_count"
        )

    def tuple_of(self, target: Table, row: Row) -> str:
        given = {target.columns[name].name: value for name, value in {**row.key, **row.values}.items()}
        columns = [(name, target.columns[name]) for name in target.always]
        values = [given[column.name] if column.name in given else column.default() for _, column in columns]
        return f"({', '.join(self.value(target, name, v) for (name, _), v in zip(columns, values, strict=True))})"

    def event(self, target: Table, line: EventLine, at: datetime) -> str:
        values = (line.type, line.node_id, line.visit_seq, at, line.data)
        return ", ".join(self.value(target, name, v) for name, v in zip(EVENT_FIELDS, values, strict=True))


def _names(target: Table) -> str:
    return ", ".join(target.columns[name].name for name in target.always)


def _change(parts: _Parts, row: Row, source: str = "") -> str:
    target = table(row.table, parts.vendor)
    if row.kind == "delete":
        using = f" USING {source}" if source else ""
        return f"DELETE FROM {target.name}{using} WHERE {parts.condition(target, row.key)}"
    changes = parts.assignments(target, row.values)
    return f"UPDATE {target.name} SET {changes}{f' FROM {source}' if source else ''} WHERE {parts.condition(target, row.key)}"


def _write_at_once(connection: BaseDatabaseWrapper, fence: Fence, batch: Batch) -> int | None:
    parts = _Parts("postgresql")
    steps = [f"fence AS ({parts.fence(fence, batch)})"]
    for number, (kind, group) in enumerate(_groups(batch.rows)):
        if kind == "insert":
            target = table(group[0].table, "postgresql")
            tuples = ", ".join(parts.tuple_of(target, row) for row in group)
            body = f"INSERT INTO {target.name} ({_names(target)}) SELECT v.* FROM fence, (VALUES {tuples}) AS v"
        else:
            body = _change(parts, group[0], "fence")
        steps.append(f"w{number} AS ({body})")
    if batch.events:
        target = table("event", "postgresql")
        tuples = ", ".join(
            f"({number - len(batch.events)}, {parts.event(target, line, batch.at)})"
            for number, line in enumerate(batch.events, start=1)
        )
        steps.append(
            f"events AS (INSERT INTO {target.name} (instance_id, number, {', '.join(EVENT_FIELDS)}) "
            f"SELECT fence.id, fence.event_count + v.place, {', '.join(f'v.{name}' for name in EVENT_FIELDS)} "
            f"FROM fence, (VALUES {tuples}) AS v(place, {', '.join(EVENT_FIELDS)}))"
        )
    told = ""
    if batch.watchers is not None:
        told = ", pg_notify('sultana_events', %s)"
        parts.parameters.append(str(batch.watchers))
    sql = f"WITH {', '.join(steps)} SELECT signal_count{told} FROM fence"
    connection.ensure_connection()
    # Parameters go to the server apart from the text, so that a statement is prepared once per shape and not planned again.
    with psycopg.Cursor(connection.connection) as cursor:
        found = cursor.execute(sql.encode(), parts.parameters).fetchone()
        return None if found is None else int(found[0])


def _write_in_turn(connection: BaseDatabaseWrapper, fence: Fence, batch: Batch) -> int | None:
    vendor = connection.vendor
    with connection.cursor() as cursor:
        parts = _Parts(vendor)
        cursor.execute(parts.fence(fence, batch), parts.parameters)
        found = cursor.fetchone()
        if found is None:
            return None
        _, signals, event_count = found
        for kind, group in _groups(batch.rows):
            parts = _Parts(vendor)
            if kind == "insert":
                target = table(group[0].table, vendor)
                tuples = ", ".join(parts.tuple_of(target, row) for row in group)
                cursor.execute(f"INSERT INTO {target.name} ({_names(target)}) VALUES {tuples}", parts.parameters)
            else:
                cursor.execute(_change(parts, group[0]), parts.parameters)
        if batch.events:
            _insert_events(cursor, vendor, fence, batch, event_count - len(batch.events))
    return int(signals)


def _insert_events(cursor: Any, vendor: str, fence: Fence, batch: Batch, before: int) -> None:
    parts, target = _Parts(vendor), table("event", vendor)
    tuples = []
    for number, line in enumerate(batch.events, start=before + 1):
        instance = parts.value(target, "instance_id", fence.instance_id)
        tuples.append(f"({instance}, {number}, {parts.event(target, line, batch.at)})")
    names = ", ".join(("instance_id", "number", *EVENT_FIELDS))
    cursor.execute(f"INSERT INTO {target.name} ({names}) VALUES {', '.join(tuples)}", parts.parameters)


def _groups(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Inserts into one table go together; updates and deletes stay alone. The order of tables is that of the rows."""
    inserts: dict[str, list[Row]] = {}
    found: list[tuple[str, list[Row]]] = []
    for row in rows:
        if row.kind != "insert":
            found.append((row.kind, [row]))
        elif row.table in inserts:
            inserts[row.table].append(row)
        else:
            inserts[row.table] = [row]
            found.append(("insert", inserts[row.table]))
    return found
