"""The lowered graph as lines: one for each decision, step and container, with the ways that lead out of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows import kinds
from flows.explain import words
from flows.graph import END_INDEX, Graph, Node

END: Final = kinds.END
BRANCH_END: Final = "end of branch"


@dataclass(frozen=True, slots=True)
class Way:
    """One way out: ``label`` says when it is taken, empty for the ordinary one."""

    label: str
    to: str


@dataclass(frozen=True, slots=True)
class Line:
    """One place of the graph. ``depth`` counts the containers around it."""

    id: str
    kind: str
    action: str
    purpose: str
    ways: tuple[Way, ...]
    depth: int = 0
    retries: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compensation:
    """What undoes a step when a later one fails. ``input`` is ``None`` where the forward arguments are sent."""

    step: str
    function: str
    input: Any = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A whole flow, in document order; ``first`` is where a run begins."""

    first: str
    lines: tuple[Line, ...]
    compensations: tuple[Compensation, ...]
    notes: tuple[str, ...] = ()


def explain(graph: Graph) -> Explanation:
    """The explanation of a lowered flow."""
    lines = tuple(line for node in graph.nodes for line in _lines(node, graph))
    first = graph.nodes[graph.first].id if graph.first is not None else END
    return Explanation(first, lines, tuple(_compensations(graph)), tuple(_flow_notes(graph)))


def _flow_notes(graph: Graph) -> Iterator[str]:
    yield "a failed run is rolled back" if graph.on_failure == "rollback" else "a failed run is kept, to be resumed"
    if graph.error_strategy == "continue":
        yield "a failed call does not stop the flow"
    if graph.recovery is not None:
        yield f"recovery: {words.recovery(graph.recovery)}"


def _lines(node: Node, graph: Graph) -> Iterator[Line]:
    if node.kind == kinds.OR:
        yield from _choice(node, graph)
        return
    yield _line(node, graph, node.id, words.purpose(node), (*_ways(node, graph), *_handlers(node, graph)))


def _line(node: Node, graph: Graph, name: str, purpose: str, ways: tuple[Way, ...]) -> Line:
    return Line(
        id=name,
        kind=node.kind,
        action=str(node.settings.get("action") or ""),
        purpose=purpose,
        ways=ways,
        depth=len(graph.ancestors(node.index)),
        retries=words.retries(node.policy.retry),
        notes=tuple(words.notes(node, graph)),
    )


def _choice(node: Node, graph: Graph) -> Iterator[Line]:
    """An ``or`` as the decisions it is: one for each rule, then the router."""
    rules, router = _rules(node, graph), node.settings.get("router")
    names = [node.id, *(f"{node.id}__rule{number}" for number in range(1, len(rules)))][: len(rules)]
    after = _after(node, graph)
    fallback = f"{node.id}__router" if router and rules else after
    for (condition, target), name, otherwise in zip(rules, names, [*names[1:], fallback], strict=False):
        ways = (Way("yes", target), Way("no", otherwise))
        handlers = _handlers(node, graph) if name == node.id else ()
        yield _line(node, graph, name, f"decides: {words.plain(condition)}", (*ways, *handlers))
    if router:
        yield _router(node, graph, f"{node.id}__router" if rules else node.id, router, after)
    elif not rules:
        yield _line(node, graph, node.id, "chooses nothing", (Way("", after), *_handlers(node, graph)))


def _router(node: Node, graph: Graph, name: str, router: Mapping[str, Any], after: str) -> Line:
    agent = kinds.reference_path(router.get("agent_ref"))
    ways = [Way(graph.nodes[index].id, graph.nodes[index].id) for index in node.children]
    fallback = router.get("default_branch") or after
    return _line(node, graph, name, f"asks {agent} which way", (*ways, Way("not sure", str(fallback))))


def _rules(node: Node, graph: Graph) -> list[tuple[Any, str]]:
    """Conditions with the child they choose: the container's own, else those of its children."""
    own = node.settings.get("rules")
    if own:
        return [(rule.get("condition"), str(rule.get("next_step"))) for rule in own]
    children = [graph.nodes[index] for index in node.children]
    return [
        (child.settings["condition"], child.id) for child in children if child.settings.get("condition") is not None
    ]


def _ways(node: Node, graph: Graph) -> tuple[Way, ...]:
    after = _after(node, graph)
    first = [graph.nodes[index].id for index in node.children]
    match node.kind:
        case kinds.STOP:
            return (Way("", "end of the run"),)
        case kinds.DECISION:
            named = {arm: _name(target, graph) for arm, target in node.edges.items()}
            return (Way("yes", named.get("yes_branch", after)), Way("no", named.get("no_branch", after)))
        case kinds.AGENT_DECISION:
            chosen = (Way(choice, _name(target, graph)) for choice, target in node.edges.items())
            return (*chosen, Way("not sure", after))
        case kinds.LOOP:
            return (*(Way("each time", child) for child in first[:1]), Way("done", after))
        case kinds.PARALLEL:
            branches = first[:1] if node.settings.get("fan_out") else first
            return (*(Way("branch", child) for child in branches), Way("all done", after))
        case kinds.COMPETITION:
            return (*(Way("competes", child) for child in first), Way("", after))
    return (Way("", first[0] if first else after),)


def _handlers(node: Node, graph: Graph) -> tuple[Way, ...]:
    policy = node.policy
    edges = (("error", policy.error_edge), ("timeout", policy.timeout_edge))
    return tuple(Way(label, _name(target, graph)) for label, target in edges if target is not None)


def _after(node: Node, graph: Graph) -> str:
    """Where the flow goes after ``node``: its next sibling, back to the loop around it, or out of its containers."""
    while node.next is None and node.parent is not None:
        node = graph.nodes[node.parent]
        if node.kind == kinds.LOOP:
            return node.id
        if node.kind in (kinds.PARALLEL, kinds.COMPETITION):
            return BRANCH_END
    return END if node.next is None else _name(node.next, graph)


def _name(index: int, graph: Graph) -> str:
    return END if index == END_INDEX else graph.nodes[index].id


def _compensations(graph: Graph) -> Iterator[Compensation]:
    for node in graph.nodes:
        path = kinds.reference_path(node.settings.get("compensation_ref"))
        if path:
            yield Compensation(node.id, path, node.settings.get("compensation_input_mapping"))
            continue
        called = kinds.reference_path(node.settings.get("function_ref")) or ""
        default = graph.manifests.get(called, {}).get("compensation")
        if node.kind == kinds.FUNCTION and isinstance(default, Mapping):
            yield Compensation(node.id, str(default.get("function_ref")), default.get("input"))
