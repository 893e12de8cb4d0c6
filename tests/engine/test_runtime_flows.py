"""Flows in raisin's runtime format, run as they are."""

import pytest

from engine.models import Instance, Visit
from engine.outcomes import Failed
from tests.engine.world import ANA, World, called, row
from tests.factories import FlowFactory, FlowVersionFactory
from tests.flows.drawing_flat import END, call, decision, flat, loop, node, parallel, start

pytestmark = pytest.mark.django_db(transaction=True)


def run(world, *nodes, **more):
    started = world.start(*nodes, **more)
    world.settle()
    return row(started)


def outcomes(instance):
    return {visit.node_id: visit.outcome for visit in Visit.objects.filter(instance=instance).order_by("seq")}


def test_steps_follow_their_next_node_to_the_end() -> None:
    world = World(b={"n": 2})
    ended = run(world, call("b", "end"), start("a"), call("a", "b"), END)
    assert (ended.status, ended.output, called(world)) == ("completed", {"n": 2}, ["a", "b"])


@pytest.mark.parametrize(("yes", "expected"), [(True, ["a"]), (False, ["b"])])
def test_a_decision_takes_its_arm(yes, expected) -> None:
    world = World()
    run(world, start("d"), decision("d", "a", "b"), call("a"), call("b"), input={"yes": yes})
    assert called(world) == expected


def test_an_edge_may_go_backward_bounded_by_visits() -> None:
    world = World()
    nodes = [start("a"), call("a", "d"), decision("d", "a", "end", condition="visits.a < 3"), END]
    assert run(world, *nodes).status == "completed"
    assert called(world) == ["a"] * 3


def test_an_error_edge_leads_to_its_handler() -> None:
    world = World(a=Failed("no"))
    nodes = [start("a"), call("a", "b", max_retries=0, error_edge="c"), call("b"), call("c")]
    ended = run(world, *nodes)
    assert (ended.status, called(world)) == ("completed", ["a", "c"])


def test_what_succeeded_is_compensated() -> None:
    world = World(b=Failed("no"))
    nodes = [start("a"), call("a", "b", compensation_ref="/lib/undo-a"), call("b", max_retries=0)]
    assert run(world, *nodes).status == "rolled_back"
    assert called(world) == ["a", "b", "undo-a"]


ITEMS = {"items": ["x", "y", "z"]}


def test_a_loop_repeats_its_body_for_each_item() -> None:
    world = World(a=lambda made: {"got": made.arguments["it"]})
    body = call("a", "l", arguments={"it": "${it}"})
    ended = run(world, start("l"), loop("l", "a", next_node="b"), body, call("b"), input=ITEMS)
    assert called(world) == ["a", "a", "a", "b"]
    assert Visit.objects.get(instance=ended, node_id="l").output == {
        "results": [{"got": each} for each in "xyz"],
        "count": 3,
    }


def test_a_jump_back_to_the_loop_goes_on_with_the_next_item() -> None:
    world = World()
    nodes = [start("l"), loop("l", "d"), decision("d", "l", "a", condition="it == 'y'"), call("a", "l")]
    ended = run(world, *nodes, input=ITEMS)
    assert (ended.status, called(world)) == ("completed", ["a", "a"])
    assert Visit.objects.get(instance=ended, node_id="l").output["count"] == 3


def test_a_way_out_of_the_body_ends_the_loop() -> None:
    world = World()
    nodes = [
        start("l"),
        loop("l", "d", next_node="b"),
        decision("d", "c", "a", condition="it == 'y'"),
        call("a", "l"),
        call("b"),
        call("c"),
    ]
    assert run(world, *nodes, input=ITEMS).status == "completed"
    assert called(world) == ["a", "c"]


def test_an_end_inside_a_loop_ends_the_run() -> None:
    world = World()
    nodes = [
        start("l"),
        loop("l", "d", next_node="b"),
        decision("d", "end", "a", condition="it == 'y'"),
        call("a", "l"),
        call("b"),
        END,
    ]
    assert run(world, *nodes, input=ITEMS).status == "completed"
    assert called(world) == ["a"]


def test_loops_inside_loops_run_all_their_turns() -> None:
    world = World()
    outer = loop("l", "m", loop_type="times", times=2, next_node="b")
    inner = loop("m", "a", loop_type="times", times=3, next_node="c")
    run(world, start("l"), outer, inner, call("a", "m"), call("c", "l"), call("b"))
    assert called(world) == ["a", "a", "a", "c"] * 2 + ["b"]


def test_a_while_loop_asks_its_condition() -> None:
    world = World()
    shape = loop("l", "a", loop_type="while", condition="iteration < 2")
    run(world, start("l"), shape, call("a", "l"))
    assert called(world) == ["a", "a"]


BRANCH = flat(start("a"), call("a", "b", arguments={"n": "${input.n}"}), call("b"), END)


