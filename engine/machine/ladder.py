"""The failure ladder: what becomes of a visit whose retries are used up.

Pure. The rows and their order: design/semantics.md, "When an attempt fails". The climb is decided before anything moves: when
nothing recovers the failure, the run stays at the step that failed, and a resume can go on there.
"""

from dataclasses import dataclass, replace
from typing import Any

from engine.machine import branches, endings, paths, reconciling, redoing, scopes
from engine.machine.faults import Fault
from engine.machine.kinds import KINDS
from engine.machine.position import Leaf
from engine.machine.scopes import Ruling
from engine.machine.turn import Hold, Turn
from engine.states import Outcome
from flows import kinds
from flows.graph import Node

COVERED_BY_STRATEGY = frozenset({kinds.FUNCTION, kinds.AI_AGENT, kinds.AI_SEQUENCE})
"""Kinds that ``error_strategy: continue`` speaks of (raisin, *Flow-level error_strategy*)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the ladder says: the node whose policy applies, and what it does.

    Control goes to ``target``; or past the node (``goes_on``); or the node, a loop, goes on with its next iteration
    (``iterates``); or the node, a construct with retries left, starts anew (``again``); or a scope around it has ruled;
    or the node's reconcile, whose probe failed, cannot tell (``untold``);
    or the run around this branch is asked (``asks``), which fails as a whole where the node ``must`` succeed. ``edge`` is the
    way by which control goes to ``target``: ``error`` or ``timeout``.
    """

    node: Node
    target: int | None = None
    edge: str = ""
    goes_on: bool = False
    iterates: bool = False
    again: bool = False
    ruling: Ruling | None = None
    untold: bool = False
    asks: bool = False
    must: bool = False


