"""Letting a failed or held run go on, and giving one up.

Pure. design/failure-document.md, "Operations"; design/recovery.md, "Held runs". What must go in any case goes first, as durable
work of a phase of its own. Then the failed step is visited again; the containers around it go on in the visits they had, and so
does a construct whose child run failed: the step that failed is inside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from engine.machine import endings, limits, paths, reconciling, steps, unknowns
from engine.machine.faults import Fault
from engine.machine.happenings import AbandonAsked, ResumeAsked
from engine.machine.kinds import KINDS
from engine.machine.position import Settled
from engine.machine.run import EndedChild, Undo
from engine.machine.turn import Hold, NewChild, Reopened, Turn
from engine.outcomes import Unknown
from engine.states import AttemptResult, Outcome, Phase, ResolutionState, Status, WaitKind
from flows.graph import Node


def meet(turn: Turn, asked: ResumeAsked) -> None:
    """Somebody lets the run go on: unwind first what must go in any case, which the root does for its child runs, too."""
    ask = {
        "was": asked.was,
        "ack": asked.ack,
        "result": asked.result,
        "resolution": asked.resolution,
        "held": str(asked.held) if asked.held else None,
    }
    turn.change(phase=Phase.FORWARD.value, ending=None)
    if asked.resolution:
        turn.event("resume_asked", _place(turn), None, **_said(by=asked.by, note=asked.note, ack=asked.ack))
    if asked.resolution and not turn.cancels and any(undo.always for undo in turn.run.plan()):
        turn.change(phase=Phase.UNWINDING.value, resuming=ask)
    else:
        _go_on(turn, ask)


def unwound(turn: Turn) -> None:
    """What had to go is gone: the run goes on."""
    _go_on(turn, dict(turn.position.resuming or {}))


def refuse(turn: Turn, undo: Undo, why: str) -> None:
    """Something that must go in any case is still there: the run stays as it was, and the decision says why."""
    ask = turn.position.resuming or {}
    was = ask["was"]
    message = f"{undo.path}, which undoes {undo.node_id}, failed: {why} The run stays as it was; resume it again to try the rest."
    refusal = {"code": "unwind_failed", "message": message}
    turn.writes.update("resolution", {"id": ask["resolution"]}, state=ResolutionState.REFUSED.value, refusal=refusal)
    turn.event("resume_refused", undo.node_id, None, **refusal)
    turn.change(phase=Phase.FORWARD.value, resuming=None)
    if was["status"] == Status.HELD:
        turn.hold = Hold(_place(turn), was.get("kind") or "", was["reason"])
        turn.event("flow_held", _place(turn), reason=was.get("kind") or "")
    else:
        endings.end_as(turn, {"status": was["status"], "error": was["error"]})


def abandon(turn: Turn, asked: AbandonAsked) -> None:
    """Somebody gives the run up: what is still open ends as failed, then everything registered is undone."""
    turn.change(settled=replace(turn.position.settled or Settled(), abandoned=True), phase=Phase.FORWARD.value)
    turn.event("abandon_asked", _place(turn), None, **_said(by=asked.by, note=asked.note))
    _resolved(turn, asked.resolution)
    error, leaf = asked.was["error"], turn.leaf
    unknown = asked.was.get("unknown")
    if leaf is not None and leaf.rests == WaitKind.CHILD:
        turn.cancels = True
        turn.cancel_children_of = leaf.seq
        error = error or _unknown(asked.was).error(turn.open_node.id, turn.now, leaf.attempt)
        turn.change(ending={"status": Status.FAILED.value, "error": error, "by": asked.by, "roll_back": True})
        return
    if asked.was["status"] == Status.HELD and unknown and leaf is not None:
        error = _unknown(asked.was).error(turn.open_node.id, turn.now, leaf.attempt)
        turn.close_visit(turn.open_node, leaf.seq, leaf.number, Outcome.FAILED, error=error)
    turn.change(error=error or turn.position.error)
    endings.roll_back(turn, {"status": Status.FAILED.value, "error": error or turn.position.error})


def into_children(
    turn: Turn, failed: Sequence[EndedChild], anew: Sequence[NewChild], ask: Mapping[str, Any], *, told: bool
) -> None:
    """The open construct goes on inside: the ``failed`` child runs at their own failed steps, ``anew`` from their beginning.

    The first of the failed gets what was said about an unknown outcome where it is ``told``. What was registered to undo their
    effects is registered again when they end.
    """
    leaf = turn.leaf
    assert leaf is not None
    waits_for = len(failed) + len(anew)
    turn.writes.update("visit", {"seq": leaf.seq}, **_REOPENED, completion=None, open_children=waits_for)
    turn.writes.update("attempt", {"visit_seq": leaf.seq, "number": leaf.attempt}, result="", error=None, ended_at=None)
    for place, child in enumerate(failed):
        was = {"status": child.status, "error": child.error, "reason": "", "unknown": _is_unknown(child.error)}
        answer = {"ack": ask["ack"], "result": ask["result"]} if told and place == 0 else {}
        turn.reopened.append(Reopened(child.id, {"was": was, **answer}))
        if child.compensations:
            turn.writes.delete("compensation", {"child": child.id})
            turn.change(compensations=turn.position.compensations - 1)
    turn.children += anew
    turn.leaf = replace(leaf, done=leaf.attempt - 1)
    due = limits.due(turn, turn.open_node)
    turn.rest(WaitKind.CHILD, "join", due=due, wake=limits.WAKE, data={"resumed": waits_for})


_REOPENED: Mapping[str, Any] = {"outcome": "", "error": None, "ended_at": None}


def _go_on(turn: Turn, ask: Mapping[str, Any]) -> None:
    _resolved(turn, ask["resolution"])
    settled = turn.position.settled or Settled()
    settled = replace(settled, resumes=settled.resumes + 1)
    turn.change(phase=Phase.FORWARD.value, resuming=None, settled=settled, repeats=True)
    if ask["held"]:
        turn.reopened.append(Reopened(UUID(ask["held"]), {each: ask[each] for each in ("was", "ack", "result")}))
        return
    leaf, was = turn.leaf, ask["was"]
    if leaf is None or leaf.rests:
        assert leaf is not None or turn.target is not None, "There is no step at which the run could go on."
        return
    for frame in turn.frames:
        turn.writes.update("visit", {"seq": frame.seq}, **_REOPENED)
    if was["status"] != Status.HELD:
        limits.begin_again(turn)
    node = turn.open_node
    if was["status"] == Status.HELD and was.get("unknown"):
        _settle(turn, node, ask)
    elif KINDS[node.kind].resumed(turn, node, ask):
        return
    elif ask["ack"] == "applied":
        turn.writes.update("visit", {"seq": leaf.seq}, **_REOPENED)
        _applied(turn, node, ask)
    else:
        turn.leaf, turn.target = None, leaf.node


def _settle(turn: Turn, node: Node, ask: Mapping[str, Any]) -> None:
    """The open visit's last attempt is ambiguous, and somebody knows what it did; or nobody does, and it is asked again."""
    if ask["ack"] == "applied":
        _applied(turn, node, ask)
        return
    fault = _unknown(ask["was"])
    unknown = Unknown(fault.message, fault.code, fault.status)
    if ask["ack"] == "not_applied":
        steps.retry_or_fail(turn, node, reconciling.no_effect(turn, node, unknown))
    else:
        unknowns.meet(turn, node, turn.graph.manifest_of(node), unknown, AttemptResult.UNKNOWN)


def _applied(turn: Turn, node: Node, ask: Mapping[str, Any]) -> None:
    assert turn.leaf is not None
    turn.event("step_completed", node.id, turn.leaf.seq, settled="applied")
    steps.conclude(turn, node, ask["result"])
    paths.go_on(turn, node)


def _resolved(turn: Turn, resolution: int) -> None:
    if resolution:
        turn.writes.update("resolution", {"id": resolution}, state=ResolutionState.DONE.value)


def _unknown(was: Mapping[str, Any]) -> Fault:
    """The ambiguous attempt as a fault."""
    known = was.get("unknown") or {}
    message = known.get("message") or was.get("reason") or "Nobody knows what the call did."
    return Fault(str(message), "unknown_outcome", known.get("code"), known.get("status"))


def _is_unknown(error: Mapping[str, Any] | None) -> bool:
    return (error or {}).get("error_type") == "unknown_outcome"


def _said(**words: str) -> dict[str, str]:
    return {name: word for name, word in words.items() if word}


def _place(turn: Turn) -> str:
    return turn.open_node.id if turn.leaf is not None else ""