def test_branches_are_graphs_of_their_own_with_the_input_they_map() -> None:
    world = World()
    other = flat(start("a"), call("a", "c", arguments={"n": "${input.n}"}), call("c"))
    branches = [
        {"id": "left", "flow_definition": BRANCH, "input_mapping": {"n": "${input.x + 1}"}},
        {"id": "right", "flow_definition": other},
    ]
    ended = run(world, start("p"), parallel("p", *branches, next_node="z"), call("z"), input={"x": 1, "n": 9})
    assert ended.status == "completed"
    assert sorted(called(world)) == ["a", "a", "b", "c", "z"]
    assert sorted(made.arguments["n"] for made in world.functions.made if made.path == "/lib/a") == [2, 9]
    ids = [each["branch_id"] for each in Visit.objects.get(instance=ended, node_id="p").output["branches"]]
    assert ids == ["left", "right"]


def test_a_branch_can_be_a_flow_of_its_own() -> None:
    world = World(c={"done": 1})
    FlowVersionFactory(flow=FlowFactory(path="/flows/inner"), definition=flat(start("c"), call("c")))
    ended = run(world, start("p"), parallel("p", {"id": "x", "flow_path": "/flows/inner"}))
    (branch,) = Visit.objects.get(instance=ended, node_id="p").output["branches"]
    assert (branch["status"], branch["output"]) == ("completed", {"done": 1})


def test_a_branch_runs_for_each_item_and_maps_it() -> None:
    world = World()
    each = {"flow_definition": BRANCH, "input_mapping": {"n": "${item}", "at": "${index}", "x": "${input.x}"}}
    ended = run(
        world,
        start("p"),
        node("p", "parallel", for_each="${input.items}", branch=each, max_branches=2),
        input={**ITEMS, "x": 5},
    )
    assert ended.status == "completed"
    children = Instance.objects.filter(parent=ended).order_by("branch")
    assert [child.input for child in children] == [{"n": "x", "at": 0, "x": 5}, {"n": "y", "at": 1, "x": 5}]


def test_a_mapping_that_cannot_be_evaluated_fails_the_step() -> None:
    branch = {"id": "x", "flow_definition": BRANCH, "input_mapping": {"n": "${nowhere}"}}
    ended = run(World(), start("p"), parallel("p", branch))
    assert (ended.status, ended.error["error_type"], ended.error["step_id"]) == ("failed", "evaluation", "p")
    assert not Instance.objects.filter(parent=ended).exists()


ROUTER = {"agent_ref": "/agents/r", "prompt": "Which?", "branches": ["a", {"id": "b"}], "default_branch": "b"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"branch": "a", "reasoning": "r", "confidence": 1}, ["a"]),
        ({"branch": "z", "confidence": 1}, ["b"]),
        (Failed("no"), ["b"]),
    ],
)
def test_an_agent_decides_where_to_go_on(answer, expected) -> None:
    world = World()
    world.functions.answers["/agents/r"] = answer
    ended = run(
        world, start("r"), node("r", "agent_decision", next_node="c", **ROUTER), call("a"), call("b"), call("c")
    )
    assert [each for each in called(world) if not each.startswith("/")] == expected
    assert Visit.objects.get(instance=ended, node_id="r").output["routed_to"] == expected[0]


def test_an_agent_that_chooses_nothing_leads_to_the_next_node() -> None:
    world = World()
    world.functions.answers["/agents/r"] = {"branch": "z", "confidence": 1}
    unsure = {**ROUTER, "default_branch": None}
    run(world, start("r"), node("r", "agent_decision", next_node="c", **unsure), call("a"), call("b"), call("c"))
    assert called(world)[1:] == ["c"]


def test_agents_work_and_compete_under_their_runtime_names() -> None:
    world = World()
    world.functions.answers |= {
        "/agents/w": {"response": "w"},
        "/agents/j": {"action": "accept", "winner": "one", "confidence": 1},
    }
    agent = {"agent_ref": "/agents/w", "prompt": "Write"}
    rivals = [node(name, "ai_agent", **agent) for name in ("one", "two")]
    nodes = [
        start("s"),
        node("s", "agent_step", next_node="q", **agent),
        node("q", "ai_container", next_node="c", max_iterations=1, **agent),
        node("c", "competition", prompt="Best", referee={"agent_ref": "/agents/j"}, children=rivals),
    ]
    ended = run(world, *nodes)
    assert (ended.status, outcomes(ended)) == ("completed", dict.fromkeys(["s", "q", "c", "one", "two"], "succeeded"))


def test_a_person_is_asked_with_its_title_and_description() -> None:
    world = World()
    asked = node(
        "t",
        "human_task",
        title="Check {{ input.n }}",
        description="Well",
        task_type="review",
        assignee=ANA,
        next_node="a",
    )
    started = world.start(start("t"), asked, call("a"), input={"n": 3})
    world.settle()
    task = row(started).inboxtasks.get()
    assert (task.title, task.description) == ("Check 3", "Well")
    world.answer(started)
    world.settle()
    assert (row(started).status, called(world)) == ("completed", ["a"])
