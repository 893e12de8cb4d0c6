"""Damage done to definitions, to see that nothing falls over it."""

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, 10**400, 0.5, -0.0, "", " ", "end", "start", "__x", "a-b",
    "${", "{{ x }}", "${steps.a.b}", "steps.a-b.c",
    "\x00", "raisin:FlowStep", "raisin:FlowContainer", "parallel", "loop", "or", [], [None], [[]], [1, "a"], {},
    {"": None}, {"raisin:path": 5}, {"id": "x"}, {"times": 3}, {"over": "${input.x}"}, {"condition": "true", "next_step": "a"},
    {"redo": "this_and_after", "then": "escalate"}, {"steps": [{"id": "p"}], "outcome": "true"}, {"function_ref": "/lib/x"},
]  # fmt: skip
KEYS = [
    "id", "node_type", "container_type", "children", "properties", "nodes", "step_type", "task_type", "function_ref", "agent_ref",
    "error_edge", "timeout_edge", "yes_branch", "no_branch", "on_error", "retry", "recovery", "reconcile", "undo",
    "loop", "rules",
    "router", "fan_out", "when", "condition", "must_succeed", "optional", "arguments", "resources", "input_schema", "referee",
]  # fmt: skip


def mutated(definition: Any, chance: random.Random) -> Any:
    """A copy of ``definition`` with one to five places damaged."""
    damaged = copy.deepcopy(definition)
    for _ in range(chance.randint(1, 5)):
        places = list(_containers(damaged))
        if places:
            _damage(chance.choice(places), damaged, chance)
    return damaged


def _damage(place: Any, whole: Any, chance: random.Random) -> None:
    value = copy.deepcopy(chance.choice([chance.choice(ODD), chance.choice(list(_containers(whole)))]))
    if isinstance(place, list):
        if place and chance.random() < 0.5:
            place[chance.randrange(len(place))] = value
        else:
            place.insert(chance.randint(0, len(place)), value)
        return
    key = chance.choice([*place, chance.choice(KEYS)])
    if chance.random() < 0.3:
        place.pop(key, None)
    else:
        place[key] = value


def _containers(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list | dict):
            yield found
            waiting.extend(found if isinstance(found, list) else found.values())
