"""Competitions: agents answer the same task, a referee judges, and has answers refined (reference/flow-format.md, section 6).

The children run one after the other, as steps with policies of their own. Then the container's visit itself asks the referee;
each of its calls is an attempt, and those of one round have all the container's retries.
"""

from collections.abc import Mapping
from typing import Any

from engine.machine import asking, competing, paths, steps
from engine.machine.faults import Fault, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.position import Leaf
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded
from engine.states import AttemptResult
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node

MIN_CONFIDENCE = 0.7
MAX_ROUNDS = 1


class CompetitionContainer(Kind):
    """Agents compete, a referee judges."""

    def enter(self, turn: Turn, node: Node) -> None:
        paths.open_container(turn, node, attempt=0)
        turn.enter_with(turn.frames[-1].seq, {"round": 1, "feedback": {}})
        self._send(turn, node, [each.index for each in competing.competitors(turn, node)])

    def body_ended(self, turn: Turn) -> bool:
        """One competitor has answered, or was passed over: the next one's turn, or the referee's."""
        frame = turn.frames[-1]
        self._send(turn, turn.node(frame.node), frame.data.get("waiting", []))
        return False

    def left(self, turn: Turn) -> None:
        paths.close_container(turn)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._judge(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        fault = asking.fault_of(result)
        if fault is not None:
            steps.fail(turn, node, fault)
            return
        assert isinstance(result, Succeeded)
        try:
            self._verdict(turn, node, result.output)
        except asking.Unusable as problem:
            steps.fail(turn, node, problem.fault)

    def _send(self, turn: Turn, node: Node, waiting: list[int]) -> None:
        """Send the next competitor in, or ask the referee when none waits any more."""
        if waiting:
            paths.remember(turn, waiting=waiting[1:])
            turn.target = waiting[0]
            return
        frame = turn.frames.pop()
        attempts = frame.data.get("attempt", 0)
        turn.leaf = Leaf(frame.node, frame.seq, frame.number, attempt=attempts)
        if turn.cancels:
            return
        if attempts:
            steps.go_further(turn)
        else:
            steps.begin_attempt(turn, node)
        self._judge(turn, node)

    def _judge(self, turn: Turn, node: Node) -> None:
        assert turn.leaf is not None
        seq, referee = turn.leaf.seq, _referee(node)
        given = competing.answers(turn, node, seq)
        if not given:
            steps.fail(turn, node, Fault("No agent gave an answer to judge.", code="no_answers", final=True))
            return
        try:
            asked = asking.prompt(turn, node.settings.get("prompt")) or ""
            extra = asking.prompt(turn, referee.get("prompt")) or ""
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "prompt"))
            return
        question = competing.judging(given, asked, extra, may_refine=_may_refine(turn, node))
        question |= asking.context(turn, referee.get("include_context"))
        asking.ask(turn, node, referee.get("agent_ref"), question)

    def _verdict(self, turn: Turn, node: Node, output: Any) -> None:
        assert turn.leaf is not None
        verdict = asking.structured(output)
        if not isinstance(verdict, Mapping):
            raise asking.Unusable("The referee's answer is no object.")
        given = competing.answers(turn, node, turn.leaf.seq)
        feedback = _feedback(verdict, given) if _may_refine(turn, node) else {}
        if verdict.get("action") == "refine" and feedback:
            self._refine(turn, node, feedback)
        else:
            self._accept(turn, node, verdict, given, usage=asking.usage_of(output))

    def _refine(self, turn: Turn, node: Node, feedback: dict[str, str]) -> None:
        """Another round: only who has notes answers again."""
        leaf = turn.leaf
        assert leaf is not None
        steps.end_attempt(turn, leaf, AttemptResult.SUCCEEDED)
        turn.enter_with(leaf.seq, {"round": competing.memory(turn, leaf.seq)["round"] + 1, "feedback": feedback})
        turn.leaf = None
        turn.reopen(leaf, attempt=leaf.attempt)
        self._send(turn, node, [each.index for each in competing.competitors(turn, node) if each.id in feedback])

    def _accept(
        self, turn: Turn, node: Node, verdict: Mapping[str, Any], given: Mapping[str, Any], *, usage: Any
    ) -> None:
        assert turn.leaf is not None
        winner = verdict.get("winner")
        if not isinstance(winner, str) or winner not in given:
            raise asking.Unusable("The referee names no winner among those who answered.")
        least = asking.number(_referee(node).get("min_confidence"), MIN_CONFIDENCE)
        output = {
            "response": given[winner],
            "winner": winner,
            "confidence": asking.confidence(verdict),
            "confident": asking.confidence(verdict) >= least,
            "reasoning": verdict.get("reasoning"),
            "rounds": competing.memory(turn, turn.leaf.seq)["round"],
            "answers": dict(given),
            "models": competing.agents(turn, node),
        }
        steps.succeed(turn, node, output, usage=usage)


def _referee(node: Node) -> Mapping[str, Any]:
    found = node.settings.get("referee")
    return found if isinstance(found, Mapping) else {}


def _may_refine(turn: Turn, node: Node) -> bool:
    """Whether a further round is left; in the last one the referee must accept."""
    assert turn.leaf is not None
    return bool(
        competing.memory(turn, turn.leaf.seq)["round"] <= asking.number(_referee(node).get("max_rounds"), MAX_ROUNDS)
    )


def _feedback(verdict: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    """The notes that can be used: texts for competitors that have answered."""
    found = verdict.get("feedback")
    notes = found.items() if isinstance(found, Mapping) else ()
    return {name: text for name, text in notes if name in given and isinstance(text, str) and text.strip()}


KINDS[kinds.COMPETITION] = CompetitionContainer()
