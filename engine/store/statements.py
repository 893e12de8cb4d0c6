"""A transition's writes as SQL: one statement on PostgreSQL, a few inside one transaction on SQLite.

The first part of every write is the *fence*: an update of the instance row that only the holder of the lease can make, at the
very step it read (design/engine-notes.md, section 1). Nothing else is written when it changes no row.

The text of a statement depends on its shape alone (which tables, which columns), so it is composed once per shape and kept;
PostgreSQL prepares it once per connection. A run has a few dozen shapes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeAlias
from uuid import UUID

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper

from engine.machine.turn import EventLine
from engine.store.tables import Column, Table, as_is, table

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
    """Everything one transition writes. ``tells`` are the channels with their payloads that are notified at the commit."""

    instance: dict[str, Any]
    rows: list[Row]
    events: Sequence[EventLine]
    at: datetime
    tells: tuple[tuple[str, str], ...] = ()


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


# --- shapes: what the text of a statement depends on -------------------------------------------------------------------

RowShape: TypeAlias = tuple[str, str, tuple[str, ...], tuple[str, ...], int]
"""Kind, table, names of the key's and the values' fields, and the number of rows (more than one for inserts alone)."""


@dataclass(frozen=True, slots=True)
class _Shape:
    vendor: str
    instance: tuple[str, ...]
    keeps_lease: bool
    asks_signals: bool
    rows: tuple[RowShape, ...]
    events: int
    tells: int


@dataclass(frozen=True, slots=True)
class _Statement:
    """One text, and how parameters are made ready for the driver, by place: of some sixty only a dozen need it."""

    text: str
    prepare: tuple[tuple[int, Callable[[Any], Any]], ...]

    def parameters(self, values: list[Any]) -> list[Any]:
        """The same list, made ready."""
        for place, prepare in self.prepare:
            values[place] = prepare(values[place])
        return values


class _Composer:
    """Text and preparers, collected together so that they cannot get out of step.

    PostgreSQL takes numbered parameters with their types, SQLite question marks.
    """

    def __init__(self, vendor: str) -> None:
        self.numbered = vendor == "postgresql"
        self.prepare: list[Callable[[Any], Any]] = []

    def take(self, sql_type: str, prepare: Callable[[Any], Any]) -> str:
        self.prepare.append(prepare)
        return f"${len(self.prepare)}::{sql_type}" if self.numbered else "?"

    def preparers(self) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
        return tuple((place, prepare) for place, prepare in enumerate(self.prepare) if prepare is not as_is)

    def column(self, column: Column) -> str:
        return self.take(column.sql_type, column.prepare)

    def assignments(self, target: Table, names: Sequence[str]) -> str:
        return ", ".join(f"{target.columns[name].name} = {self.column(target.columns[name])}" for name in names)

    def condition(self, target: Table, names: Sequence[str]) -> str:
        return " AND ".join(
            f"{target.name}.{target.columns[name].name} = {self.column(target.columns[name])}" for name in names
        )

    def tuples(self, columns: Sequence[Column], count: int) -> str:
        return ", ".join(f"({', '.join(self.column(column) for column in columns)})" for _ in range(count))


def _fence_text(composer: _Composer, shape: _Shape) -> str:
    """The fence, and in its parameters: the instance's columns, lease seconds, number of events, then the condition."""
    target = table("instance", shape.vendor)
    changes = composer.assignments(target, shape.instance)
    lease = "lease_token = NULL, lease_until = NULL"
    if shape.keeps_lease:
        seconds = composer.take("double precision", as_is)
        until = lease_until(shape.vendor).replace("%s::double precision", seconds).replace("%s ||", f"{seconds} ||")
        lease = f"lease_until = {until.replace('%%', '%')}"
    count = composer.take("integer", as_is)
    names = ("id", "lease_token", "step_no", *(("signal_count",) if shape.asks_signals else ()))
    return (
        f"UPDATE {target.name} SET {changes}, {lease}, step_no = step_no + 1, event_count = event_count + {count} "
        f"WHERE {composer.condition(target, names)} RETURNING id, signal_count, event_count"
    )


