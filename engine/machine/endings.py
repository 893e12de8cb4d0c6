"""How a run ends: completed, stopped, failed, rolled back or cancelled.

Pure. design/semantics.md, "Instance status", "When the run fails" and "Cancel".
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engine.machine import paths
from engine.machine.turn import End, Turn, milliseconds
from engine.states import Outcome, Phase, Status, WaitKind
from flows import kinds
from flows.graph import Node, limit_of


def complete(turn: Turn) -> None:
    """The last node ended."""
    _close_frames(turn, Outcome.SUCCEEDED)
    output = turn.context().run_output(_plain_containers(turn))
    _end(turn, End(Status.COMPLETED, output, not_run=_not_run(turn)))
    turn.event("flow_completed", total_duration_ms=_age(turn))


def stop(turn: Turn, reason: str) -> None:
    """A stop step ended the run on purpose. Nothing is compensated."""
    _close_frames(turn, Outcome.SUCCEEDED)
    output = turn.context().run_output(_plain_containers(turn))
    _end(turn, End(Status.STOPPED, output, reason=reason, not_run=_not_run(turn)))
    turn.event("flow_completed", status="stopped", reason=reason, total_duration_ms=_age(turn))


def fail(turn: Turn, error: dict[str, Any]) -> None:
    """Nothing recovered the failure: roll back what is registered, else end ``failed``.

    With ``on_failure: keep`` nothing runs, and the run can be resumed at the step that failed. A run that is to be cancelled is
    left to that.
    """
    if turn.cancels:
        turn.leaf = None
        return
    ending = {"status": Status.FAILED.value, "error": error}
    if turn.graph.on_failure == "rollback":
        roll_back(turn, ending)
    else:
        _leave_failed(turn, ending)
        end_as(turn, ending)


def roll_back(turn: Turn, ending: dict[str, Any]) -> None:
    """Undo what is registered, whatever the flow says; the run stays at the step that failed."""
    _leave_failed(turn, ending)
    if turn.position.compensations > 0:
        turn_round(turn, ending)
    else:
        end_as(turn, ending)


def _leave_failed(turn: Turn, ending: dict[str, Any]) -> None:
    """The containers around the step that failed are failed, too; they stay the open ones for a resume."""
    row = {"outcome": Outcome.FAILED.value, "error": ending["error"], "ended_at": turn.now}
    for frame in turn.frames:
        turn.writes.update("visit", {"seq": frame.seq}, **row)
    if turn.leaf is not None:
        turn.leaf = replace(turn.leaf, rests="", out=False, deadline=None, since=None)


def turn_round(turn: Turn, ending: dict[str, Any]) -> None:
    """Begin to roll back. The plan is read after this transition's commit, so that it holds what this one registered."""
    turn.change(phase=Phase.ROLLING_BACK.value, ending=ending)
    turn.target = None


def end_as(turn: Turn, ending: dict[str, Any]) -> None:
    """End with what was decided before a rollback or a cancellation ran; ``ending`` is ``{status, error?}``."""
    status = Status(ending["status"])
    if turn.position.undone > 0:
        status = Status.ROLLED_BACK
    error = ending.get("error")
    _end(turn, End(status, error=error, not_run=_not_run(turn)))
    if status is Status.CANCELLED:
        turn.event("flow_cancelled", by=ending.get("by", ""), total_duration_ms=_age(turn))
        return
    turn.event(
        "flow_failed",
        error=error,
        failed_at_node=(error or {}).get("step_id"),
        status=status.value,
        total_duration_ms=_age(turn),
    )


def leave_nothing_open(turn: Turn, error: dict[str, Any]) -> None:
    """End what is open as failed: visits, tasks, wake-ups; child runs are cancelled."""
    leaf = turn.leaf
    for seq in [frame.seq for frame in turn.frames] + ([leaf.seq] if leaf is not None else []):
        turn.writes.update("visit", {"seq": seq}, outcome=Outcome.FAILED.value, error=error, ended_at=turn.now)
    if leaf is not None:
        turn.writes.delete("wakeup", {"visit_seq": leaf.seq})
        turn.close_tasks = (leaf.seq, "run_failed")
        if leaf.rests == WaitKind.CHILD:
            turn.cancel_children_of = leaf.seq


def _end(turn: Turn, end: End) -> None:
    turn.end = end
    turn.target = None
    for frame in turn.frames:
        if limit_of(turn.node(frame.node)) is not None:
            turn.writes.delete("wakeup", {"visit_seq": frame.seq})


def _plain_containers(turn: Turn) -> frozenset[str]:
    return frozenset(node.id for node in turn.graph.nodes if node.kind in (kinds.AND, kinds.OR))


def _close_frames(turn: Turn, outcome: Outcome) -> None:
    while turn.frames:
        paths.close_container(turn, outcome)


def _not_run(turn: Turn) -> tuple[str, ...]:
    """The nodes without a visit, in document order: their outcome is ``not_run`` (recovery seed, *Outcomes*)."""
    open_nodes = {frame.node for frame in turn.frames} | ({turn.leaf.node} if turn.leaf else set())
    return tuple(
        node.id
        for node in turn.graph.nodes
        if node.owner is None and not _visited(turn, node) and node.index not in open_nodes and _belongs(turn, node)
    )


def _visited(turn: Turn, node: Node) -> bool:
    """Whether the node has a visit that counts: not when a redo has replaced them all."""
    bound = turn.bindings.get(node.id)
    return bound is not None and bound.seq > 0


def _belongs(turn: Turn, node: Node) -> bool:
    """Whether this run answers for the node: not what lies outside a branch, nor inside a parallel whose branches are runs."""
    scope, entry = turn.position.scope, turn.position.entry
    around = turn.graph.ancestors(node.index)
    if scope is not None:
        inside = scope in around and (entry is None or entry in (*around, node.index))
        if not inside:
            return False
        around = around[around.index(scope) + 1 :]
    parallels = (turn.node(each) for each in around if turn.node(each).kind == kinds.PARALLEL)
    return not any(_visited(turn, each) for each in parallels)


def _age(turn: Turn) -> int:
    started = turn.run.facts.started_at
    return milliseconds(turn.now - datetime.fromisoformat(started) if started else timedelta())
