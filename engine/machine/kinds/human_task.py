"""Human tasks: put a task into somebody's inbox and rest until it is answered (reference/flow-format.md, section 9)."""

from typing import Any

from engine.machine import deciding, gates, steps, tasks
from engine.machine.faults import deadline_passed, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Result
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node


class HumanTaskStep(Kind):
    """A step that a person carries out, or an agent that hands over to one."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._ask(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._ask(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        """The agent that the task was given to has answered, or did not."""
        output = deciding.decide(turn, node, result)
        if output is not None:
            self.answered(turn, node, output)

    def answered(self, turn: Turn, node: Node, output: dict[str, Any]) -> None:
        assert turn.leaf is not None
        if gates.is_rejection(node.settings, output):
            steps.fail(turn, node, gates.rejected(turn, output))
            return
        turn.change(human=turn.leaf.seq)
        steps.succeed(turn, node, output)

    def woke(self, turn: Turn, node: Node) -> None:
        late = deadline_passed("Nobody answered in time.")
        steps.fail(turn, node, gates.expired(turn, node.settings) if gates.is_gate(node.settings) else late)

    def _ask(self, turn: Turn, node: Node) -> None:
        try:
            task = tasks.describe(turn, node)
            tasks.fix_policy(turn, node, task["assignee"])
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "task"))
            return
        except tasks.Unusable as problem:
            steps.fail(turn, node, problem.fault)
            return
        due = tasks.due_at(turn, task)
        ids = tasks.give_out(turn, node, task, due)
        if task["assignee"].startswith(tasks.AGENTS):
            deciding.begin(turn, node, task, ids[0], due)
        else:
            tasks.rest_on(turn, ids, due)


KINDS[kinds.HUMAN_TASK] = HumanTaskStep()
