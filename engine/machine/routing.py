"""Routers: an agent chooses the branch of an ``or`` when no rule did (reference/flow-format.md, section 6).

Pure. The container's own visit makes the call, so retries and the ladder are the container's. The choice is recorded as the
output of the container, or, where rules were asked first, of a node ``<id>__router`` that only the record has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.machine import asking, expressions, paths, steps
from engine.machine.faults import evaluation
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded
from engine.states import Outcome
from flows.expressions import ExpressionError
from flows.graph import END_INDEX, Node


@dataclass(frozen=True, slots=True)
class Choice:
    """The node to go on at, ``None`` for none of them, and what is recorded of it."""

    target: Node | None
    record: dict[str, Any]


def router_of(node: Node) -> Mapping[str, Any] | None:
    """The container's ``router``, ``None`` where it has none."""
    found = node.settings.get("router")
    return found if isinstance(found, Mapping) else None


def ask(turn: Turn, node: Node) -> None:
    """Let the open attempt ask the router which branch to take."""
    router = router_of(node) or {}
    children = _choices(turn, node)
    try:
        prompt = asking.prompt(turn, router.get("prompt")) or ""
    except ExpressionError as error:
        steps.fail(turn, node, evaluation(error, "router.prompt"))
        return
    branches = "\n".join(f"- {name}: {expressions.label(turn, child)}" for name, child in children.items())
    question = {
        "prompt": f"{prompt}\n\nChoose one of these branches:\n{branches}".lstrip(),
        **asking.context(turn, router.get("include_context")),
        "response_format": _answer_schema(list(children)),
    }
    asking.ask(turn, node, router.get("agent_ref"), question)


def answered(turn: Turn, node: Node, result: Result, *, after_rules: bool) -> None:
    """Take the branch the agent chose, else the default, else none."""
    choice = choose(turn, node, result)
    if choice is not None:
        _lead(turn, node, choice.target, choice.record, after_rules=after_rules)


def choose(turn: Turn, node: Node, result: Result) -> Choice | None:
    """What came of asking: the agent's choice, else the default one, else none at all. A failed call is no choice where there is
    a default; without one the attempt has failed, and ``None`` says so."""
    router, fault = router_of(node) or {}, asking.fault_of(result)
    default = router.get("default_branch")
    if fault is not None and default is None:
        steps.fail(turn, node, fault)
        return None
    output = result.output if isinstance(result, Succeeded) and fault is None else None
    answer, choices = asking.fields(output), _choices(turn, node)
    sure = asking.confidence(answer) >= asking.number(router.get("min_confidence"), 0.0)
    named = answer.get("branch") if sure else None
    is_valid = isinstance(named, str) and named in choices
    routed_to = named if is_valid else default if default in choices else None
    if fault is None:
        steps.attempt_succeeded(turn, node, usage=asking.usage_of(output))
    else:
        steps.attempt_failed(turn, node, fault)
    record = {
        "routed_to": routed_to,
        "routed_by_agent": is_valid,
        "reasoning": answer.get("reasoning"),
        "confidence": answer.get("confidence"),
    }
    return Choice(None if routed_to is None else choices[routed_to], record)


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


def _choices(turn: Turn, node: Node) -> dict[str, Node]:
    """What can be chosen, by name: the children, or of a step that only decides the nodes it leads to."""
    if not node.children:
        return {name: turn.node(target) for name, target in node.edges.items() if target != END_INDEX}
    return {turn.node(index).id: turn.node(index) for index in node.children}


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
