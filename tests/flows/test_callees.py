"""What a flow can come to call: each place a function or an agent may stand in, and none that cannot run."""

import pytest

from flows.callees import callees
from flows.doctor import Known
from flows.reachable import sub_flows
from tests.engine.drawing import call, child_flow, container, either, group, step, task, undone

SCHEMA = {"type": "object", "properties": {"charge": {"type": "string", "title": "Number"}}}
LIBRARY = Known(
    functions={
        "/lib/charge": {
            "effect": "write",
            "output_schema": SCHEMA,
            "compensation": {"function_ref": "/lib/refund"},
        },
        "/lib/refund": {"effect": "write"},
        "/lib/look": {"effect": "read"},
    },
    agents={"/agents/a": ["/lib/look"], "/agents/b": []},
)


def found(*nodes, library=LIBRARY):
    return [(each.path, use.role) for each in callees({"nodes": list(nodes)}, library) for use in each.uses]


def ask(name, agent="/agents/b", **properties):
    return step(name, step_type="ai_agent", agent_ref=agent, prompt="?", **properties)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (call("look"), [("/lib/look", "call")]),
        (call("charge"), [("/lib/charge", "call"), ("/lib/refund", "compensation")]),
        (undone("look"), [("/lib/look", "call"), ("/lib/undo-look", "compensation")]),
        (call("look", undo={"function_ref": "/lib/u"}), [("/lib/look", "call"), ("/lib/u", "undo")]),
        (
            call("look", on_unknown="reconcile", reconcile={"steps": [call("probe")]}),
            [("/lib/look", "call"), ("/lib/probe", "probe")],
        ),
        (ask("a"), [("/agents/b", "agent")]),
        (ask("a", "/agents/a"), [("/agents/a", "agent"), ("/lib/look", "tool")]),
        (
            container("s", "ai_sequence", ai_config={"agent_ref": "/agents/b", "explicit_tools": ["/lib/look"]}),
            [("/agents/b", "agent"), ("/lib/look", "tool")],
        ),
        (step("old", agent_ref="/agents/b", step_type="default"), [("/agents/b", "agent")]),
        (
            step("c", step_type="chat", chat_config={"agent_ref": "/agents/b", "handoff_targets": [{"agent_ref": "/agents/c"}]}),
            [("/agents/b", "chat"), ("/agents/c", "hand_over")],
        ),
        (task("t", assignee="/agents/b"), [("/agents/b", "assignee")]),
        (task("t"), []),
        (either("o", call("look"), router={"agent_ref": "/agents/b"}), [("/agents/b", "router"), ("/lib/look", "call")]),
        (
            container("c", "competition", ask("x"), ask("y", "/agents/c"), referee={"agent_ref": "/agents/r"}),
            [("/agents/r", "referee"), ("/agents/b", "agent"), ("/agents/c", "agent")],
        ),
        (group("g", call("look", disabled=True)), []),
        (ask("a", "${input.agent}"), []),
        (container("s", "ai_sequence", ai_config={"agent_ref": "$auto"}), []),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_every_place_that_calls_is_found(node, expected) -> None:
    assert found(node) == expected


def test_one_function_is_listed_once_with_all_its_places() -> None:
    (only,) = callees({"nodes": [call("look"), call("again", function_ref="/lib/look")]}, LIBRARY)
    assert [use.node for use in only.uses] == ["look", "again"]


def test_the_flows_that_it_runs_count_at_any_depth_and_only_once() -> None:
    flows = {
        "/flows/inner": {"nodes": [call("look"), child_flow("deep")]},
        "/flows/deep": {"nodes": [call("deep"), child_flow("inner")]},
    }
    library = Known(functions=LIBRARY.functions, flows=flows)
    listed = callees({"nodes": [child_flow("inner"), child_flow("unknown")]}, library)
    assert [(each.path, each.uses[0].flow) for each in listed] == [
        ("/lib/look", "/flows/inner"),
        ("/lib/deep", "/flows/deep"),
    ]
    assert list(sub_flows({"nodes": [child_flow("inner")]}, library)) == ["/flows/inner", "/flows/deep"]


def test_an_effect_is_the_manifests_and_write_where_nobody_says() -> None:
    listed = callees({"nodes": [call("look"), call("unknown"), ask("a")]}, LIBRARY)
    told = [(each.kind, each.effect, each.has_manifest) for each in listed]
    assert told == [("function", "read", True), ("function", "write", False), ("agent", None, False)]


def test_samples_fit_the_place() -> None:
    schema = {"type": "object", "properties": {"mood": {"enum": ["good", "bad"]}}}
    approval = {"task_type": "approval", "options": [{"value": "yes"}, {"value": "no"}]}
    nodes = [
        call("charge"),
        ask("a", "/agents/1", response_format=schema),
        step("t", step_type="human_task", assignee="/agents/2", **approval),
        either("o", call("left"), call("right"), router={"agent_ref": "/agents/3"}),
    ]
    samples = {each.path: each.sample for each in callees({"nodes": nodes}, LIBRARY)}
    assert samples["/lib/charge"] == {"charge": "Number"}
    assert samples["/agents/1"]["structured_output"] == {"mood": "good"}
    assert samples["/agents/2"]["decision"] == "yes"
    assert samples["/agents/3"]["branch"] == "left"


@pytest.mark.parametrize("definition", [{}, {"nodes": None}, {"nodes": [None, 3]}, {"nodes": [{"id": "a"}]}], ids=str)
def test_a_definition_that_is_no_good_calls_nothing(definition) -> None:
    assert callees(definition, LIBRARY) == []
