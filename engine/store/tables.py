"""The engine's tables as the store writes them: column names, casts and defaults, read off the models once.

The ORM's lock, insert and save of a step cost several times one raw statement (docs/decisions/0003-one-statement-a-step.md), so
the hot path writes SQL itself; this module keeps that SQL in step with the models.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from flows.fields import RecordedJSONField


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its SQL type (for casts of parameters), and how a Python value becomes a parameter."""

    name: str
    sql_type: str
    prepare: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its SQL name and its columns by field name (``instance_id`` and ``instance`` are the same)."""

    name: str
    columns: dict[str, Column]
    always: tuple[str, ...]
    """The columns an insert must name, in order: all but an automatic key."""
    fields: tuple[tuple[str, str, Callable[[], Any]], ...]
    """For the same columns: the two names of the field, and what gives its default."""


@cache
def table(name: str, vendor: str) -> Table:
    """The table of the engine's model ``name`` for one kind of database."""
    from django.db import connections

    connection = next(each for each in connections.all() if each.vendor == vendor)
    model = apps.get_model("engine", name)
    columns: dict[str, Column] = {}
    always: list[str] = []
    fields: list[tuple[str, str, Callable[[], Any]]] = []
    for field in model._meta.concrete_fields:
        column = Column(field.column, _sql_type(field, connection), _preparer(field, connection))
        columns[field.attname] = columns[field.name] = column
        if not isinstance(field, models.AutoField | models.BigAutoField):
            always.append(field.attname)
            fields.append((field.attname, field.name, field.get_default))
    return Table(model._meta.db_table, columns, tuple(always), tuple(fields))


def as_is(value: Any) -> Any:
    """The preparer of values that need none; whoever meets it may leave it out."""
    return value


def _sql_type(field: "models.Field[Any, Any]", connection: BaseDatabaseWrapper) -> str:
    target = field
    while target.remote_field is not None:
        target = target.target_field  # type: ignore[attr-defined]
    found = target.db_type(connection)
    return {"serial": "integer", "bigserial": "bigint"}.get(str(found), str(found))


def _preparer(field: "models.Field[Any, Any]", connection: BaseDatabaseWrapper) -> Callable[[Any], Any]:
    """How a field's values become parameters: what Django's own saving does, without its detours for plain values."""
    target = field
    while target.remote_field is not None:
        target = target.target_field  # type: ignore[attr-defined]
    if isinstance(target, RecordedJSONField):
        return target.get_prep_value
    if isinstance(target, models.CharField | models.TextField) and connection.vendor == "postgresql":
        return _without_nul
    plain = isinstance(target, models.CharField | models.TextField | models.IntegerField | models.FloatField)
    if plain or connection.vendor == "postgresql":
        return as_is
    if isinstance(target, models.UUIDField):
        return _hex
    if isinstance(target, models.DateTimeField):
        return _utc_text
    return lambda value: target.get_db_prep_save(value, connection)


def _hex(value: UUID | str | None) -> str | None:
    """A UUID as Django keeps it in SQLite; what a run remembers of one is its text."""
    if isinstance(value, str):
        value = UUID(value)
    return None if value is None else value.hex


@lru_cache(maxsize=64)
def _utc_text(value: datetime | None) -> str | None:
    """A moment as Django keeps it in SQLite: UTC, without saying so. A step writes the same one ten times."""
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")


def _without_nul(value: Any) -> Any:
    """PostgreSQL's texts cannot hold the character 0, JSON's can: a title made of an input must not stop its run."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value
