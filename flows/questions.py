"""What a run of a flow can come to ask of people: what a test run may want answered in advance.

Pure. Reference: flow-format.md, section 9.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows import kinds
from flows.doctor.library import Definition, Library
from flows.reachable import all_nodes
from flows.samples import sample_of

DEFAULT_CHOICES: Final = ("approve", "reject")


@dataclass(frozen=True, slots=True)
class Question:
    """A human task: the step ``node`` of the flow at ``flow`` (``""``: the flow itself), its choices where it is an approval."""

    flow: str
    node: str
    action: str
    task_type: str
    assignee: str
    choices: tuple[str, ...]
    sample: Any

    @property
    def answers(self) -> list[Any]:
        """Answers that fit: one a choice, else the sample."""
        return [{"action": choice} for choice in self.choices] or [self.sample]


def questions(definition: Definition, library: Library) -> list[Question]:
    """The human tasks of a flow and of those that it runs. Step ids are what answers are given by: the first of a name stays."""
    found: dict[str, Question] = {}
    for flow, node, _ in all_nodes(definition, library):
        if kinds.kind_of(node) == kinds.HUMAN_TASK:
            question = _question(flow, node)
            found.setdefault(question.node, question)
    return list(found.values())


def _question(flow: str, node: kinds.RawNode) -> Question:
    told = kinds.properties(node)
    is_input = told.get("task_type") == "input"
    return Question(
        flow=flow,
        node=str(node.get("id") or ""),
        action=_text(kinds.setting(node, "action")),
        task_type=_text(told.get("task_type")),
        assignee=_text(told.get("assignee")),
        choices=_choices(told.get("options")) if told.get("task_type") == "approval" else (),
        sample=sample_of(told.get("input_schema")) if is_input else {},
    )


def _choices(options: Any) -> tuple[str, ...]:
    listed = options if isinstance(options, list) else []
    values = (each.get("value") for each in listed if isinstance(each, Mapping))
    return tuple(value for value in values if isinstance(value, str)) or DEFAULT_CHOICES


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
