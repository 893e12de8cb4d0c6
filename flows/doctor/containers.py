"""Containers: routing, loops, branches, agents that work together (reference/flow-format.md, section 6)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.doctor.exam import Examination, Found, checks_nodes
from flows.doctor.outline import Place
from flows.doctor.routes import jump_targets
from flows.doctor.tasks import confidence
from flows.doctor.values import is_blank, is_count, one_of
from flows.text import short

MERGE_STRATEGIES: Final = ("merge_all", "all_success", "first_success")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED: Final = frozenset(
    ["true", "false", "null", "contains", "startsWith", "endsWith", "and", "or", "not", "in"]
    + ["RELATES", "VIA", "DEPTH", "DIRECTION", "OUTGOING", "INCOMING", "ANY"]
)
_SHAPES: Final = ("over", "while", "times")
_ELSEWHERE: Final = {
    "router": (kinds.OR, "ROUTER_ON_NON_OR"),
    "loop": (kinds.LOOP, "LOOP_ON_NON_LOOP"),
    "fan_out": (kinds.PARALLEL, "FAN_OUT_ON_NON_PARALLEL"),
    "merge_strategy": (kinds.PARALLEL, "MERGE_STRATEGY_ON_NON_PARALLEL"),
}


@checks_nodes(*kinds.CONTAINER_KINDS)
def own_keys(place: Place, exam: Examination) -> Iterator[Found]:
    """Keys that belong to one type of container stand on that type."""
    for key, (kind, code) in _ELSEWHERE.items():
        if place.is_container and place.raw.get(key) is not None and place.kind != kind:
            words = f"{key} belongs to a container of type {kind}; {place.name} is {place.kind}. Remove it."
            yield Found(code, place, (key,), words)


@checks_nodes(kinds.AND, kinds.OR, kinds.PARALLEL, kinds.LOOP)
def children(place: Place, exam: Examination) -> Iterator[Found]:
    """A container holds something."""
    if place.children:
        return
    if place.raw.get("fan_out") is not None:
        words = f"{place.name} runs nothing for its items. Put a step into it."
        yield Found("FAN_OUT_EMPTY_BRANCH", place, ("children",), words)
    else:
        yield Found(
            "EMPTY_CONTAINER", place, ("children",), f"{place.name} is empty and does nothing. Put a step into it."
        )


@checks_nodes(kinds.OR)
def routing(place: Place, exam: Examination) -> Iterator[Found]:
    """An ``or`` can choose: by rules, by its children's conditions, or by a router."""
    rules, router = place.raw.get("rules"), place.raw.get("router")
    if place.children and not rules and router is None and not any(map(_has_condition, place.children)):
        words = f"{place.name} cannot choose: give it rules, its children conditions, or a router."
        yield Found("OR_UNROUTABLE", place, ("rules",), words)
    targets = {child.id for child in place.children if child.id}
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if not isinstance(rule, Mapping):
            words = f"A rule is a map with a condition and next_step, not {short(rule)}."
            yield Found("INVALID_VALUE", place, ("rules", number), words)
        elif not one_of(rule.get("next_step"), targets):
            words = f"A rule of {place.name} leads to {short(rule.get('next_step'))}, which is none of its children."
            yield Found("INVALID_RULE_TARGET", place, ("rules", number, "next_step"), words)


@checks_nodes()
def unrouted(place: Place, exam: Examination) -> Iterator[Found]:
    """A child of an ``or`` that no rule and no jump reaches never runs."""
    container = place.parent
    if container is None or container.kind != kinds.OR or container.raw.get("router") is not None:
        return
    if not _is_reached(place, container) and place.index not in _jumped_to(exam):
        words = f"No rule of '{container.id}' leads to {place.name}, so it never runs. Add a rule."
        yield Found("UNROUTED_OR_CHILD", place, (), words)


def _is_reached(child: Place, container: Place) -> bool:
    rules = container.raw.get("rules")
    if rules:
        named = (
            (rule.get("next_step") for rule in rules if isinstance(rule, Mapping)) if isinstance(rules, list) else ()
        )
        return any(child.id == name for name in named)
    return _has_condition(child) or not any(map(_has_condition, container.children))


def _has_condition(child: Place) -> bool:
    """Whether a child of an ``or`` brings its own rule. A decision's condition is its own business."""
    return child.get("condition") is not None


def _jumped_to(exam: Examination) -> frozenset[int]:
    return exam.once("jumped_to", lambda: frozenset(_all_targets(exam)))


def _all_targets(exam: Examination) -> Iterator[int]:
    for place in exam.outline.places:
        yield from (target.index for target in jump_targets(place, exam.outline))


@checks_nodes(kinds.OR)
def router(place: Place, exam: Examination) -> Iterator[Found]:
    """A router has an agent, and its fallback is one of the children."""
    found = place.raw.get("router")
    if not isinstance(found, Mapping):
        return
    if found.get("agent_ref") is None:
        words = f"The router of {place.name} asks no agent. Choose one in router.agent_ref."
        yield Found("MISSING_ROUTER_AGENT", place, ("router", "agent_ref"), words)
    branch = found.get("default_branch")
    if branch is not None and not one_of(branch, [child.id for child in place.children]):
        words = f"default_branch of {place.name} is {short(branch)}, which is none of its children."
        yield Found("INVALID_DEFAULT_BRANCH", place, ("router", "default_branch"), words)
    yield from confidence(place, "router.min_confidence", found.get("min_confidence"))


