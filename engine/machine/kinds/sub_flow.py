"""Sub-flow steps: start another flow and rest until it ends (reference/flow-format.md, section 5)."""

from collections.abc import Mapping
from typing import Any

from engine.machine import paths, resuming, steps
from engine.machine.faults import Fault
from engine.machine.happenings import ChildEnded
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import NewChild, Turn
from engine.states import Status, WaitKind
from flows import kinds
from flows.graph import Node
from flows.values import MAX_DEPTH, is_shallow


class SubFlowStep(Kind):
    """A step that runs another flow. The child takes the newest published version and is pinned to it."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._start(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._start(turn, node)

    def child_ended(self, turn: Turn, node: Node, child: ChildEnded) -> None:
        leaf = turn.leaf
        assert leaf is not None
        keeps_effects = child.compensations > 0 and child.status != Status.ROLLED_BACK
        if child.status in (Status.COMPLETED, Status.STOPPED):
            steps.finish(turn, node, child.output)
        if keeps_effects:
            steps.register(turn, node, leaf, child=child.child)
        if turn.leaf is None:
            paths.go_on(turn, node)
        else:
            steps.fail(turn, node, _fault(child))

    def resumed(self, turn: Turn, node: Node, ask: Mapping[str, Any]) -> bool:
        """A child that kept its effects goes on at its own failed step; one that rolled itself back is started anew."""
        assert turn.leaf is not None
        children = turn.run.children(turn.leaf.seq, turn.leaf.attempt)
        if not children or children[-1].status != Status.FAILED:
            return False
        resuming.into_children(turn, children[-1:], [], ask, told=True)
        return True

    def _start(self, turn: Turn, node: Node) -> None:
        path = kinds.reference_path(node.settings.get("flow_ref"))
        flow = turn.world.flows.published(turn.run.facts.workspace_id, path or "")
        if flow is None or not flow.enabled:
            steps.fail(turn, node, Fault(f"There is no published and enabled flow {path}.", code="flow_not_found"))
            return
        mapping = node.settings.get("input_mapping")
        value, found = (
            (_inherited_input(turn), True)
            if mapping is None
            else steps.resolve_or_fail(turn, node, "input_mapping", mapping)
        )
        if not found:
            return
        if not is_shallow(value, MAX_DEPTH):
            message = f"input_mapping: this is nested more than {MAX_DEPTH} levels deep."
            steps.fail(turn, node, Fault(message, "evaluation", final=True))
            return
        assert turn.leaf is not None
        position = turn.started_by()
        child = NewChild(turn.new_id(), value, turn.leaf.seq, flow.flow_id, flow.version_id, position=position)
        turn.children.append(child)
        turn.writes.update("visit", {"seq": turn.leaf.seq}, open_children=1)
        turn.rest(WaitKind.CHILD, "join", data={"children": [str(child.id)]})


def _inherited_input(turn: Turn) -> Any:
    """Without a mapping: the parent's input overlaid with its flow and loop variables, names with ``__`` left out."""
    own = turn.run.facts.input
    context = turn.context()
    base = own if isinstance(own, dict) else {}
    return {**base, **context.flat_variables(), **context.loop_variables()}


def _fault(child: ChildEnded) -> Fault:
    error = child.error or {}
    if child.status == Status.CANCELLED:
        return Fault("The flow was cancelled.", "cancelled", final=True)
    message = error.get("message") or f"The flow ended {child.status}."
    return Fault(str(message), code=error.get("code"), status=error.get("status"))


KINDS[kinds.SUB_FLOW] = SubFlowStep()
