"""Carrying out a redo: undo what succeeded, take its visits out of sight, and go to where it starts again.

Pure. design/recovery.md, "Scope recovery" and "Undo". The plan is a row for each undo and a few words in the position; a crash
continues it where it stopped.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.machine import endings, undoing
from engine.machine.faults import Fault
from engine.machine.kinds import KINDS
from engine.machine.position import Redo
from engine.machine.run import Bound, UndoCall, Visited
from engine.machine.scopes import Ruling
from engine.machine.turn import Replaced, Turn
from engine.machine.undoing import Unreadable
from engine.states import Outcome, Phase
from flows import kinds
from flows.graph import END_INDEX, Node


def begin(turn: Turn, ruling: Ruling, first: int) -> None:
    """Plan the redo that was just decided; without an undo it is carried out at once.

    ``first`` is the failed step's visit, or where the inside of a failed construct began; all containers inside the scope that do
    not stay open are closed by now.
    """
    scope, whole = ruling.scope, ruling.scope.redo == "whole_group"
    node: Node | None = scope.node if whole else ruling.node
    keeps = turn.leaf.seq if turn.leaf is not None else None
    start = keeps or (_entry(turn) if whole else first)
    redo = Redo(start, ruling.round, None if node is None else node.index, whole, keeps)
    rounds = {**_open(turn, turn.position.rounds), str(scope.seq): ruling.round}
    turn.change(redo=redo, repeats=True, rounds=rounds)
    try:
        recorded = undoing.as_it_stands(turn, turn.run.history.visits(redo.first))
        visits = [visit for visit in recorded if visit.seq >= redo.first]
        calls = list(undoing.plan(turn, visits, redo.first))
    except Unreadable as problem:
        _give_up(turn, problem.node_id, problem.path, problem.message)
        return
    if calls:
        undoing.record(turn, calls, redo.round)
        turn.change(phase=Phase.REDOING.value)
    else:
        carry_out(turn)


def go_on(turn: Turn) -> None:
    """Start the first undo that is left; after the last one the redo is carried out."""
    calls = turn.run.history.undos()
    if calls:
        undoing.start(turn, calls[0])
    else:
        turn.change(phase=Phase.FORWARD.value)
        carry_out(turn)


def undone(turn: Turn, rest: Iterable[UndoCall], failed: tuple[UndoCall, Mapping[str, Any]] | None) -> None:
    """An undo has ended: the ``rest`` comes next, or the run fails for the ``failed`` one, past every policy."""
    if turn.cancels:
        return
    following = next(iter(rest), None)
    if failed is not None:
        call, error = failed
        turn.change(phase=Phase.FORWARD.value)
        _give_up(turn, call.node_id, call.path, str(error.get("message")))
    elif following is not None:
        undoing.start(turn, following)
    else:
        turn.change(phase=Phase.FORWARD.value)
        carry_out(turn)


def carry_out(turn: Turn) -> None:
    """Everything is undone: the visits are replaced, and control goes to where the redo starts."""
    redo = turn.position.redo
    assert redo is not None
    _withdraw(turn, redo)
    turn.change(redo=None)
    if not redo.whole:
        assert redo.node is not None
        turn.target = redo.node
    elif redo.node is None:
        turn.target = _beginning(turn)
    else:
        KINDS[turn.node(redo.node).kind].begin_again(turn, turn.node(redo.node))


def _beginning(turn: Turn) -> int:
    """Where the run began: a branch at its own first node."""
    place, graph = turn.position, turn.graph
    if place.scope is not None:
        return turn.node(place.scope).children[0] if place.entry is None else place.entry
    return END_INDEX if graph.first is None else graph.first


def _give_up(turn: Turn, node_id: str, path: str, message: str) -> None:
    fault = Fault(f"The undo {path} of {node_id} failed: {message}", code="undo_failed")
    error = fault.error(node_id, turn.now, 0)
    turn.change(redo=None, error=error)
    endings.fail(turn, error)


def _entry(turn: Turn) -> int:
    """The first visit of a scope as a whole: in a loop, of the iteration that is on its way."""
    if not turn.frames:
        return 1
    frame = turn.frames[-1]
    in_iteration = turn.node(frame.node).kind == kinds.LOOP
    return int(frame.data["first"]) if in_iteration else frame.seq + 1


def _open(turn: Turn, by_seq: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a mapping by visits that are still open, the run's own among them."""
    is_open = {"0", *(str(frame.seq) for frame in turn.frames), *([str(turn.leaf.seq)] if turn.leaf else [])}
    return {seq: value for seq, value in by_seq.items() if seq in is_open}


# --- out of sight ------------------------------------------------------------------------------------------------------


def _withdraw(turn: Turn, redo: Redo) -> None:
    """Take the replaced visits out of what can be read: each node is again what it was before them."""
    gone = {name: bound for name, bound in turn.bindings.items() if bound.seq >= redo.first}
    earlier = _earlier(turn, redo.first, gone)
    for name, bound in gone.items():
        turn.bind(name, _before(bound, earlier.get(name)))
    last = turn.position.last_seq
    turn.replaced = Replaced(redo.first, last, redo.round, redo.keeps)
    _forget_human(turn, redo.first)
    for place, frame in enumerate(turn.frames):
        if frame.data.get("last") is not None and frame.data["last"] >= redo.first:
            turn.frames[place] = replace(frame, data={**frame.data, "last": _last(turn, frame.data["first"])})


def _earlier(turn: Turn, first: int, nodes: Iterable[str]) -> dict[str, Visited]:
    """The latest of the nodes' ended visits before ``first``; nothing where the iteration before did not reach the node."""
    found: dict[str, Visited] = {}
    visits = undoing.as_it_stands(turn, turn.run.history.before(first, nodes))
    for visit in sorted(visits, key=lambda each: each.seq):
        if visit.seq < first and visit.outcome:
            found[visit.node_id] = visit
    for each in turn.writes:
        missed = each.values.get("not_run") if each.table == "visit" else None
        for node_id in missed or ():
            if node_id in found and found[node_id].seq < dict(each.key)["seq"] < first:
                del found[node_id]
    return found


def _before(bound: Bound, earlier: Visited | None) -> Bound:
    """The node as its earlier visit left it; ``visits`` and ``history`` keep counting."""
    if earlier is None:
        return replace(bound, seq=0, outcome=Outcome.NOT_RUN.value)
    return replace(bound, seq=earlier.seq, outcome=earlier.outcome, completion=earlier.completion)


def _forget_human(turn: Turn, first: int) -> None:
    human = turn.position.human
    if human is not None and human >= first:
        answered = [
            bound.seq
            for node in turn.graph.nodes
            if node.kind == kinds.HUMAN_TASK and (bound := turn.bindings.get(node.id)) is not None and bound.succeeded
        ]
        turn.change(human=max(answered, default=None))


def _last(turn: Turn, first: int) -> int | None:
    """The last step of an iteration that still counts: its output would be the iteration's result."""
    plain = {node.id for node in turn.graph.nodes if node.kind in (kinds.AND, kinds.OR)}
    ran = [
        bound
        for name, bound in turn.bindings.items()
        if bound.seq >= first and name not in plain and bound.outcome not in (Outcome.SKIPPED, Outcome.NOT_RUN)
    ]
    return max(ran, key=lambda bound: bound.completion).seq if ran else None
