"""Finds the step whose failure ended or holds a run: the innermost one, through sub-flows and branches."""

from dataclasses import dataclass

from engine.failure.tree import GOOD, Run, fan_index, indexes_of
from engine.models import Visit
from engine.states import Outcome, Status
from flows import kinds
from flows.graph import Node


@dataclass(frozen=True, slots=True)
class Place:
    """Where it failed: the run, the visit (``None`` where nothing was open), its node and its name in the whole tree."""

    run: Run
    visit: Visit | None
    node: Node | None
    name: str

    @property
    def is_unknown(self) -> bool:
        """Whether nobody has settled what the last attempt did."""
        visit = self.visit
        if visit is None:
            return False
        if visit.outcome == "":
            return self.run.instance.status == Status.HELD
        return visit.outcome == Outcome.FAILED and (visit.error or {}).get("error_type") == "unknown_outcome"


def find(run: Run) -> Place:
    """The place of the failure of ``run`` or of what is held in it."""
    return _find(run, "", "")


def held_run(run: Run) -> Run | None:
    """The run of the tree that holds it: the oldest where several do."""
    held = [each for each in run.family() if each.instance.status == Status.HELD and not _rests_on_children(each)]
    return min(held, key=lambda each: each.instance.pk, default=None)


def _find(run: Run, prefix: str, indexes: str) -> Place:
    visit = _failed_visit(run)
    if visit is None:
        return Place(run, None, None, f"{prefix}{run.instance.node_id}" or "flow")
    node, inner = run.node(visit.node_id), f"{indexes}{indexes_of(visit)}"
    name = f"{prefix}{visit.node_id}{inner}"
    child = _failed_child(run, visit)
    if child is None:
        return Place(run, visit, node, name)
    if visit.kind == kinds.SUB_FLOW:
        return _find(child, f"{name}/", "")
    return _find(child, prefix, inner + fan_index(child, node))


def _failed_visit(run: Run) -> Visit | None:
    leaf = run.position.leaf
    seq = leaf.seq if leaf is not None else None
    found = [each for each in run.visits if each.seq == seq]
    failed = [each for each in run.visits if each.outcome == Outcome.FAILED and each.completion is not None]
    newest = sorted(failed, key=lambda each: each.completion or 0)
    return next(iter(found or newest[-1:]), None)


def _failed_child(run: Run, visit: Visit) -> Run | None:
    """The child run in which the failure or the hold lies: of those of the last attempt the first that is not good."""
    leaf = run.position.leaf
    children = [each for each in run.children_of(visit) if leaf is None or each.position.made_by == leaf.attempt]
    newest = {each.instance.branch: each for each in children}
    if leaf is not None and leaf.rests:
        return next((each for each in children if held_run(each) is not None), None)
    is_over = (each for each in newest.values() if each.instance.ended_at is not None)
    bad = (each for each in is_over if each.instance.status not in GOOD)
    return next(iter(sorted(bad, key=lambda each: each.instance.branch or 0)), None)


def _rests_on_children(run: Run) -> bool:
    leaf = run.position.leaf
    return leaf is not None and bool(leaf.rests)
