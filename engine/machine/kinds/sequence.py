"""`and` and `or` containers: all children in order, or the one a rule chooses (reference/flow-format.md, section 6)."""

from collections.abc import Iterator
from typing import Any

from engine.machine import expressions, ladder, paths, routing, steps
from engine.machine.faults import evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Result
from engine.states import Outcome
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

    def begin_again(self, turn: Turn, node: Node) -> None:
        turn.target = node.children[0]

    def left(self, turn: Turn) -> None:
        paths.close_container(turn)


class OrContainer(AndContainer):
    """The child of the first true rule; none true: the one its router chooses, else the container is skipped."""

    def enter(self, turn: Turn, node: Node) -> None:
        try:
            chosen = _choose(turn, node)
        except ExpressionError as error:
            ladder.fail_at_the_door(turn, node, evaluation(error, "rules"))
            return
        if chosen is not None:
            routing.not_asked(turn, node)
            paths.open_container(turn, node)
            turn.target = chosen
        elif routing.router_of(node) is not None:
            steps.open_step(turn, node)
            routing.ask(turn, node)
        else:
            paths.skip(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        routing.ask(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        routing.answered(turn, node, result, after_rules=any(_rules(turn, node)))

    def body_ended(self, turn: Turn) -> bool:
        self.left(turn)
        return True

    def begin_again(self, turn: Turn, node: Node) -> None:
        """The rules, and where none is true the router, are asked again."""
        try:
            chosen = _choose(turn, node)
        except ExpressionError as error:
            ladder.fail_container(turn, evaluation(error, "rules"))
            return
        if chosen is not None:
            paths.remember(turn, routed=False)
            turn.target = chosen
        elif routing.router_of(node) is not None:
            turn.leaf = turn.suspend()
            self.try_again(turn, node)
        else:
            paths.close_container(turn, Outcome.SKIPPED)
            paths.go_on(turn, node)

    def left(self, turn: Turn) -> None:
        frame = turn.frames[-1]
        paths.close_container(turn, output=turn.entries[frame.seq] if frame.data.get("routed") else None)


def _choose(turn: Turn, node: Node) -> int | None:
    """The index of the child to run, ``None`` for none. Without any rule it is the first child, unless a router chooses."""
    rules = list(_rules(turn, node))
    if not rules and routing.router_of(node) is None:
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
