"""One field of a form: what it is called, what it is made of, and how the browser shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from designer.catalogue.sections import MAIN

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Words
else:
    Words = str

Type: TypeAlias = Literal[
    "text",  # one line
    "long",  # several lines
    "template",  # one line in which {{ }} stands for a value
    "long_template",
    "condition",
    "value",  # a template that may give anything
    "number",
    "count",  # a whole number from 0
    "share",  # from 0 to 1
    "flag",
    "choice",
    "milliseconds",
    "seconds",  # or a template
    "duration",  # words such as 2d, or a template
    "function",
    "agent",
    "flow",
    "person",  # somebody, a group or an agent; or a template
    "target",  # who is told: the name of a notification target
    "step",  # where a jump leads
    "child",  # a step of this container
    "values",  # names with templates as values; `of_function` says whose arguments, `of_result` whose results
    "rows",  # a list of objects, a column for each field in `of`
    "steps",  # a list of steps that stand in no tree, each with the fields in `of`
    "words",  # a list of texts
    "schema",  # a JSON Schema, built like a form
    "retry",  # how often and how soon: a preset or numbers
    "group",  # an object with the fields in `of`
    "json",  # anything, as text
]
TYPES: Final = Type.__args__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Field:
    """``name`` is the key in the definition, ``covers`` further keys that the same control writes."""

    name: str
    type: Type
    word: "Words | str"
    help: "Words | str" = ""
    section: str = MAIN
    default: Any = None
    choices: Mapping[str, "Words | str"] = field(default_factory=dict)
    of: Sequence["Field"] = ()
    of_function: str = ""
    of_result: str = ""
    covers: Sequence[str] = ()
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Shown only where other fields of the step have one of these values; a field that is set is always shown."""
    rests: bool = False
    """Where ``only`` does not hold the value means nothing: it is kept, and named instead of shown."""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values in the reader's language; what says nothing is left out."""
        said = {
            "name": self.name,
            "type": self.type,
            "word": str(self.word),
            "section": self.section,
            "help": str(self.help),
            "default": self.default,
            "choices": [{"value": value, "word": str(word)} for value, word in self.choices.items()],
            "of": [each.as_json() for each in self.of],
            "of_function": self.of_function,
            "of_result": self.of_result,
            "covers": list(self.covers),
            "only": {name: list(values) for name, values in self.only.items()},
            "rests": self.rests or None,
        }
        return {name: value for name, value in said.items() if value not in ("", None, [], {})}
