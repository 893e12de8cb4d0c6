"""The methods and filters of the expression language, as completion offers them (reference/expressions.md, sections 7, 11)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words

ANY: Final = ("string", "array", "object", "integer", "float", "boolean")
TEXT: Final = ("string",)
LIST: Final = ("array",)
EMPTY: Final = ("string", "array", "object")


@dataclass(frozen=True, slots=True)
class Word:
    """``arguments`` are put between brackets, ``on`` are the types it works on, ``gives`` is the type that comes out."""

    name: str
    help: "Words | str"
    on: Sequence[str]
    gives: str = ""
    arguments: str | None = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "help": str(self.help),
            "on": list(self.on),
            "gives": self.gives,
            "arguments": self.arguments,
        }


METHODS: Final = (
    Word("length", _("How long a text or list is, how many members; of a text in bytes"), EMPTY, "integer"),
    Word("isEmpty", _("Whether there is nothing in it"), EMPTY, "boolean"),
    Word("isNotEmpty", _("Whether there is something in it"), EMPTY, "boolean"),
    Word("contains", _("Whether it is in the text or list"), ("string", "array"), "boolean", "''"),
    Word("startsWith", _("Whether the text begins so"), TEXT, "boolean", "''"),
    Word("endsWith", _("Whether the text ends so"), TEXT, "boolean", "''"),
    Word("toLowerCase", _("In small letters"), TEXT, "string"),
    Word("toUpperCase", _("In capital letters"), TEXT, "string"),
    Word("trim", _("Without blanks at both ends"), TEXT, "string"),
    Word("substring", _("A part of the text, from and to by bytes"), TEXT, "string", "0, 1"),
    Word("first", _("The first item"), LIST),
    Word("last", _("The last item"), LIST),
    Word("indexOf", _("Where it is in the list, from 0; -1 if it is not"), LIST, "integer", "''"),
    Word("join", _("The items as one text"), LIST, "string", "', '"),
    Word("parent", _("The path above"), TEXT, "string"),
    Word("ancestor", _("The path's beginning of so many parts"), TEXT, "string", "1"),
    Word("depth", _("How many parts the path has"), TEXT, "integer"),
    Word("ancestorOf", _("Whether this path lies above the other"), TEXT, "boolean", "''"),
    Word("descendantOf", _("Whether this path lies below the other"), TEXT, "boolean", "''"),
    Word("childOf", _("Whether this path lies directly below the other"), TEXT, "boolean", "''"),
)
"""Offered behind a dot, those that work on the value before it."""

FILTERS: Final = (
    Word("default", _("Something else where there is nothing"), ANY, "", "''"),
    Word("length", _("How long a text or list is, how many members; of a text in bytes"), EMPTY, "integer", None),
    Word("count", _("The same as length"), EMPTY, "integer", None),
    Word("upper", _("In capital letters"), TEXT, "string", None),
    Word("lower", _("In small letters"), TEXT, "string", None),
    Word("trim", _("Without blanks at both ends"), TEXT, "string", None),
    Word("first", _("The first item"), LIST, "", None),
    Word("last", _("The last item"), LIST, "", None),
    Word("join", _("The items as one text"), LIST, "string", "', '"),
    Word("string", _("As text"), ANY, "string", None),
    Word("tojson", _("As JSON"), ANY, "string", None),
)
"""Offered behind a bar; ``d`` is another spelling of ``default``."""


def language() -> dict[str, Any]:
    """Both lists in the reader's language."""
    return {
        "methods": [each.as_json() for each in METHODS],
        "filters": [each.as_json() for each in FILTERS],
    }
