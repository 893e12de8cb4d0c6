"""Routers: an agent chooses the branch of an ``or`` when no rule did (reference/flow-format.md, section 6).

Pure. The container's own visit makes the call, so retries and the ladder are the container's. The choice is recorded as the
output of the container, or, where rules were asked first, of a node ``<id>__router`` that only the record has.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.machine import asking, expressions, paths, steps
from engine.machine.faults import evaluation
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded
from engine.states import Outcome
from flows.expressions import ExpressionError
from flows.graph import Node


def router_of(node: Node) -> Mapping[str, Any] | None:
    """The container's ``router``, ``None`` where it has none."""
    found = node.settings.get("router")
    return found if isinstance(found, Mapping) else None


def ask(turn: Turn, node: Node) -> None:
    """Let the open attempt ask the router which branch to take."""
    router = router_of(node) or {}
    children = [turn.node(index) for index in node.children]
    try:
        prompt = asking.prompt(turn, router.get("prompt")) or ""
    except ExpressionError as error:
        steps.fail(turn, node, evaluation(error, "router.prompt"))
        return
    branches = "\n".join(f"- {child.id}: {expressions.label(turn, child)}" for child in children)
    question = {
        "prompt": f"{prompt}\n\nChoose one of these branches:\n{branches}".lstrip(),
        **asking.context(turn, router.get("include_context")),
        "response_format": _answer_schema([child.id for child in children]),
    }
    asking.ask(turn, node, router.get("agent_ref"), question)


def answered(turn: Turn, node: Node, result: Result, *, after_rules: bool) -> None:
    """Take the branch the agent chose, else the default, else none. A failed call is no choice where there is a default."""
    router, fault = router_of(node) or {}, asking.fault_of(result)
    default = router.get("default_branch")
    if fault is not None and default is None:
        steps.fail(turn, node, fault)
        return
    output = result.output if isinstance(result, Succeeded) and fault is None else None
    answer = asking.fields(output)
    sure = asking.confidence(answer) >= asking.number(router.get("min_confidence"), 0.0)
    chosen = _child(turn, node, answer.get("branch")) if sure else None
    target = chosen if chosen is not None else _child(turn, node, default)
    record = {
        "routed_to": None if target is None else target.id,
        "routed_by_agent": chosen is not None,
        "reasoning": answer.get("reasoning"),
        "confidence": answer.get("confidence"),
    }
    if fault is None:
        steps.attempt_succeeded(turn, node, usage=asking.usage_of(output))
    else:
        steps.attempt_failed(turn, node, fault)
    _lead(turn, node, target, record, after_rules=after_rules)


def _lead(turn: Turn, node: Node, target: Node | None, record: dict[str, Any], *, after_rules: bool) -> None:
    leaf = turn.leaf
    assert leaf is not None
    turn.leaf = None
    if after_rules:
        router = _record_node(node)
        turn.close_visit(router, *turn.open_visit(router), Outcome.SUCCEEDED, record)
    if target is None:
        turn.close_visit(node, leaf.seq, leaf.number, Outcome.SKIPPED)
        turn.event("step_skipped", node.id, leaf.seq)
        paths.go_on(turn, node)
        return
    if not after_rules:
        turn.enter_with(leaf.seq, record)
    turn.reopen(leaf, routed=not after_rules, attempt=leaf.attempt)
    turn.target = target.index


def not_asked(turn: Turn, node: Node) -> None:
    """A rule chose: what the router said in an earlier iteration is not read any more."""
    turn.unbind(_record_node(node))


def _record_node(node: Node) -> Node:
    return replace(node, id=f"{node.id}__router")


def _child(turn: Turn, node: Node, name: Any) -> Node | None:
    return next((turn.node(index) for index in node.children if turn.node(index).id == name), None)


def _answer_schema(branches: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "branch": {"enum": branches},
            "reasoning": {"type": "string"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["branch", "reasoning", "confidence"],
        "additionalProperties": False,
    }
