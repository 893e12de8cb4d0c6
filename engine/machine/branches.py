"""Failures that leave a branch: rows 1, 5 and 6 of the ladder across the border of a parallel container.

Pure. design/engine-notes.md, section 6: the branch tells its parent and rests; the run that owns the definition decides in a
transaction of its own and answers. So one writer counts a scope's window. A branch with nothing declared around it just ends.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from engine.machine import endings, ladder, redoing, scopes, steps
from engine.machine.faults import Fault
from engine.machine.happenings import BranchFailed, Ruled
from engine.machine.position import Leaf
from engine.machine.scopes import Ruling, Scope
from engine.machine.turn import Told, Turn
from engine.states import Outcome, WaitKind
from flows import kinds
from flows.graph import Node

# --- in the branch -----------------------------------------------------------------------------------------------------


def shielded_outside(turn: Turn) -> bool:
    """Whether a loop or parallel around this branch says what its failure does (row 5)."""
    return _shield_outside(turn) is not None


def asks_outside(turn: Turn) -> bool:
    """Whether a run around this branch has a say in a failure that nothing inside recovers: by row 5, or by row 6.

    The branch's own parallel with ``on_error: continue`` has said it already: the branch just ends.
    """
    shield = _shield_outside(turn)
    if shield is not None:
        return not (shield.index == turn.position.scope and shield.policy.on_error == "continue")
    return scopes.recovers_outside(turn)


def tell(turn: Turn, leaf: Leaf, node: Node, error: dict[str, Any], fault: Fault, *, must: bool) -> None:
    """The failure goes up; the branch rests at the step that failed. ``node`` is the one whose ladder goes on outside."""
    turn.leaf = replace(leaf, rests="", out=False, deadline=None, since=None)
    told = {"node": node.index, "at": leaf.seq, "error": error, "final": fault.final, "must": must}
    turn.rest(WaitKind.PARENT, "branch_failed")
    turn.tells.append(Told("branch_failed", told))


def ruled(turn: Turn, ruling: Ruled) -> None:
    """The run around the branch has decided: carry it out here."""
    leaf = turn.leaf
    assert leaf is not None
    turn.wake_leaf()
    node = turn.node(ruling.node)
    if ruling.decision == "fail":
        turn.change(error=ruling.error)
        endings.fail(turn, ruling.error)
        return
    scope = Scope(None, 0, {"redo": "whole_group" if ruling.whole else "this_step"}, ruling.scope)
    assert turn.leaf is not None
    ladder.obey(turn, Ruling(scope, node, ruling.decision, ruling.round), turn.leaf, ruling.error)


def _shield_outside(turn: Turn) -> Node | None:
    around = (each for each in scopes.outside(turn) if each.kind in (kinds.LOOP, kinds.PARALLEL))
    return next((each for each in around if each.policy.on_error is not None), None)


# --- in the run around it ----------------------------------------------------------------------------------------------


def failed(turn: Turn, told: BranchFailed) -> None:
    """A branch of the open parallel tells of a failure: decide, or pass it on to the run around this one."""
    leaf = turn.leaf
    assert leaf is not None
    if turn.cancels or turn.position.broken is not None or leaf.attempt != told.made_by:
        return
    node = turn.open_node
    if told.must:
        _break(turn, told, must=True)
        return
    ruling = ruling_for(turn, node, turn.node(told.node), str(told.error.get("message") or ""))
    if ruling is not None:
        _answer(turn, told, ruling)
    elif passes_on(turn, node):
        passed_on = {"node": told.node, "at": told.at, "error": told.error, "final": told.final}
        turn.tells.append(Told("branch_failed", {**passed_on, "way": [str(told.child), *told.way]}))
    else:
        _break(turn, told)


def ruling_for(turn: Turn, parallel: Node, failed: Node, why: str) -> Ruling | None:
    """Row 6 in the run of ``parallel`` for a node that failed in one of its branches, and ``why``; ``None`` where row 5 comes
    first, or no scope of this run rules."""
    if _shield(turn, parallel) is not None or shielded_outside(turn):
        return None
    return scopes.rule(turn, failed, why=why, counts=False)


def passes_on(turn: Turn, parallel: Node) -> bool:
    """Whether a failure in a branch of ``parallel`` that this run has no say in goes on to the run around this one."""
    return _shield(turn, parallel) is None and asks_outside(turn)


def _shield(turn: Turn, parallel: Node) -> Node | None:
    return parallel if parallel.policy.on_error is not None else ladder.shield_of(turn, parallel)


def pass_down(turn: Turn, ruling: Ruled) -> None:
    """The run around this one has decided what a branch of this one asked."""
    child, *way = ruling.way
    turn.tells.append(Told("ruled", {**asdict(ruling), "way": way}, UUID(child)))


def all_ended(turn: Turn, node: Node, broken: Mapping[str, Any]) -> None:
    """Every branch of a parallel that is not to be joined has ended: do what was decided."""
    leaf, error = turn.leaf, dict(broken["error"])
    assert leaf is not None
    turn.change(broken=None)
    fault = Fault(str(error.get("message")), code=error.get("code"), status=error.get("status"), counted=True)
    ruling = _recorded(turn, broken.get("ruling"))
    if ruling is None and not broken.get("must"):
        steps.keep_effects(turn, node, leaf)
        steps.fail(turn, node, replace(fault, final=bool(broken["final"])))
        return
    steps.attempt_failed(turn, node, fault)
    steps.keep_effects(turn, node, leaf)
    if ruling is not None and ruling.scope.node is not None and ruling.scope.node.index == node.index:
        redoing.begin(turn, ruling, leaf.seq)
        return
    turn.close_visit(node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
    if ruling is not None:
        ladder.obey(turn, ruling, leaf, error)
    else:
        turn.change(error=error)
        ladder.fail_run(turn, node, leaf, error)


def _answer(turn: Turn, told: BranchFailed, ruling: Ruling) -> None:
    """A scope of this run has ruled. What reaches only into the branch is done there, the rest when all branches have ended."""
    scope = ruling.scope
    if ruling.decision == "fail":
        _break(turn, told, must=True)
    elif ruling.decision == "hold":
        _reply(turn, told, "hold", scope=scope.name)
    elif scope.redo != "whole_group" or _in_one_branch(turn, scope):
        whole = scope.redo == "whole_group"
        _reply(turn, told, "redo", scope=scope.name, round=ruling.round, whole=whole)
        turn.change(rounds={**turn.position.rounds, str(scope.seq): ruling.round})
    else:
        recorded = {
            "seq": scope.seq,
            "scope": None if scope.node is None else scope.node.index,
            "recovery": dict(scope.recovery),
            "node": told.node,
            "round": ruling.round,
        }
        _break(turn, told, ruling=recorded)


def _in_one_branch(turn: Turn, scope: Scope) -> bool:
    """Whether the scope is a fan-out: its redo reaches only into the branch of the failed step."""
    is_parallel = scope.node is not None and scope.node.index == turn.open_node.index
    return is_parallel and isinstance(turn.open_node.settings.get("fan_out"), Mapping)


def _break(turn: Turn, told: BranchFailed, **why: Any) -> None:
    """End all branches: the one that failed as failed, the others as cancelled. What they did is kept in mind."""
    leaf = turn.leaf
    assert leaf is not None
    turn.change(broken={"error": told.error, "final": told.final, **why})
    turn.cancel_children_of = leaf.seq
    if not told.way:
        _reply(turn, told, "fail")
        turn.spares = told.child


def _reply(turn: Turn, told: BranchFailed, decision: str, **more: Any) -> None:
    """Answer the branch that asked, by way of the branches it asked through."""
    ruling = Ruled(told.at, decision, told.node, told.error, **more, way=tuple(told.way))
    turn.tells.append(Told("ruled", asdict(ruling), told.child))


def _recorded(turn: Turn, ruling: Mapping[str, Any] | None) -> Ruling | None:
    if ruling is None:
        return None
    node = None if ruling["scope"] is None else turn.node(ruling["scope"])
    return Ruling(Scope(node, ruling["seq"], ruling["recovery"]), turn.node(ruling["node"]), "redo", ruling["round"])
