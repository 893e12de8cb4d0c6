"""Pages of a list whose ids are UUIDv7: in order of creation, so a page begins after an id and costs the same anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet

Row = TypeVar("Row", bound=Model)

SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class Keyset(Generic[Row]):
    """Rows, newest first. ``newer`` and ``older`` are the ids the neighbouring pages end and begin at, if there are any."""

    rows: Sequence[Row]
    newer: UUID | None
    older: UUID | None


def keyset(
    rows: QuerySet[Row],
    *,
    before: UUID | None = None,
    after: UUID | None = None,
    size: int = SIZE,
    branches: Sequence[Q] = (),
) -> Keyset[Row]:
    """The page right below ``before``, right above ``after``, or the newest. One query.

    ``branches`` are conditions of which every row fits exactly one. Of several each is asked for its own newest ids, in one
    query each, and only then the rows: a database that is asked for all at once walks from the newest row on, past
    everything that fits none (docs/decisions/0009-finding-runs.md).
    """
    if len(branches) > 1:
        ids = [pk for branch in branches for pk in _ids(rows.filter(branch), before, after, size)]
        is_upwards = after is not None and before is None
        rows = rows.filter(pk__in=sorted(ids, reverse=not is_upwards)[: size + 1])
    elif branches:
        rows = rows.filter(branches[0])
    found = list(_beginning(rows, before, after, size))
    shown, has_more = found[:size], len(found) > size
    if after is not None and before is None:
        shown.reverse()
        return Keyset(shown, shown[0].pk if has_more else None, shown[-1].pk if shown else None)
    newer = shown[0].pk if shown and before is not None else None
    return Keyset(shown, newer, shown[-1].pk if has_more else None)


def _beginning(rows: QuerySet[Row], before: UUID | None, after: UUID | None, size: int) -> QuerySet[Row]:
    """One row more than the page has, beginning with the one next to where it starts."""
    if after is not None and before is None:
        return rows.filter(pk__gt=after).order_by("pk")[: size + 1]
    below = rows if before is None else rows.filter(pk__lt=before)
    return below.order_by("-pk")[: size + 1]


def _ids(rows: QuerySet[Row], before: UUID | None, after: UUID | None, size: int) -> list[UUID]:
    return list(_beginning(rows, before, after, size).values_list("pk", flat=True))


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
