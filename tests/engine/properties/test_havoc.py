"""Drawn flows under drawn misfortune: every run comes to an end, and whatever it ended like, its records add up."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st

from engine.scenarios.cleaning import clean
from flows import graph, kinds
from flows.doctor import check as doctor
from flows.doctor import errors
from flows.lowering import lower
from tests.engine.properties import invariants
from tests.engine.properties.havoc import Havoc, Plan
from tests.factories import FlowFactory, FlowVersionFactory
from tests.flows.definitions import CHILD, INPUT, definitions

pytestmark = pytest.mark.django_db(transaction=True)

MISFORTUNES = ["fails", "fails", "later", "hangs", "unknown", "dies"]

plans = st.builds(
    Plan,
    calls=st.dictionaries(st.integers(0, 30), st.sampled_from(MISFORTUNES), max_size=8),
    deaths=st.frozensets(st.integers(0, 120), max_size=4),
    twice=st.frozensets(st.integers(0, 80), max_size=4),
)


def publish(path: str, definition: dict[str, Any]) -> Any:
    stored = graph.to_json(lower(definition, lambda path: None))
    return FlowVersionFactory(flow=FlowFactory(path=path), definition=definition, graph=stored)


def run(definition: dict[str, Any], child: dict[str, Any], plan: Plan, broken: list[int]) -> None:
    """Play the flow to its end and check it; ``broken`` says which of its calls always fail, counted from the last one."""
    clean()
    calls = [each["id"] for each in kinds.walk(definition["nodes"]) if "function_ref" in kinds.properties(each)]
    world = Havoc(replace(plan, broken=frozenset(calls[-1 - number % len(calls)] for number in broken if calls)))
    publish(CHILD, child)
    started = world.start(
        *definition["nodes"], input=INPUT, **{key: value for key, value in definition.items() if key != "nodes"}
    )
    ended = world.play(started)
    note(f"it ended {ended.status} after {world.moves} moves and {world.moments} moments: {ended.error}")
    invariants.check(ended, world)


def test_every_run_ends_and_its_records_add_up(request: pytest.FixtureRequest) -> None:
    examples = request.config.getoption("--property-examples")

    @settings(
        max_examples=examples,
        derandomize=examples <= 100,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(
        definition=definitions(),
        child=definitions(sub_flows=False),
        plan=plans,
        broken=st.lists(st.integers(0, 5), max_size=2),
    )
    def holds(definition: dict[str, Any], child: dict[str, Any], plan: Plan, broken: list[int]) -> None:
        assume(not errors(doctor(definition)) and not errors(doctor(child)))
        run(definition, child, plan, broken)

    holds()
    clean()
