"""Parallel containers: each child (or each item of a fan-out) is a branch, a child run that any worker may carry out.

reference/flow-format.md, section 6; design/engine-notes.md, section 6. The container's visit rests until every branch has ended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.machine import branches as crossing
from engine.machine import expressions, limits, paths, resuming, steps
from engine.machine.faults import Fault, evaluation
from engine.machine.happenings import ChildEnded
from engine.machine.kinds import KINDS, Kind
from engine.machine.run import EndedChild
from engine.machine.turn import NewChild, Turn
from engine.states import Status, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import BRANCH_INPUT, Node

MAX_BRANCHES = 500
GOOD = (Status.COMPLETED, Status.STOPPED)


class ParallelContainer(Kind):
    """Branches side by side, and their join."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._fork(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._fork(turn, node)

    def child_ended(self, turn: Turn, node: Node, child: ChildEnded) -> None:
        leaf = turn.leaf
        assert leaf is not None
        broken = turn.position.broken
        if broken is not None and broken.get("expired"):
            limits.branches_ended(turn, node)
            return
        if broken is not None:
            crossing.all_ended(turn, node, broken)
            return
        branches = turn.run.children(leaf.seq, leaf.attempt)
        fault = fault_of(node, branches)
        if fault is None:
            steps.finish(turn, node, _merged(node, branches))
        steps.keep_effects(turn, node, leaf)
        if fault is None:
            paths.go_on(turn, node)
        else:
            steps.fail(turn, node, fault)

    def resumed(self, turn: Turn, node: Node, ask: Mapping[str, Any]) -> bool:
        """The branches that failed go on, those that rolled themselves back or were cancelled begin anew; the good ones stay."""
        leaf = turn.leaf
        assert leaf is not None
        bad = [each for each in turn.run.children(leaf.seq, leaf.attempt) if each.status not in GOOD]
        if not bad:
            return False
        failed = [each for each in bad if each.status == Status.FAILED]
        anew = [_anew(turn, node, each) for each in bad if each.status != Status.FAILED]
        resuming.into_children(turn, failed, anew, ask, told=bad[0].status == Status.FAILED)
        return True

    def begin_again(self, turn: Turn, node: Node) -> None:
        """All branches start again, as another attempt of the same visit with all its retries."""
        assert turn.leaf is not None
        turn.leaf = replace(turn.leaf, done=turn.leaf.attempt)
        self.try_again(turn, node)

    def _fork(self, turn: Turn, node: Node) -> None:
        fan_out = node.settings.get("fan_out")
        branches = self._fan_out(turn, node, fan_out) if isinstance(fan_out, Mapping) else self._children(turn, node)
        if branches is None:
            return
        if not branches:
            steps.succeed(turn, node, {"branches": []})
            return
        assert turn.leaf is not None
        turn.children += branches
        turn.writes.update("visit", {"seq": turn.leaf.seq}, open_children=len(branches))
        turn.rest(
            WaitKind.CHILD, "join", due=limits.due(turn, node), wake=limits.WAKE, data={"branches": len(branches)}
        )

    def _children(self, turn: Turn, node: Node) -> list[NewChild] | None:
        """One branch a child, with the parent's input or what the child maps; ``None`` when the attempt failed for a mapping."""
        inputs = _inputs(turn, node, [(child, turn.run.facts.input) for child in node.children])
        if inputs is None:
            return None
        return [
            _branch(turn, node, index, value, turn.node(child).id, child, alone=True)
            for index, (child, value) in enumerate(zip(node.children, inputs, strict=True))
        ]

    def _fan_out(self, turn: Turn, node: Node, fan_out: Mapping[str, Any]) -> list[NewChild] | None:
        """One branch an item, all children in order; ``None`` when the attempt failed for what it fans out over."""
        value, found = steps.resolve_or_fail(turn, node, "over", fan_out.get("over"))
        if not found:
            return None
        if isinstance(value, dict):
            value = [{"key": key, "value": each} for key, each in value.items()]
        if not isinstance(value, list):
            steps.fail(turn, node, Fault("over: this gives neither a list nor an object.", "evaluation", final=True))
            return None
        most = int(fan_out.get("max_branches") or MAX_BRANCHES)
        if len(value) > most:
            message = f"{len(value)} items, of which the first {most} are taken (max_branches)."
            turn.event("log", node.id, level="warning", message=message)
        if not node.children:
            return []
        first, items = node.children[0], [{"item": item, "index": index} for index, item in enumerate(value[:most])]
        inputs = _inputs(turn, node, [(first, item) for item in items])
        if inputs is None:
            return None
        return [
            _branch(turn, node, index, value, f"{node.id}-{index}", first, alone=False)
            for index, value in enumerate(inputs)
        ]


