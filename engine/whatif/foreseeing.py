"""Climbing the ladder in advance: each rung as the engine would decide it, then with that rung's budget used up. Pure."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final, Literal, TypeAlias

from engine.machine import branches, ladder, unknowns
from engine.machine.faults import Fault, deadline_passed
from engine.machine.kinds import all as _all_kinds  # noqa: F401 - fills KINDS
from engine.machine.kinds import parallel
from engine.machine.ladder import Verdict
from engine.machine.run import EndedChild
from engine.machine.scopes import Ruling, Scope, scopes_around
from engine.machine.steps import declared_compensation
from engine.machine.turn import Turn
from engine.states import Status
from engine.whatif.places import NOBODY, Place
from engine.whatif.rungs import Row, Rung, Undo
from flows import kinds
from flows.closure import redo_set
from flows.graph import END_INDEX, Graph, Node

How: TypeAlias = Literal["failure", "timeout", "unknown"]
HOWS: Final[tuple[How, ...]] = ("failure", "timeout", "unknown")
SHOWN_DELAYS: Final = 20
"""As many delays as are listed of a long row of retries."""
_FAILED: Final = Fault("It failed.")


def foresee(graph: Graph, node_id: str, how: How = "failure") -> tuple[Rung, ...]:
    """What happens when ``node_id`` fails, when its time is up, or when nobody can know what its call did, in order.

    Raises ``KeyError`` when the graph has no such node.
    """
    node = graph.find(node_id)
    if node is None:
        raise KeyError(node_id)
    return tuple(_foreseen(graph, node, how))


def _foreseen(graph: Graph, node: Node, how: How) -> Iterator[Rung]:
    manifest = _manifest(graph, node)
    if how == "timeout" and not _is_expiry(node, manifest):
        how = "unknown" if unknowns.can_be(manifest) else "failure"
    if how == "timeout":
        yield from _climb(graph, node, deadline_passed("Its time is up."))
        return
    if how == "unknown":
        rung = _unknown(graph, node, manifest)
        yield rung
        if rung.row == "held_unknown":
            return
    yield from _retries(node)
    yield from _climb(graph, node, _FAILED)


def _manifest(graph: Graph, node: Node) -> Mapping[str, Any] | None:
    return graph.manifests.get(kinds.reference_path(node.settings.get("function_ref")) or "")


def _is_expiry(node: Node, manifest: Mapping[str, Any] | None) -> bool:
    """Whether a passed deadline is one of the visit, which ends it: not where a manifest says what it can mean."""
    return node.kind != kinds.FUNCTION or node.policy.timeout_edge is not None or manifest is None


def _unknown(graph: Graph, node: Node, manifest: Mapping[str, Any] | None) -> Rung:
    if node.kind != kinds.FUNCTION or not unknowns.can_be(manifest):
        return Rung("never_unknown", node.id)
    match unknowns.policy_of(node, manifest):
        case "retry":
            return Rung("asked_again", node.id)
        case "reconcile":
            return Rung("reconcile", node.id, members=tuple(graph.nodes[each].id for each in node.probes))
        case _:
            return Rung("held_unknown", node.id)


def _retries(node: Node, row: Row = "retries") -> Iterator[Rung]:
    policy = node.policy.retry
    if policy.max_retries > 0:
        shown = range(1, min(policy.max_retries, SHOWN_DELAYS) + 1)
        delays = tuple(policy.delay_ms(number) for number in shown)
        yield Rung(row, node.id, delays_ms=delays, failures=policy.max_retries)


def _climb(graph: Graph, node: Node, fault: Fault) -> Iterator[Rung]:
    """The rungs behind the node's own retries: in its branch, at the join, and so on outward; at last what ends the run."""
    failed = node
    while True:
        place = Place(graph, node)
        left = yield from _level(place, fault)
        if left == "settled":
            return
        if left == "open" and place.branch is not None:
            node = graph.nodes[place.branch]
            yield Rung("branch_fails", node.id)
            if _branches_suffice(node):
                yield Rung("branches_suffice", node.id)
                return
        else:
            stopped = None if isinstance(left, str) else (yield from _outside(graph, place, left))
            if stopped == "settled":
                return
            if stopped is None:
                yield _end(graph, failed)
                return
            node = stopped
        yield from _retries(node)
        fault = replace(_FAILED, counted=True)


Left: TypeAlias = Literal["settled", "open", "lost"] | Verdict
"""What a level leaves: nothing to do; a failure for whoever is around; the whole run lost; or a question to the run around."""


def _level(place: Place, fault: Fault) -> Generator[Rung, None, Left]:
    """The rungs within one run."""
    told: set[int] = set()
    while True:
        turn = place.turn()
        verdict = ladder.judge(turn, place.node, fault)
        if verdict is None or verdict.must:
            lost = yield from _must_succeed(place)
            return "lost" if lost else "open"
        if verdict.asks:
            return verdict
        if verdict.ruling is not None:
            left = yield from _obeyed(place, turn, verdict.ruling, told)
            if left is not None:
                return left
        elif verdict.again:
            yield from _retries(verdict.node, "starts_anew")
            place.wear_out(construct=verdict.node)
        else:
            yield _settled(place, verdict)
            return "settled"


