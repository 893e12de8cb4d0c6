"""Two versions of a flow side by side: what static/designer/compare.js draws, and what else could be compared."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404
from django.templatetags.static import static
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from designer.catalogue import catalogue
from designer.design_words import words
from flows.loader import load
from flows.models import Flow, FlowVersion

DRAFT: Final = "draft"
LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class Side:
    """One of both. ``value`` is what the address says for it: ``draft`` or a number."""

    value: str
    name: str
    text: str


def side_of(flow: Flow, asked: str) -> Side:
    """The draft or the published version of that number. Raises :class:`Http404` for anything else."""
    if asked == DRAFT:
        return Side(DRAFT, _("The draft"), flow.draft)
    number = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
    version = flow.versions.published().filter(number=number).first()
    if version is None:
        raise Http404(f"This flow has no version {asked[:20]!r}.")
    return _side(version)


def _side(version: FlowVersion) -> Side:
    return Side(str(version.number), _name(version.number), version.source)


def _name(number: int | None) -> str:
    return _("Version %(n)d") % {"n": number}


def sides_of(flow: Flow, before: str, after: str) -> tuple[Side, Side] | None:
    """Both sides; where one is not named, the draft is compared with the newest version, and a version with the one
    before it (the first one with itself). ``None`` when nothing is published that could be compared."""
    newer = side_of(flow, after or DRAFT)
    if before:
        return side_of(flow, before), newer
    earlier = flow.versions.published().newest_first()
    if newer.value != DRAFT:
        earlier = earlier.filter(number__lt=int(newer.value))
    version = earlier.first()
    if version is not None:
        return _side(version), newer
    return None if newer.value == DRAFT else (newer, newer)


def comparison(flow: Flow, before: Side, after: Side) -> dict[str, Any]:
    """The data of the page's script. Raises :class:`DocumentError` for a draft that cannot be read."""
    return {
        "title": str(flow),
        "language": get_language(),
        "words": words(),
        "icons": static("icons.svg"),
        "catalogue": catalogue(flow.workspace),
        "before": load(before.text).content,
        "after": load(after.text).content,
    }


def choices_of(flow: Flow) -> list[tuple[str, str]]:
    """What can be compared, newest first, as the options of a list."""
    numbers = flow.versions.published().newest_first().values_list("number", flat=True)[:LISTED]
    return [(DRAFT, _("The draft")), *((str(number), _name(number)) for number in numbers)]
