"""Row 6 of the ladder: the ``recovery`` of the closest scope around a failed step (recovery seed, *Scope-level recovery*).

Pure. A ruling is recorded in the transaction of the failure and carried out ever after; nothing asks the clock again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from engine.machine import expressions
from engine.machine.turn import Notice, Turn, milliseconds
from flows.closure import redo_set
from flows.durations import parse_duration
from flows.graph import Node, recovery_of

MOST_ROUNDS: Final = 100
"""Rounds of a scope that sets no ``stop_after`` (ours); then it fails."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One visit of a container that declares ``recovery``, or the run: ``node`` is ``None`` and ``seq`` 0.

    For a branch it stands for one of the run around it, which has decided, and is ``called`` by that one's name.
    """

    node: Node | None
    seq: int
    recovery: Mapping[str, Any]
    called: str = ""

    @property
    def redo(self) -> str:
        return str(self.recovery.get("redo") or "this_step")

    @property
    def name(self) -> str:
        return self.called if self.node is None else self.node.id


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a scope decided about the failed ``node``: ``redo``, ``hold`` or ``fail``."""

    scope: Scope
    node: Node
    decision: str
    round: int = 0


def rule(turn: Turn, node: Node, *, why: str, counts: bool) -> Ruling | None:
    """What the scopes around ``node`` decide, the closest first; ``None`` where none of this run declares anything, or the last
    one leaves it to those outside.

    ``counts``: the failure that led here is no other's and not counted yet. ``why`` is what it says.
    """
    if turn.cancels:
        return None
    ruling = None
    for scope in scopes_around(turn, node):
        ruling = _rule(turn, scope, node, counts=counts)
        if ruling.decision != "redo":
            _tell(turn, ruling, why)
        if ruling.decision != "escalate":
            return ruling
    return None if ruling is None or recovers_outside(turn) else Ruling(ruling.scope, node, "fail")


def scopes_around(turn: Turn, node: Node) -> Iterator[Scope]:
    """The visits of the scopes around a node that this run decides for, innermost first."""
    visits = {frame.node: frame.seq for frame in turn.frames}
    if turn.leaf is not None:
        visits[turn.leaf.node] = turn.leaf.seq
    for index in reversed(turn.ancestors(node.index)):
        recovery = recovery_of(turn.node(index))
        if recovery is not None and index in visits:
            yield Scope(turn.node(index), visits[index], recovery)
    if turn.graph.recovery is not None and turn.position.scope is None:
        yield Scope(None, 0, turn.graph.recovery)


def outside(turn: Turn) -> Iterator[Node]:
    """The containers around this branch, its own parallel first; none around a run that is no branch."""
    scope = turn.position.scope
    if scope is not None:
        yield turn.node(scope)
        yield from (turn.node(each) for each in reversed(turn.graph.ancestors(scope)))


def recovers_outside(turn: Turn) -> bool:
    """Whether a scope around this branch declares ``recovery``."""
    if turn.position.scope is None:
        return False
    return turn.graph.recovery is not None or any(recovery_of(each) is not None for each in outside(turn))


def _rule(turn: Turn, scope: Scope, node: Node, *, counts: bool) -> Ruling:
    rounds, bound = turn.position.rounds.get(str(scope.seq), 0), scope.recovery.get("stop_after")
    told: dict[str, Any] = {}
    if isinstance(bound, Mapping):
        limit, within = int(bound["failures"]), parse_duration(bound["within"])
        failures = _failures(turn, scope, within) + (1 if counts else 0)
        told = {"failures": failures, "limit": limit, "within_ms": milliseconds(within)}
        stops = failures > limit
    else:
        stops = rounds >= MOST_ROUNDS
    decision = _then(scope, bound) if stops else "redo"
    round_ = rounds if stops else rounds + 1
    scope_index = None if scope.node is None else scope.node.index
    members = (
        [] if stops else [turn.node(each).id for each in redo_set(turn.graph, scope_index, node.index, scope.redo)]
    )
    turn.event(
        "recovery_decided",
        scope.name,
        scope.seq or None,
        step=node.id,
        **told,
        round=round_,
        decision=decision,
        members=members,
    )
    return Ruling(scope, node, decision, round_)


def _then(scope: Scope, bound: Any) -> str:
    """What applies when the bound is exceeded; a scope without one just fails."""
    return str(scope.recovery.get("then") or "fail") if isinstance(bound, Mapping) else "fail"


def _tell(turn: Turn, ruling: Ruling, why: str) -> None:
    """Let whoever the scope names be told what it decided. Nobody is told of an isolated test run: its record alone says who
    would have been."""
    scope, target = ruling.scope, ruling.scope.recovery.get("notify")
    if not isinstance(target, str) or not target:
        return
    if turn.run.facts.is_isolated:
        turn.event("notify_skipped", scope.name, scope.seq or None, target=target, decision=ruling.decision)
        return
    label = expressions.label(turn, ruling.node)
    notice = Notice(turn.new_id(), target, ruling.decision, scope.name, ruling.node.id, label, why)
    turn.notices.append(notice)


def _failures(turn: Turn, scope: Scope, within: timedelta) -> int:
    """The recorded failures of steps in the scope that are young enough, and those of this very transition."""
    first, since = scope.seq, turn.now - within
    fresh = sum(
        1
        for each in turn.writes
        if each.table == "visit" and each.values.get("counted") and dict(each.key)["seq"] >= first
    )
    return turn.run.history.failures(first, since) + fresh
