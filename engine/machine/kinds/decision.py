"""Decision steps: a condition and two arms; a missing arm is the next sibling (reference/flow-format.md, section 5)."""

from engine.machine import expressions, paths, steps
from engine.machine.faults import evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node


class DecisionStep(Kind):
    """A step that chooses between two ways."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._decide(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._decide(turn, node)

    def _decide(self, turn: Turn, node: Node) -> None:
        try:
            decision = expressions.holds(turn, node.settings.get("condition"))
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "condition"))
            return
        arm = "yes" if decision else "no"
        steps.finish(turn, node, {"decision": decision, "branch_taken": arm})
        target = node.edges.get(f"{arm}_branch")
        if target is None:
            paths.go_on(turn, node)
        else:
            paths.jump(turn, target)


KINDS[kinds.DECISION] = DecisionStep()