def _obeyed(place: Place, turn: Turn, ruling: Ruling, told: set[int]) -> Generator[Rung, None, Left | None]:
    """What a scope ruled; ``None`` when it is asked again with its budget used up."""
    yield from _passed_on(ruling, scopes_around(turn, place.node), told)
    yield _ruled(place.graph, ruling)
    if ruling.decision == "redo":
        place.wear_out(scope=ruling.scope.seq)
        return None
    return "settled" if ruling.decision == "hold" else "lost"


def _outside(graph: Graph, branch: Place, asked: Verdict) -> Generator[Rung, None, Node | Literal["settled"] | None]:
    """What the runs around a branch make of its failure (:mod:`engine.machine.branches`): the parallel that fails with it,
    ``settled``, or ``None`` when the whole run fails."""
    while branch.branch is not None:
        place, told = Place(graph, graph.nodes[branch.branch], counted=1), set[int]()
        while True:
            turn = place.turn()
            ruling = branches.ruling(turn, asked.node)
            if ruling is None:
                break
            left = yield from _obeyed(place, turn, ruling, told)
            if left is not None:
                return "settled" if left == "settled" else None
        if not branches.passes_on(turn):
            yield Rung("branches_stop", place.node.id)
            return place.node
        branch = place
    return None


def _must_succeed(place: Place) -> Generator[Rung, None, bool]:
    """The node that must succeed, if that is why nothing helps."""
    graph, around = place.graph, reversed(place.graph.ancestors(place.node.index))
    for node in (place.node, *(graph.nodes[index] for index in around)):
        if node.policy.must_succeed:
            yield Rung("must_succeed", node.id)
            return True
    return False


def _settled(place: Place, verdict: Verdict) -> Rung:
    node = verdict.node
    if verdict.target is not None:
        row: Row = "timeout_edge" if verdict.target == node.policy.timeout_edge else "error_edge"
        return Rung(row, node.id, to=_name(place.graph, verdict.target))
    if verdict.iterates:
        return Rung("next_iteration", node.id)
    return Rung("held_unknown" if verdict.untold else "goes_on", node.id)


def _passed_on(ruling: Ruling, scopes: Iterable[Scope], told: set[int]) -> Iterator[Rung]:
    """The scopes inside the one that rules, which leave it to that; each is ``told`` once."""
    for inner in takewhile(lambda each: each.seq != ruling.scope.seq, scopes):
        if inner.seq not in told:
            told.add(inner.seq)
            yield Rung("escalate", inner.name, notify=str(inner.recovery.get("notify") or ""))


def _ruled(graph: Graph, ruling: Ruling) -> Rung:
    """What a scope decided."""
    scope, notify = ruling.scope, str(ruling.scope.recovery.get("notify") or "")
    if ruling.decision == "hold":
        return Rung("hold", scope.name, notify=notify)
    if ruling.decision != "redo":
        return Rung("scope_fails", scope.name, notify=notify)
    bound = scope.recovery.get("stop_after") or {}
    index = None if scope.node is None else scope.node.index
    members = redo_set(graph, index, ruling.node.index, scope.redo)
    return Rung(
        "redo",
        scope.name,
        members=tuple(graph.nodes[each].id for each in members),
        undo=tuple(_undos(graph, members, ruling.node, scope.redo == "whole_group")),
        failures=bound.get("failures"),
        within=str(bound.get("within") or ""),
    )


def _undos(graph: Graph, members: tuple[int, ...], failed: Node, whole: bool) -> Iterator[Undo]:
    """The undos of members that can have succeeded by then, the latest first."""
    inside = graph.inside(failed.index)
    for index in sorted(members, reverse=True):
        node, undo = graph.nodes[index], graph.nodes[index].settings.get("undo")
        path = kinds.reference_path(undo.get("function_ref")) if isinstance(undo, dict) else None
        if path is not None and (index in inside or (whole and index < failed.index)):
            yield Undo(node.id, path)


def _branches_suffice(container: Node) -> bool:
    """Whether the join still succeeds when one of two branches fails."""
    failed, good = (
        EndedChild(NOBODY, "", status.value, None, None, 0, order)
        for order, status in enumerate((Status.FAILED, Status.COMPLETED))
    )
    return parallel.fault_of(container, [failed, good]) is None


def _end(graph: Graph, failed: Node) -> Rung:
    """The end of the run: what is undone, newest first, as far as it was done."""
    if graph.on_failure != "rollback":
        return Rung("kept", failed.id)
    undo = [
        Undo(node.id, declared[0])
        for node in reversed(graph.nodes)
        if node.owner is None
        and _may_be_done(graph, node, failed)
        and (declared := declared_compensation(graph, node)) is not None
    ]
    return Rung("rolls_back", failed.id, undo=tuple(undo))


def _may_be_done(graph: Graph, node: Node, failed: Node) -> bool:
    """Whether the node can have succeeded when ``failed`` fails: it comes before it, or shares a loop or a parallel with it."""
    if node.index == failed.index:
        return False
    shared = set(graph.ancestors(failed.index)) & set(graph.ancestors(node.index))
    together = any(graph.nodes[each].kind in (kinds.LOOP, kinds.PARALLEL) for each in shared)
    return node.index < failed.index or together or node.index in graph.inside(failed.index)


def _name(graph: Graph, index: int) -> str:
    return kinds.END if index == END_INDEX else graph.nodes[index].id
