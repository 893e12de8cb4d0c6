"""Conditions and templates of the definition, evaluated where the run stands.

Pure. A template that names single steps is given those alone, so its cost does not grow with the run.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.machine.context import MISSING, Context, Only
from engine.machine.position import Position
from engine.machine.run import Bound
from engine.machine.turn import Turn
from flows.expressions import Condition, ExpressionError, Template, parse_condition, parse_template
from flows.graph import Node
from flows.values import dumps


def holds(turn: Turn, condition: Any) -> bool:
    """Whether a condition field is true here. Raises ``ExpressionError``."""
    parsed = parse_condition(condition)
    return parsed.holds(_names(turn, parsed, MISSING))


def resolve(turn: Turn, value: Any, *, output: Any = MISSING, given: Mapping[str, Any] | None = None) -> Any:
    """A templated value, resolved here: the caller's own copy. Raises ``ExpressionError``.

    ``output`` is the step's fresh output where the field may read it, ``given`` names that it may read beside the run's.
    """
    template = parse_template(value)
    if template.is_constant:
        return value
    names = _names(turn, template, output)
    return json.loads(dumps(template.resolve(_Beside(given, names) if given else names)))


class _Beside(Mapping[str, Any]):
    """Some names beside those of a run, and before them."""

    def __init__(self, given: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        self._given = given
        self._names = names

    def __getitem__(self, name: str) -> Any:
        return self._given[name] if name in self._given else self._names[name]

    def __iter__(self) -> Iterator[str]:
        return iter({*self._given, *self._names})

    def __len__(self) -> int:
        return len({*self._given, *self._names})


def text(turn: Turn, value: Any) -> str:
    """A templated field that is shown to people, as text. Raises ``ExpressionError``."""
    resolved = resolve(turn, value)
    if resolved is None:
        return ""
    return resolved if isinstance(resolved, str) else dumps(resolved)


def label(turn: Turn, node: Node) -> str:
    """A step's ``action`` as people read it; as authored where it cannot be evaluated, for a label must never fail a step."""
    authored = node.settings.get("action")
    if not isinstance(authored, str):
        return node.id
    try:
        return text(turn, authored)
    except ExpressionError:
        return authored


def resolve_as_of(turn: Turn, value: Any, bindings: Mapping[str, Bound], position: Position, output: Any) -> Any:
    """A templated value of a visit that ended before: read with its own ``output``, bound and placed as it was."""
    context = Context(turn.run.facts, position, bindings, turn.outputs, {}, turn.entries, output)
    return json.loads(dumps(parse_template(value).resolve(context)))


def _names(turn: Turn, parsed: Condition | Template, output: Any) -> Context | Only:
    context = turn.context(output)
    bindings = context.bindings
    wanted: dict[str, set[str]] = {"steps": set(), "history": set()}
    for reference in parsed.references():
        if reference.root in wanted:
            if not reference.path:
                return context
            wanted[reference.root].add(str(reference.path[0].name))
    names = {name: frozenset(nodes) for name, nodes in wanted.items()}
    return Only(context, bindings, turn.outputs, names)
