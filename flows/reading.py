"""Which fields of a node are templates or conditions, and whose results they read.

Pure. The fields are those of reference/flow-format.md, sections 4 to 9.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from flows import kinds
from flows.expressions import ExpressionError, Reference, parse_condition, parse_template
from flows.kinds import RawNode
from flows.text import Path

EVERYTHING: Final = "*"
"""Stands for "any node" among the ids a node reads."""

Scope: TypeAlias = Literal["before", "own", "body", "probes", "answer"]
"""What can be read: what ran ``before``; also the node's ``own`` output; also the loop's ``body``; also the ``probes``
of its reconcile; also the ``answer`` to a task."""

Fields: TypeAlias = tuple[tuple[Path, Scope], ...]

COMMON: Final[Fields] = (
    (("action",), "before"),
    (("idempotency_key",), "before"),
    (("undo", "arguments"), "own"),
    (("resources",), "own"),
    (("reconcile", "result"), "probes"),
)
TEMPLATES: Final[Mapping[str, Fields]] = {
    kinds.FUNCTION: ((("arguments",), "before"), (("compensation_input_mapping",), "own")),
    kinds.HUMAN_TASK: tuple(
        ((name,), "before")
        for name in ("assignee", "task_description", "options", "data", "due_in_seconds", "priority")
    ),
    kinds.WAIT: ((("duration",), "before"), (("until",), "before")),
    kinds.SUB_FLOW: ((("input_mapping",), "before"),),
    kinds.AI_AGENT: ((("prompt",), "before"), (("message",), "before")),
    kinds.STOP: ((("reason",), "before"),),
    kinds.OR: ((("router", "prompt"), "before"),),
    kinds.PARALLEL: ((("fan_out", "over"), "before"),),
    kinds.LOOP: ((("loop", "over"), "before"),),
    kinds.AI_SEQUENCE: ((("prompt",), "before"),),
    kinds.COMPETITION: ((("prompt",), "before"), (("referee", "prompt"), "before")),
}
CONDITIONS: Final[Fields] = (
    (("when",), "before"),
    (("condition",), "before"),
    (("loop", "while"), "body"),
    (("loop", "until"), "body"),
    (("response_condition",), "answer"),
    (("reconcile", "outcome"), "probes"),
)


def names_read(references: Iterable[Reference]) -> Iterator[str]:
    """The ids of the nodes whose results are read, :data:`EVERYTHING` for those of any."""
    for reference in references:
        if reference.root in ("steps", "history", "visits"):
            yield str(reference.path[0].name) if reference.path else EVERYTHING


def reads(raw: RawNode) -> tuple[str, ...]:
    """The ids that the templates and conditions of a checked node read, each once."""
    return tuple(dict.fromkeys(name for found in _references(raw) for name in names_read(found)))


def _references(raw: RawNode) -> Iterator[tuple[Reference, ...]]:
    for field, _ in (*COMMON, *TEMPLATES.get(kinds.kind_of(raw), ())):
        value = _at(raw, field)
        if value is not None:
            yield parse_template(value).references()
    rules = kinds.setting(raw, "rules")
    asked = [_at(raw, field) for field, _ in CONDITIONS]
    asked += [rule.get("condition") for rule in rules or () if isinstance(rule, Mapping)]
    for condition in asked:
        try:
            yield parse_condition(condition).references() if condition is not None else ()
        except ExpressionError:
            continue  # the doctor has told what is wrong with it


def _at(raw: RawNode, field: Path) -> Any:
    value = kinds.setting(raw, str(field[0]))
    for key in field[1:]:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
