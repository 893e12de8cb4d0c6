"""`and` and `or` containers: all children in order, or the one a rule chooses (reference/flow-format.md, section 6)."""

from collections.abc import Iterator
from typing import Any

from engine.machine import expressions, ladder, paths
from engine.machine.faults import evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node


class AndContainer(Kind):
    """Children in order; their outputs are ordinary steps' outputs, the container's own is null."""

    def enter(self, turn: Turn, node: Node) -> None:
        paths.open_container(turn, node)
        if node.children:
            turn.target = node.children[0]
        else:
            paths.go_on(turn, paths.close_container(turn))

    def body_ended(self, turn: Turn) -> bool:
        paths.close_container(turn)
        return True

    def left(self, turn: Turn) -> None:
        paths.close_container(turn)


class OrContainer(AndContainer):
    """The child of the first true rule; none true: the container is skipped."""

    def enter(self, turn: Turn, node: Node) -> None:
        try:
            chosen = _choose(turn, node)
        except ExpressionError as error:
            ladder.fail_at_the_door(turn, node, evaluation(error, "rules"))
            return
        if chosen is None:
            paths.skip(turn, node)
            return
        paths.open_container(turn, node)
        turn.target = chosen


def _choose(turn: Turn, node: Node) -> int | None:
    """The index of the child to run, ``None`` for none. Without any rule it is the first child."""
    rules = list(_rules(turn, node))
    if not rules:
        return node.children[0] if node.children else None
    return next((child for condition, child in rules if expressions.holds(turn, condition)), None)


def _rules(turn: Turn, node: Node) -> Iterator[tuple[Any, int]]:
    """Conditions with the children they choose: the container's ``rules``, else each child's own condition."""
    children = {turn.node(index).id: index for index in node.children}
    declared = node.settings.get("rules") or []
    for rule in declared:
        yield rule.get("condition"), children[rule["next_step"]]
    if not declared:
        for index in node.children:
            condition = turn.node(index).settings.get("condition")
            if condition is not None and turn.node(index).kind != kinds.DECISION:
                yield condition, index


KINDS[kinds.AND] = AndContainer()
KINDS[kinds.OR] = OrContainer()
