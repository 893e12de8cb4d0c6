"""A flow as a diagram to look at: what static/designer/diagram.js needs, with how each step fared in a run."""

from collections.abc import Mapping
from typing import Any

from django.templatetags.static import static
from django.utils.translation import get_language

from designer import words
from designer.catalogue import catalogue
from designer.design_words import words as sentences
from flows.models import Workspace


def diagram(
    title: str, definition: Mapping[str, Any], workspace: Workspace, statuses: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The data of one diagram; ``statuses`` are by the ids of steps, in the words of :mod:`designer.words`."""
    return {
        "title": title,
        "language": get_language(),
        "words": sentences(),
        "icons": static("icons.svg"),
        "content": dict(definition),
        "catalogue": catalogue(workspace),
        "marks": {step: mark(status) for step, status in (statuses or {}).items()},
    }


def mark(status: str) -> dict[str, str]:
    """How a status looks on a step's card."""
    look = words.look_of(status)
    return {"status": status.replace("_", "-"), "word": str(look.word), "icon": look.icon, "tone": look.tone}