def _fence_values(fence: Fence, batch: Batch) -> list[Any]:
    lease = [] if fence.lease_seconds is None else [fence.lease_seconds]
    signals = [] if fence.signals is None else [fence.signals]
    key = [fence.instance_id, fence.token, fence.step_no]
    return [*batch.instance.values(), *lease, len(batch.events), *key, *signals]


def _columns(target: Table) -> list[Column]:
    return [target.columns[name] for name in target.always]


def _insert_values(target: Table, row: Row) -> list[Any]:
    """A row's values in the order of the table's columns; a field it does not name takes the model's default."""
    given = row.key | row.values
    return [
        given[attribute] if attribute in given else given[name] if name in given else default()
        for attribute, name, default in target.fields
    ]


def _row_values(vendor: str, shape: RowShape, group: list[Row]) -> list[Any]:
    if shape[0] == "insert":
        target = table(shape[1], vendor)
        return [value for row in group for value in _insert_values(target, row)]
    return [*group[0].values.values(), *group[0].key.values()]


def _row_text(composer: _Composer, vendor: str, shape: RowShape, source: str) -> str:
    kind, name, key, values, count = shape
    target = table(name, vendor)
    if kind == "insert":
        columns = _columns(target)
        names = ", ".join(column.name for column in columns)
        tuples = composer.tuples(columns, count)
        rows = f"SELECT v.* FROM {source}, (VALUES {tuples}) AS v" if source else f"VALUES {tuples}"
        return f"INSERT INTO {target.name} ({names}) {rows}"
    if kind == "delete":
        return _delete_text(composer, target, key, source)
    changes = composer.assignments(target, values)
    other = f" FROM {source}" if source else ""
    return f"UPDATE {target.name} SET {changes}{other} WHERE {composer.condition(target, key)}"


def _delete_text(composer: _Composer, target: Table, key: Sequence[str], source: str) -> str:
    """A delete that leaves alone what another transaction has locked: a wake-up that just fires is harmless, and waiting for
    the timekeeper, which waits for the run's row, would never end."""
    if not source:
        return f"DELETE FROM {target.name} WHERE {composer.condition(target, key)}"
    found = f"SELECT id FROM {target.name} WHERE {composer.condition(target, key)} FOR UPDATE SKIP LOCKED"
    return f"DELETE FROM {target.name} USING {source} WHERE {target.name}.id IN ({found})"


def _groups(rows: Sequence[Row]) -> list[tuple[RowShape, list[Row]]]:
    """Inserts into one table go together; updates and deletes stay alone. The order of tables is that of the rows."""
    inserts: dict[str, list[Row]] = {}
    found: list[list[Row]] = []
    for row in rows:
        if row.kind == "insert" and row.table in inserts:
            inserts[row.table].append(row)
            continue
        found.append([row])
        if row.kind == "insert":
            inserts[row.table] = found[-1]
    return [(_shape_of(group), group) for group in found]


def _shape_of(group: list[Row]) -> RowShape:
    first = group[0]
    if first.kind == "insert":
        return (first.kind, first.table, (), (), len(group))
    return (first.kind, first.table, tuple(first.key), tuple(first.values), 1)


# --- PostgreSQL: one statement -----------------------------------------------------------------------------------------


def _write_at_once(connection: BaseDatabaseWrapper, fence: Fence, batch: Batch) -> int | None:
    groups = _groups(batch.rows)
    shape = _Shape(
        "postgresql",
        tuple(batch.instance),
        fence.lease_seconds is not None,
        fence.signals is not None,
        tuple(shape for shape, _ in groups),
        len(batch.events),
        len(batch.tells),
    )
    values = _fence_values(fence, batch)
    for row_shape, group in groups:
        values += _row_values("postgresql", row_shape, group)
    for line in batch.events:
        values += (line.type, line.node_id, line.visit_seq, batch.at, line.data)
    for channel, payload in batch.tells:
        values += (channel, payload)
    statement = _at_once(shape)
    connection.ensure_connection()
    # Parameters go to the server apart from the text, so that a statement is prepared once per shape and not planned again.
    with psycopg.RawCursor(connection.connection) as cursor:
        found = cursor.execute(statement.text.encode(), statement.parameters(values)).fetchone()
        return None if found is None else int(found[0])


