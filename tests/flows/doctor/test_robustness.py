"""Whatever a definition holds: the doctor answers, soon, and what it lets pass can be lowered."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings

from flows.doctor import check, errors
from flows.graph import from_json, to_json
from flows.lowering import lower
from flows.text import read, write_yaml
from tests.flows import corpus
from tests.flows.doctor.cases import LIBRARY, box, flow, step
from tests.flows.mutations import mutated
from tests.soon import soon
from tests.strategies import json_values, unhurried

DEFINITIONS = [definition for _, definition in corpus.definitions()]
MUTATIONS = 10_000


def test_a_damaged_definition_never_crashes_the_doctor_nor_what_follows():
    chance = random.Random(20300107)
    for _ in range(MUTATIONS):
        definition = mutated(chance.choice(DEFINITIONS), chance)
        with soon():
            found = check(definition, library=LIBRARY, flow_path="/flows/self")
        json.dumps([each.as_json() for each in found])
        if not errors(found):
            lower(definition, LIBRARY.manifest)


@settings(unhurried, max_examples=300)
@given(json_values)
def test_any_value_gets_an_answer(value):
    check(value, library=LIBRARY)
    check({"nodes": [value, {"id": "a", "node_type": "raisin:FlowStep", "properties": value}]}, library=LIBRARY)


def test_every_definition_that_passes_is_lowered_and_its_graph_kept_as_json():
    for name, definition in corpus.definitions():
        if errors(check(definition)):
            continue
        graph = lower(definition, lambda path: None)
        assert from_json(json.loads(json.dumps(to_json(graph)))) == graph, name


def test_a_definition_survives_the_way_through_text():
    chance = random.Random(7)
    for definition in chance.sample(DEFINITIONS, 100):
        again = read(write_yaml(definition)).value
        assert [str(each) for each in check(again)] == [str(each) for each in check(definition)]


def long_flow(count: int) -> dict[str, Any]:
    def one(number: int) -> dict[str, Any]:
        before = f"s{number - 1}" if number % 10 else f"s{number}"
        arguments = {"order": "${input.order}", "text": "plain", "before": f"${{history.{before}.length()}}"}
        return step(f"s{number}", arguments=arguments, retry={"max_retries": 2}, function_ref="/lib/read")

    groups = [box(f"g{at}", "and", *map(one, range(at, at + 9))) for at in range(0, count, 10)]
    return flow(*groups, recovery={"redo": "this_and_after"})


def test_a_thousand_steps_are_checked_soon():
    with soon():
        assert not errors(check(long_flow(1_000), library=LIBRARY))


@pytest.mark.parametrize("worst", ["edges", "decisions", "unknown", "nested"])
def test_no_shape_of_a_thousand_steps_takes_long(worst):
    def odd(number: int) -> dict[str, Any]:
        match worst:
            case "edges":
                return step(f"s{number}", error_edge="s0", timeout_edge=f"s{number // 2}")
            case "decisions":
                return step(f"s{number}", step_type="decision", condition="true", yes_branch="s999")
            case "unknown":
                return step(f"s{number}", arguments={"x": f"${{steps.t{number}.v}}"})
        return box(f"s{number}", "loop", loop={"over": [1]}, recovery={"redo": "whole_group", "then": "escalate"})

    nodes = [odd(number) for number in range(1_000)]
    if worst == "nested":
        for at in range(0, 1_000, 40):  # 40 levels of scopes in scopes
            for inner, outer in zip(nodes[at + 1 : at + 40], nodes[at:], strict=False):
                outer["children"].append(inner)
        nodes = nodes[::40]
    with soon():
        check(flow(*nodes), library=LIBRARY)
