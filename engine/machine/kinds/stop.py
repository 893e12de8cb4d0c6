"""Stop steps: end the run on purpose (design/semantics.md, "Instance status")."""

from engine.machine import endings, expressions, steps
from engine.machine.faults import evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node


class StopStep(Kind):
    """A step that ends the run."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._stop(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._stop(turn, node)

    def _stop(self, turn: Turn, node: Node) -> None:
        try:
            reason = expressions.text(turn, node.settings.get("reason"))
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "reason"))
            return
        steps.finish(turn, node, {"reason": reason})
        endings.stop(turn, reason)


KINDS[kinds.STOP] = StopStep()
