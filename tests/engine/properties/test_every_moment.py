"""A worker's death at every moment of a run, one after the other: whatever it was busy with, the run ends as it would have."""

from typing import Any

import pytest

from engine.models import Instance
from engine.scenarios.cleaning import clean
from tests.engine import drawing as draw
from tests.engine.properties import invariants
from tests.engine.properties.havoc import Havoc, Plan
from tests.engine.properties.test_havoc import publish
from tests.flows.definitions import CHILD, INPUT

pytestmark = pytest.mark.django_db(transaction=True)


def undone(name: str) -> draw.Node:
    """A call whose compensation is told which one of them it was."""
    return draw.undone(name, compensation_input_mapping={"made": "${output.made}"})


INSIDE = {"nodes": [draw.call("inner"), undone("deep")]}
FLOWS: dict[str, list[dict[str, Any]]] = {
    "a chain": [draw.call("a"), draw.decision("d", "true"), draw.pause("p"), draw.call("b")],
    "a fan-out": [
        draw.parallel("p", draw.call("a"), draw.call("b"), fan_out={"over": "${input.items}"}),
        draw.call("c"),
    ],
    "branches": [draw.parallel("p", draw.call("a"), draw.group("g", draw.call("b"), draw.call("c")))],
    "a loop": [draw.loop("l", draw.call("a"), draw.pause("p"), over="${input.items}"), draw.call("b")],
    "a sub-flow": [draw.step("s", step_type="sub_flow", flow_ref=CHILD), draw.call("b")],
    "a person's task": [draw.task("t"), draw.call("b")],
    "a group's task": [draw.task("t", "/groups/all", group_completion="all"), draw.call("b")],
    "a task that nobody answers": [draw.task("t", due_in_seconds=60, timeout_edge="b"), draw.call("a"), draw.call("b")],
    "an event": [draw.event("e"), draw.call("b")],
    "an agent": [draw.step("s", step_type="ai_agent", agent_ref="/agents/a", prompt="Hi"), draw.call("b")],
    "a retry": [
        draw.call("broken", continue_on_fail=True, retry={"max_retries": 1, "base_delay_ms": 1000}),
        draw.call("b"),
    ],
    "a rollback": [undone("a"), undone("b"), draw.call("broken", retry_strategy="none")],
    "a rollback of child runs": [
        draw.parallel("p", undone("a"), undone("b")),
        draw.step("s", step_type="sub_flow", flow_ref=CHILD),
        draw.call("broken", retry_strategy="none"),
    ],
    "a run without a rollback": [draw.call("a"), draw.call("broken", retry_strategy="none")],
    "a stop": [draw.call("a"), draw.stop("s", reason="enough"), draw.call("b")],
}


def play(nodes: list[dict[str, Any]], plan: Plan) -> tuple[Instance, Havoc]:
    clean()
    publish(CHILD, INSIDE)
    world = Havoc(plan)
    ended = world.play(world.start(*nodes, input=INPUT))
    invariants.check(ended, world)
    return ended, world


@pytest.mark.parametrize("name", FLOWS)
def test_a_death_at_any_moment_changes_nothing_of_the_end(name: str) -> None:
    broken = frozenset({"broken"})
    undisturbed, world = play(FLOWS[name], Plan(broken))
    assert world.moments > 4
    for moment in range(world.moments):
        ended, _ = play(FLOWS[name], Plan(broken, deaths=frozenset({moment})))
        assert (ended.status, ended.not_run) == (undisturbed.status, undisturbed.not_run), (
            f"the death at moment {moment}"
        )
    clean()


@pytest.mark.parametrize("name", FLOWS)
def test_every_message_may_come_twice(name: str) -> None:
    broken = frozenset({"broken"})
    undisturbed, world = play(FLOWS[name], Plan(broken))
    ended, again = play(FLOWS[name], Plan(broken, twice=frozenset(range(world.moves))))
    assert ended.status == undisturbed.status
    assert len(again.made) == len(world.made)
    clean()
