"""Finding runs by what they were started with (docs/decisions/0009-finding-runs.md).

The short plain values of a run's input are kept as terms beside it, written in the transaction that writes the run. A text
finds the runs with a term that begins with it; capitals and blanks make no difference.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from engine.models import Instance, SearchTerm
from flows.values import dumps

TERMS_PER_RUN: Final = 16
TERM_LENGTH: Final = 80
LOOKED_AT: Final = 400
"""Values of an input that are looked at: one of a megabyte must not hold up its start."""
FOUND_AT_MOST: Final = 1000
"""Runs that the beginning of a value finds. Of more there is no order by age that an index could give."""


def terms_of(value: Any) -> list[str]:
    """The terms of an input: its texts and numbers, the outer ones first, each once and cut to a length."""
    terms: dict[str, None] = {}
    for scalar in _scalars(value):
        if term := normal(scalar if isinstance(scalar, str) else dumps(scalar)):
            terms[term] = None
        if len(terms) == TERMS_PER_RUN:
            break
    return list(terms)


def normal(text: str) -> str:
    """A text as terms are written: without capitals, outer blanks and doubled ones; PostgreSQL cannot keep a NUL."""
    words = text[: 4 * TERM_LENGTH].replace("\0", " ").split()
    return " ".join(words).casefold()[:TERM_LENGTH]


def index(runs: Iterable[Instance]) -> None:
    """Write the terms of new runs, inside the transaction that writes these."""
    SearchTerm.objects.bulk_create(
        [SearchTerm(instance_id=run.id, term=term) for run in runs for term in terms_of(run.input)]
    )


def find(text: str) -> set[UUID] | None:
    """The runs that have a term which begins with ``text``; ``None`` when there are more than ``FOUND_AT_MOST``.

    A range where text is ordered by its characters (SQLite); a pattern where the index was made for patterns (PostgreSQL), as
    the order of a database's language would not do.
    """
    term = normal(text)
    in_range = Q(term__gte=term, term__lt=term + chr(0x10FFFF))
    wanted = Q(term__startswith=term) if connection.vendor == "postgresql" else in_range
    # A run may have several terms that begin alike.
    terms = SearchTerm.objects.filter(wanted).values_list("instance_id", flat=True)
    found = terms[: FOUND_AT_MOST * 2 + 1]
    ids = set(found)
    return ids if len(found) <= FOUND_AT_MOST * 2 and len(ids) <= FOUND_AT_MOST else None


def equal_to(text: str) -> QuerySet[SearchTerm, Any]:
    """The ids of the runs that have exactly this term, as a subquery: an index has them in their order, however many."""
    return SearchTerm.objects.filter(term=normal(text)).values("instance_id")


def _scalars(value: Any) -> Iterator[str | int | float]:
    """Breadth first: what names a run stands at the top of its input, what it is made of lies below."""
    waiting, looked_at = deque([value]), 0
    while waiting and looked_at < LOOKED_AT:
        each = waiting.popleft()
        looked_at += 1
        if isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, str | int | float) and not isinstance(each, bool):
            yield each
