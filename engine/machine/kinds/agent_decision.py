"""Decisions that an agent makes: a router as a step of its own (reference/flow-format.md, section 14)."""

from engine.machine import paths, routing, steps
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Result
from engine.states import Outcome
from flows import kinds
from flows.graph import Node


class AgentDecisionStep(Kind):
    """A step in which an agent chooses where the flow goes on; where it chooses nothing, at the next node."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        routing.ask(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        routing.ask(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        leaf, choice = turn.leaf, routing.choose(turn, node, result)
        if choice is None:
            return
        assert leaf is not None
        turn.leaf = None
        turn.close_visit(node, leaf.seq, leaf.number, Outcome.SUCCEEDED, choice.record)
        if choice.target is None:
            paths.go_on(turn, node)
        else:
            paths.jump(turn, choice.target.index)


KINDS[kinds.AGENT_DECISION] = AgentDecisionStep()