def fail_visit(turn: Turn, fault: Fault) -> None:
    """The open visit has failed for good: record it and climb the ladder."""
    leaf = turn.leaf
    assert leaf is not None
    node = turn.open_node
    error = fault.error(node.id, turn.now, leaf.attempt)
    if turn.is_overdue and not turn.cancels:  # the container whose time is over says what comes now
        turn.close_visit(node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
        turn.leaf = None
        return
    verdict = judge(turn, node, fault)
    ruling = None if verdict is None else verdict.ruling
    if verdict is not None and (verdict.goes_on or verdict.iterates):
        error["continued"] = True
    untold = verdict is not None and (verdict.untold or verdict.asks)
    if not untold and (ruling is None or ruling.decision == "fail"):
        turn.change(error=error)
    if verdict is not None and verdict.edge:  # for those who look at the run: the flow itself reads the error as it was
        error = {**error, "jump": {"from": verdict.node.id, "by": verdict.edge}}
    turn.close_visit(node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
    if not (fault.counted or node.owner is not None or (verdict is not None and verdict.goes_on)):
        turn.writes.update("visit", {"seq": leaf.seq}, counted=True)
    if verdict is None:
        endings.fail(turn, error)
    elif verdict.asks and not turn.cancels:
        branches.tell(turn, leaf, verdict.node, error, fault, must=verdict.must)
    elif verdict.untold:
        turn.leaf = None
        reconciling.could_not_tell(turn, f"The probe {node.id} failed: {error['message']}")
    elif ruling is None:
        turn.leaf = None
        _carry_out(turn, verdict, error)
    else:
        obey(turn, ruling, leaf, error)


def fail_container(turn: Turn, fault: Fault) -> None:
    """The innermost open container fails of itself: a condition of a loop, say. The ladder begins at its own level."""
    frame = turn.frames.pop()
    attempt, index = frame.data.get("attempt", 1), frame.data.get("index")
    turn.leaf = Leaf(frame.node, frame.seq, frame.number, attempt=attempt, index=index)
    fail_visit(turn, fault)


def fail_at_the_door(turn: Turn, node: Node, fault: Fault) -> None:
    """A node fails before its kind could begin: its guard, or the rules of an ``or``, could not be evaluated."""
    seq, number = turn.open_visit(node)
    turn.leaf = Leaf(node.index, seq, number, attempt=1)
    turn.writes.update("visit", {"seq": seq}, attempts=1)
    turn.event("step_failed", node.id, seq, error=fault.error(node.id, turn.now, 1), attempt=1, duration_ms=0)
    fail_visit(turn, fault)


def judge(turn: Turn, node: Node, fault: Fault) -> Verdict | None:
    """Which row applies to a failed visit of ``node``, ``None`` when the run fails.

    Final failures use up no retries of a construct around them: an evaluation fault would come again.
    """
    expired = fault.expired
    if expired and node.policy.timeout_edge is not None:
        return Verdict(node, node.policy.timeout_edge, "timeout")
    if node.owner is not None:
        return _own_row(turn, node, expired=expired) or Verdict(turn.node(node.owner), untold=True)
    current: Node | None = node
    while current is not None:
        own = _own_row(turn, current, expired=expired and current is node)
        if own is not None:
            return own
        if current.policy.must_succeed:
            return Verdict(current, asks=True, must=True) if turn.position.scope is not None else None
        shield = shield_of(turn, current)
        if shield is not None and shield.policy.on_error == "continue":
            return Verdict(shield, iterates=True)
        if shield is None and branches.shielded_outside(turn):
            return Verdict(current, asks=True) if branches.asks_outside(turn) else None
        ruling = scopes.rule(turn, current, why=fault.message, counts=not fault.counted) if shield is None else None
        if ruling is not None:
            return Verdict(current, ruling=ruling)
        if shield is None and scopes.recovers_outside(turn):
            return Verdict(current, asks=True)
        current = shield if shield is not None else _construct(turn, current)
        if current is not None and not fault.final and _retries_left(turn, current):
            return Verdict(current, again=True)
    return None


def _own_row(turn: Turn, node: Node, *, expired: bool) -> Verdict | None:
    """Rows 1 to 4: what the node says itself, and the strategy of the flow. A node that must succeed says nothing else."""
    policy = node.policy
    if policy.must_succeed:
        return None
    if policy.error_edge is not None:
        return Verdict(node, policy.error_edge, "error")
    if policy.passes or (not expired and _strategy_covers(turn, node)):
        return Verdict(node, goes_on=True)
    return None


def _strategy_covers(turn: Turn, node: Node) -> bool:
    continues = turn.graph.error_strategy == "continue" and not node.policy.declares_handling
    return continues and node.kind in COVERED_BY_STRATEGY


def shield_of(turn: Turn, node: Node) -> Node | None:
    """Row 5: the innermost loop around the node that says what a failed iteration does."""
    for index in reversed(turn.ancestors(node.index)):
        container = turn.node(index)
        if container.kind == kinds.LOOP and container.policy.on_error is not None:
            return container
    return None


def _construct(turn: Turn, node: Node) -> Node | None:
    """Row 7: the innermost construct around the node that fails with it: a loop, or an ``and``/``or`` that declares a policy."""
    for index in reversed(turn.ancestors(node.index)):
        container, policy = turn.node(index), turn.node(index).policy
        declares = policy.must_succeed or policy.error_edge is not None or policy.passes
        if container.kind == kinds.LOOP or declares:
            return container
    return None


def _retries_left(turn: Turn, container: Node) -> bool:
    """Whether the construct may start anew: loops alone do (reference/flow-format.md, section 6, common keys)."""
    if container.kind != kinds.LOOP:
        return False
    frame = next((each for each in turn.frames if each.node == container.index), None)
    return frame is not None and frame.data.get("attempt", 1) <= container.policy.retry.max_retries


def _carry_out(turn: Turn, verdict: Verdict, error: dict[str, Any]) -> None:
    """Close the containers up to the node whose policy applies as failed, then do what the verdict says."""
    stays = set(turn.ancestors(verdict.node.index))
    if verdict.iterates or verdict.again:
        stays.add(verdict.node.index)
    _close_all_but(turn, stays, error)
    if verdict.target is not None:
        paths.jump(turn, verdict.target)
    elif verdict.iterates:
        KINDS[verdict.node.kind].iteration_failed(turn)
    elif verdict.again:
        KINDS[verdict.node.kind].start_anew(turn)
    else:
        paths.go_on(turn, verdict.node)


def _close_all_but(turn: Turn, stays: set[int], error: dict[str, Any]) -> None:
    while turn.frames and turn.frames[-1].node not in stays:
        paths.close_container(turn, Outcome.FAILED, error=error)


def fail_run(turn: Turn, node: Node, leaf: Leaf, error: dict[str, Any]) -> None:
    """The run fails, and with a branch the run around it: no outer policy applies."""
    if turn.position.scope is not None and not turn.cancels:
        branches.tell(turn, leaf, node, error, Fault(error["message"], final=True), must=True)
    else:
        endings.fail(turn, error)


def obey(turn: Turn, ruling: Ruling, leaf: Leaf, error: dict[str, Any]) -> None:
    """Row 6: carry out what the scope decided. A run that is held stays at the step that failed, like one that fails."""
    if ruling.decision == "fail":
        fail_run(turn, ruling.node, leaf, error)
    elif ruling.decision == "hold":
        turn.leaf = replace(leaf, rests="", out=False, deadline=None, since=None)
        turn.hold = Hold(turn.node(leaf.node).id, "stop_after", error["message"])
        turn.event("flow_held", turn.hold.node_id, leaf.seq, reason="stop_after", scope=ruling.scope.name)
    else:
        turn.leaf = None
        first = next((each.seq for each in turn.frames if each.node == ruling.node.index), leaf.seq)
        scope = ruling.scope.node if ruling.scope.redo == "whole_group" else None
        around = () if ruling.scope.redo == "whole_group" else turn.ancestors(ruling.node.index)
        _close_all_but(turn, {*around, *(() if scope is None else (*turn.ancestors(scope.index), scope.index))}, error)
        redoing.begin(turn, ruling, first)