@checks_nodes(kinds.PARALLEL)
def parallel(place: Place, exam: Examination) -> Iterator[Found]:
    """How branches are made and merged."""
    strategy, fan_out = place.raw.get("merge_strategy"), place.raw.get("fan_out")
    if strategy is not None and strategy not in MERGE_STRATEGIES:
        words = f"merge_strategy is one of {', '.join(MERGE_STRATEGIES)}, not {short(strategy)}."
        yield Found("UNKNOWN_MERGE_STRATEGY", place, ("merge_strategy",), words)
    if any(outer.kind == kinds.PARALLEL for outer in place.ancestors()):
        words = (
            f"{place.name} is a parallel inside a parallel: the branches multiply. Put it into a sub-flow if you can."
        )
        yield Found("NESTED_PARALLEL", place, (), words)
    if isinstance(fan_out, Mapping):
        yield from _fan_out(place, fan_out)


def _fan_out(place: Place, fan_out: Mapping[str, Any]) -> Iterator[Found]:
    most = fan_out.get("max_branches")
    if is_blank(fan_out.get("over")):
        words = f"{place.name} does not say over which items. Fill in fan_out.over."
        yield Found("FAN_OUT_MISSING_OVER", place, ("fan_out", "over"), words)
    if most is not None and not is_count(most, least=1):
        words = f"max_branches is a whole number from 1, not {short(most)}."
        yield Found("FAN_OUT_INVALID_MAX_BRANCHES", place, ("fan_out", "max_branches"), words)


@checks_nodes(kinds.LOOP)
def loop(place: Place, exam: Examination) -> Iterator[Found]:
    """A loop has exactly one shape, and its bounds fit it."""
    found = place.raw.get("loop")
    own = found if isinstance(found, Mapping) else {}
    shapes = [shape for shape in _SHAPES if own.get(shape) is not None]
    if not shapes:
        words = f"{place.name} does not say how often. Give its loop one of {', '.join(_SHAPES)}."
        yield Found("LOOP_MISSING_SHAPE", place, ("loop",), words)
    if len(shapes) > 1:
        words = f"{place.name} has {' and '.join(shapes)}. Keep one."
        yield Found("LOOP_AMBIGUOUS_SHAPE", place, ("loop", shapes[1]), words)
    yield from _bounds(place, own)
    for field in ("item", "index"):
        if own.get(field) is not None and not _is_variable(own[field]):
            words = f"{field} of {place.name} names a variable with letters, digits and _, not {short(own[field])}."
            yield Found("LOOP_INVALID_VARIABLE", place, ("loop", field), words)


def _bounds(place: Place, own: Mapping[str, Any]) -> Iterator[Found]:
    most, unbounded = own.get("max_iterations"), own.get("unbounded") is True
    if most is not None and not is_count(most, least=1):
        words = f"max_iterations is a whole number from 1, not {short(most)}."
        yield Found("LOOP_INVALID_MAX_ITERATIONS", place, ("loop", "max_iterations"), words)
    if unbounded and own.get("while") is None:
        words = f"{place.name} is unbounded, but only a while can end such a loop. Remove unbounded."
        yield Found("LOOP_UNBOUNDED_WITHOUT_WHILE", place, ("loop", "unbounded"), words)
    if unbounded and most is not None:
        words = f"{place.name} is unbounded and has max_iterations. Keep one."
        yield Found("LOOP_UNBOUNDED_WITH_MAX", place, ("loop", "max_iterations"), words)


def _is_variable(value: Any) -> bool:
    return isinstance(value, str) and bool(_VARIABLE.fullmatch(value)) and value not in _RESERVED


@checks_nodes(kinds.AI_SEQUENCE)
def ai_sequence(place: Place, exam: Examination) -> Iterator[Found]:
    """An ``ai_sequence`` has its configuration and its agent. Old definitions name the agent on the step."""
    if not place.is_container:
        return
    config = place.raw.get("ai_config")
    if not isinstance(config, Mapping):
        words = f"{place.name} has no ai_config. Say there which agent works, and within which limits."
        yield Found("MISSING_AI_CONFIG", place, ("ai_config",), words)
    elif config.get("agent_ref") is None:
        words = f"{place.name} names no agent. Choose one in ai_config.agent_ref."
        yield Found("MISSING_AI_AGENT_REF", place, ("ai_config", "agent_ref"), words)


@checks_nodes(kinds.COMPETITION)
def competition(place: Place, exam: Examination) -> Iterator[Found]:
    """A competition has a referee and at least two agents."""
    found = place.raw.get("referee")
    own = found if isinstance(found, Mapping) else {}
    if own.get("agent_ref") is None:
        words = f"{place.name} has no referee. Choose an agent in referee.agent_ref."
        yield Found("COMPETITION_NEEDS_REFEREE", place, ("referee",), words)
    if sum(map(_competes, place.children)) < 2:
        words = f"{place.name} needs at least two agent steps to compete."
        yield Found("COMPETITION_TOO_FEW_AGENTS", place, ("children",), words)
    yield from confidence(place, "referee.min_confidence", own.get("min_confidence"))
    for child in place.children:
        if not _competes(child):
            words = f"{child.name} is no agent step, so the competition leaves it out."
            yield Found("COMPETITION_NON_AGENT_CHILD", child, (), words)


def _competes(child: Place) -> bool:
    return child.kind == kinds.AI_AGENT and child.properties.get("agent_ref") is not None
