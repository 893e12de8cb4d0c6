"""The failure ladder: what becomes of a visit whose retries are used up.

Pure. The rows and their order: design/semantics.md, "When an attempt fails". The climb is decided before anything moves: when
nothing recovers the failure, the run stays at the step that failed, and a resume can go on there.
"""

from dataclasses import dataclass
from typing import Any

from engine.machine import endings, paths
from engine.machine.faults import Fault
from engine.machine.position import Leaf
from engine.machine.turn import Turn
from engine.states import Outcome
from flows import kinds
from flows.graph import Node

COVERED_BY_STRATEGY = frozenset({kinds.FUNCTION, kinds.AI_AGENT, kinds.AI_SEQUENCE})
"""Kinds that ``error_strategy: continue`` speaks of (raisin, *Flow-level error_strategy*)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the ladder says: the node whose policy applies, and where control goes. ``goes_on`` means past that node."""

    node: Node
    target: int | None = None
    goes_on: bool = False


def fail_visit(turn: Turn, fault: Fault) -> None:
    """The open visit has failed for good: record it and climb the ladder."""
    leaf = turn.leaf
    assert leaf is not None
    node = turn.open_node
    error = fault.error(node.id, turn.now, leaf.attempt)
    verdict = judge(turn, node, expired=fault.expired)
    if verdict is not None and verdict.goes_on:
        error["continued"] = True
    turn.change(error=error)
    turn.close_visit(node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
    if verdict is None:
        endings.fail(turn, error)
        return
    turn.leaf = None
    _carry_out(turn, verdict, error)


def fail_at_the_door(turn: Turn, node: Node, fault: Fault) -> None:
    """A node fails before its kind could begin: its guard, or the rules of an ``or``, could not be evaluated."""
    seq, number = turn.open_visit(node)
    turn.leaf = Leaf(node.index, seq, number, attempt=1)
    turn.writes.update("visit", {"seq": seq}, attempts=1)
    turn.event("step_failed", node.id, seq, error=fault.error(node.id, turn.now, 1), attempt=1, duration_ms=0)
    fail_visit(turn, fault)


def judge(turn: Turn, node: Node, *, expired: bool) -> Verdict | None:
    """Which row applies to a failed visit of ``node``, ``None`` when the run fails."""
    if expired and node.policy.timeout_edge is not None:
        return Verdict(node, node.policy.timeout_edge)
    while True:
        policy = node.policy
        if policy.must_succeed:
            return None
        if policy.error_edge is not None:
            return Verdict(node, policy.error_edge)
        if policy.passes:
            return Verdict(node, goes_on=True)
        if not expired and _strategy_covers(turn, node):
            return Verdict(node, goes_on=True)
        if node.parent is None:
            return None
        node, expired = turn.node(node.parent), False


def _strategy_covers(turn: Turn, node: Node) -> bool:
    continues = turn.graph.error_strategy == "continue" and not node.policy.declares_handling
    return continues and node.kind in COVERED_BY_STRATEGY


def _carry_out(turn: Turn, verdict: Verdict, error: dict[str, Any]) -> None:
    """Close the containers up to the node whose policy applies as failed, then go where the verdict says."""
    inner = set(turn.graph.ancestors(verdict.node.index))
    while turn.frames and turn.frames[-1].node not in inner:
        paths.close_container(turn, Outcome.FAILED, error=error)
    if verdict.target is not None:
        paths.jump(turn, verdict.target)
    else:
        paths.go_on(turn, verdict.node)
