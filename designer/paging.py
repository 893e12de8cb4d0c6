"""Pages of a list whose ids are UUIDv7: in order of creation, so a page begins after an id and costs the same anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)

SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class Keyset(Generic[Row]):
    """Rows, newest first. ``newer`` and ``older`` are the ids the neighbouring pages end and begin at, if there are any."""

    rows: Sequence[Row]
    newer: UUID | None
    older: UUID | None


def keyset(
    rows: QuerySet[Row], *, before: UUID | None = None, after: UUID | None = None, size: int = SIZE
) -> Keyset[Row]:
    """The page right below ``before``, right above ``after``, or the newest. One query."""
    if after is not None and before is None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        shown = found[:size][::-1]
        return Keyset(shown, shown[0].pk if len(found) > size else None, shown[-1].pk if shown else None)
    below = rows if before is None else rows.filter(pk__lt=before)
    found = list(below.order_by("-pk")[: size + 1])
    shown = found[:size]
    newer = shown[0].pk if shown and before is not None else None
    return Keyset(shown, newer, shown[-1].pk if len(found) > size else None)


def first_id_at(moment: datetime) -> UUID:
    """The smallest UUIDv7 of that moment: what was made since then has this id or a greater one.

    A moment before 1970 or in a too distant future counts as the first or last one that ids can tell.
    """
    milliseconds = min(max(int(moment.timestamp() * 1000), 0), 2**48 - 1)
    return UUID(int=milliseconds << 80)


def as_uuid(text: str | None) -> UUID | None:
    """``None`` for what is no id: a link somebody cut off is no reason to fail."""
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