@lru_cache(maxsize=1024)
def _at_once(shape: _Shape) -> _Statement:
    composer = _Composer(shape.vendor)
    parts = [f"fence AS ({_fence_text(composer, shape)})"]
    for number, row in enumerate(shape.rows):
        parts.append(f"w{number} AS ({_row_text(composer, shape.vendor, row, 'fence')})")
    if shape.events:
        parts.append(f"events AS ({_events_text(composer, shape.events)})")
    told = "".join(
        f", pg_notify({composer.take('text', as_is)}, {composer.take('text', as_is)})" for _ in range(shape.tells)
    )
    return _Statement(f"WITH {', '.join(parts)} SELECT signal_count{told} FROM fence", composer.preparers())


def _events_text(composer: _Composer, count: int) -> str:
    """Events take their numbers from the count the fence just raised: gapless, and in the order of commits."""
    target = table("event", "postgresql")
    columns = [target.columns[name] for name in EVENT_FIELDS]
    tuples = ", ".join(
        f"({place - count}, {', '.join(composer.column(column) for column in columns)})"
        for place in range(1, count + 1)
    )
    names = ", ".join(column.name for column in columns)
    picked = ", ".join(f"v.{column.name}" for column in columns)
    return (
        f"INSERT INTO {target.name} (instance_id, number, {names}) "
        f"SELECT fence.id, fence.event_count + v.place, {picked} FROM fence, (VALUES {tuples}) AS v(place, {names})"
    )


# --- SQLite: a few statements in the caller's transaction ---------------------------------------------------------------


def _write_in_turn(connection: BaseDatabaseWrapper, fence: Fence, batch: Batch) -> int | None:
    vendor = connection.vendor
    shape = _Shape(vendor, tuple(batch.instance), fence.lease_seconds is not None, fence.signals is not None, (), 0, 0)
    with connection.wrap_database_errors:
        # The driver itself: Django's cursor would search each text for its placeholders, seven times a step.
        execute = connection.connection.execute
        statement = _fence_alone(shape)
        found = execute(statement.text, statement.parameters(_fence_values(fence, batch))).fetchone()
        if found is None:
            return None
        _, signals, event_count = found
        for row_shape, group in _groups(batch.rows):
            statement = _row_alone(vendor, row_shape)
            execute(statement.text, statement.parameters(_row_values(vendor, row_shape, group)))
        if batch.events:
            rows = _event_rows(fence, batch, event_count - len(batch.events))
            statement = _row_alone(vendor, ("insert", "event", (), (), len(rows)))
            execute(statement.text, statement.parameters(_row_values(vendor, _shape_of(rows), rows)))
    return int(signals)


def _event_rows(fence: Fence, batch: Batch, before: int) -> list[Row]:
    return [
        Row(
            "insert",
            "event",
            {"instance": fence.instance_id, "number": number},
            {
                "type": line.type,
                "node_id": line.node_id,
                "visit_seq": line.visit_seq,
                "at": batch.at,
                "data": line.data,
            },
        )
        for number, line in enumerate(batch.events, start=before + 1)
    ]


@lru_cache(maxsize=256)
def _fence_alone(shape: _Shape) -> _Statement:
    composer = _Composer(shape.vendor)
    return _Statement(_fence_text(composer, shape), composer.preparers())


@lru_cache(maxsize=1024)
def _row_alone(vendor: str, shape: RowShape) -> _Statement:
    composer = _Composer(vendor)
    return _Statement(_row_text(composer, vendor, shape, ""), composer.preparers())
