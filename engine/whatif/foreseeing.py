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
    manifest = graph.manifest_of(node)
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
        end = yield from _level(place, fault)
        breaks = end == "asks"
        if end == "asks":
            end, place = yield from _outside(place)
        if end == "settled":
            return
        if end == "run_fails" or place.branch is None:
            yield _end(graph, failed)
            return
        node = graph.nodes[place.branch]
        yield Rung("branch_fails", node.id)
        if not breaks and _branches_suffice(node):
            yield Rung("branches_suffice", node.id)
            return
        yield from _retries(node)
        fault = replace(_FAILED, counted=True)


End: TypeAlias = Literal["settled", "run_fails", "climbs", "asks"]
"""How the rungs of one run end: control goes on somewhere; past every policy; outward by row 7; a run around it is asked."""


def _outside(place: Place) -> Generator[Rung, None, tuple[End, Place]]:
    """The rungs of the runs around a branch that have a say in its failure, and the place from which the ladder climbs on."""
    failed = place.node
    if _must(place):
        yield from _must_succeed(place)
        return "run_fails", place
    while place.branch is not None:
        container = place.graph.nodes[place.branch]
        outer, told = Place(place.graph, container), set[int]()
        while (ruling := branches.ruling_for(outer.turn(), container, failed, "")) is not None:
            end = yield from _scope(outer, ruling, failed, told)
            if end is not None:
                return end, place
        if not branches.passes_on(outer.turn(), container):
            break
        place = outer
    return "climbs", place


def _must(place: Place) -> bool:
    """Whether the whole run fails with the branch."""
    verdict = ladder.judge(place.turn(), place.node, _FAILED)
    return verdict is not None and verdict.must


def _level(place: Place, fault: Fault) -> Generator[Rung, None, End]:
    """The rungs within one run."""
    told: set[int] = set()
    while True:
        verdict = ladder.judge(place.turn(), place.node, fault)
        if verdict is None:
            yield from _must_succeed(place)
            return "climbs"
        if verdict.asks:
            if not (verdict.must or branches.shielded_outside(place.turn())):
                yield from _escalated(scopes_around(place.turn(), place.node), told)
            return "asks"
        if verdict.ruling is not None:
            end = yield from _scope(place, verdict.ruling, place.node, told)
            if end is not None:
                return end
        elif verdict.again:
            yield from _retries(verdict.node, "starts_anew")
            place.wear_out(construct=verdict.node)
        else:
            yield _settled(place, verdict)
            return "settled"


def _scope(place: Place, ruling: Ruling, failed: Node, told: set[int]) -> Generator[Rung, None, End | None]:
    """The rungs of one ruling; ``None`` where it is a redo, whose budget is used up behind it."""
    yield from _passed_on(ruling, scopes_around(place.turn(), failed), told)
    yield _ruled(place.graph, ruling)
    if ruling.decision == "redo":
        place.wear_out(scope=ruling.scope.seq)
        return None
    return "settled" if ruling.decision == "hold" else "run_fails"


def _must_succeed(place: Place) -> Iterator[Rung]:
    graph, around = place.graph, reversed(place.graph.ancestors(place.node.index))
    for node in (place.node, *(graph.nodes[index] for index in around)):
        if node.policy.must_succeed:
            yield Rung("must_succeed", node.id)
            return


def _settled(place: Place, verdict: Verdict) -> Rung:
    node = verdict.node
    if verdict.target is not None:
        row: Row = "timeout_edge" if verdict.target == node.policy.timeout_edge else "error_edge"
        return Rung(row, node.id, to=_name(place.graph, verdict.target))
    if verdict.iterates:
        return Rung("next_iteration", node.id)
    return Rung("held_unknown" if verdict.untold else "goes_on", node.id)


def _passed_on(ruling: Ruling, scopes: Iterable[Scope], told: set[int]) -> Iterator[Rung]:
    """The scopes inside the one that rules, which leave it to that."""
    yield from _escalated(takewhile(lambda each: each.seq != ruling.scope.seq, scopes), told)


def _escalated(scopes: Iterable[Scope], told: set[int]) -> Iterator[Rung]:
    """Scopes that leave it to one around them; each is ``told`` once."""
    for inner in scopes:
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
