"""What kinds of step and container are called, and their icons (design/look.md, "Look")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy

from flows import kinds

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words


@dataclass(frozen=True, slots=True)
class KindLook:
    """One kind as people see it: the word and the icon's name in static/icons.svg."""

    word: "Words | str"
    icon: str


KINDS: Final = {
    kinds.FUNCTION: KindLook(pgettext_lazy("kind of step", "Function"), "square-function"),
    kinds.HUMAN_TASK: KindLook(pgettext_lazy("kind of step", "Task for a person"), "user-round-check"),
    kinds.WAIT: KindLook(pgettext_lazy("kind of step", "Wait"), "hourglass"),
    kinds.SUB_FLOW: KindLook(pgettext_lazy("kind of step", "Another flow"), "workflow"),
    kinds.DECISION: KindLook(pgettext_lazy("kind of step", "Decision"), "signpost"),
    kinds.STOP: KindLook(pgettext_lazy("kind of step", "Stop"), "octagon-x"),
    kinds.AI_AGENT: KindLook(pgettext_lazy("kind of step", "Agent"), "bot"),
    kinds.CHAT: KindLook(pgettext_lazy("kind of step", "Chat"), "message-square"),
    kinds.AND: KindLook(pgettext_lazy("kind of step", "One after the other"), "list-ordered"),
    kinds.OR: KindLook(pgettext_lazy("kind of step", "One of these"), "git-branch"),
    kinds.PARALLEL: KindLook(pgettext_lazy("kind of step", "Side by side"), "columns-2"),
    kinds.LOOP: KindLook(pgettext_lazy("kind of step", "Again and again"), "repeat"),
    kinds.AI_SEQUENCE: KindLook(pgettext_lazy("kind of step", "Agent with tools"), "sparkles"),
    kinds.COMPETITION: KindLook(pgettext_lazy("kind of step", "Competition"), "trophy"),
}


def look_of(kind: str) -> KindLook:
    """A kind nobody gave a look is shown by its own name."""
    return KINDS.get(kind) or KindLook(kind.replace("_", " ").capitalize(), "circle-dashed")
