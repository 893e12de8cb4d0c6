"""Under which headings the fields of a step stand, in this order."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

MAIN: Final = "main"
DATA: Final = "data"
TIME: Final = "time"
FAILURE: Final = "failure"
UNDO: Final = "undo"
GUARD: Final = "guard"
MORE: Final = "more"

_SECTIONS: Final = {
    MAIN: (_("What it does"), True),
    DATA: (_("Data"), True),
    TIME: (_("Time"), True),
    FAILURE: (_("If it fails"), True),
    UNDO: (_("Taking it back"), False),
    GUARD: (_("When it runs"), False),
    MORE: (pgettext_lazy("heading", "More"), False),
}


def sections() -> list[dict[str, Any]]:
    """Each with whether it is open when nothing in it is set."""
    return [{"name": name, "word": str(word), "is_open": is_open} for name, (word, is_open) in _SECTIONS.items()]