def _inputs(turn: Turn, node: Node, branches: Sequence[tuple[int, Any]]) -> list[Any] | None:
    """What each branch gets: its own input, unless it has a mapping, which may read that beside the run's names.

    ``None`` when the attempt failed for one. Only the runtime format has such mappings.
    """
    inputs = []
    for child, own in branches:
        mapping = turn.node(child).settings.get(BRANCH_INPUT)
        try:
            inputs.append(own if mapping is None else expressions.resolve(turn, mapping, given=own))
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "input_mapping"))
            return None
    return inputs


def _branch(turn: Turn, node: Node, index: int, value: Any, branch_id: str, first: int, *, alone: bool) -> NewChild:
    assert turn.leaf is not None
    position = {
        "target": first,
        "scope": node.index,
        **turn.started_by(),
        **({"entry": first} if alone else {}),
    }
    return NewChild(turn.new_id(), value, turn.leaf.seq, index=index, branch_id=branch_id, position=position)


def _anew(turn: Turn, node: Node, ended: EndedChild) -> NewChild:
    """The same branch from its beginning."""
    alone = not isinstance(node.settings.get("fan_out"), Mapping)
    first = node.children[ended.branch if alone else 0]
    return _branch(turn, node, ended.branch, ended.input, ended.branch_id, first, alone=alone)


def _strategy(node: Node) -> str:
    return str(node.settings.get("merge_strategy") or "merge_all")


def fault_of(node: Node, branches: Sequence[EndedChild]) -> Fault | None:
    """Why the container fails, if it does. ``on_error: continue`` forgives failed branches, ``stop`` none."""
    failed = [branch for branch in branches if branch.status not in GOOD]
    if not failed or node.policy.on_error == "continue":
        return None
    error = failed[0].error or {}
    fault = Fault(_message(failed[0]), code=error.get("code"), status=error.get("status"), counted=True)
    if _strategy(node) == "first_success":
        return fault if len(failed) == len(branches) else None
    return fault if _strategy(node) == "all_success" or node.policy.on_error == "stop" else None


def _merged(node: Node, branches: Sequence[EndedChild]) -> Any:
    good = sorted((each for each in branches if each.status in GOOD), key=lambda each: each.order)
    if _strategy(node) == "first_success" and good:
        return good[0].output
    records = [_record(each) for each in branches]
    named = {
        f"branch_{index}": {key: each[key] for key in ("status", "output", "error")}
        for index, each in enumerate(records)
    }
    return {**named, "branches": records}


def _record(branch: EndedChild) -> dict[str, Any]:
    ended_well = branch.status in GOOD
    return {
        "branch_id": branch.branch_id,
        "instance_id": str(branch.id),
        "status": "completed" if ended_well else "failed",
        "output": branch.output if ended_well else None,
        "error": None if ended_well else _message(branch),
    }


def _message(branch: EndedChild) -> str:
    return str((branch.error or {}).get("message") or f"The branch {branch.branch_id} ended {branch.status}.")


KINDS[kinds.PARALLEL] = ParallelContainer()
