"""For every code the smallest definition that shows it, as a person might write it by mistake."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from flows.doctor import Known, Library

Node: TypeAlias = dict[str, Any]

LIBRARY = Known(
    functions={
        "/lib/plain": None,
        "/lib/read": {"effect": "read"},
        "/lib/write": {"effect": "write"},
        "/lib/keyed": {"effect": "write", "idempotent": True, "idempotency_param": "external_id"},
        "/lib/promise": {"effect": "write", "output_schema": {"type": "object"}},
        "/lib/needs": {"effect": "read", "input_schema": {"type": "object", "required": ["amount"]}},
    },
    agents={"/agents/clerk": ()},
    flows={
        "/flows/child": {"nodes": []},
        "/flows/caller": {
            "nodes": [
                {
                    "id": "back",
                    "node_type": "raisin:FlowStep",
                    "properties": {"action": "Back", "step_type": "sub_flow", "flow_ref": "/flows/self"},
                }
            ]
        },
    },
    targets=frozenset({"night-desk"}),
)
FLOW_PATH = "/flows/self"


@dataclass(frozen=True)
class Case:
    """A definition and the findings it must have, as ``node code`` pairs; other findings only below ``severity``."""

    definition: Mapping[str, Any]
    expected: tuple[tuple[str, str], ...]
    library: Library = LIBRARY


def step(id: str, **properties: Any) -> Node:
    """A step that is fine but for what ``properties`` say; one without a kind calls ``/lib/plain``."""
    is_function = not {"step_type", "task_type", "agent_ref", "condition", "function_ref"} & properties.keys()
    fine = {"action": id.capitalize(), **({"function_ref": "/lib/plain"} if is_function else {})}
    kept = {key: value for key, value in {**fine, **properties}.items() if value is not None}
    return {"id": id, "node_type": "raisin:FlowStep", "properties": kept}


def box(id: str, kind: str, *children: Node, **keys: Any) -> Node:
    return {
        "id": id, "node_type": "raisin:FlowContainer", "container_type": kind, **keys, "children": list(children)
    }  # fmt: skip


def task(id: str = "ask", **properties: Any) -> Node:
    return step(id, **{"step_type": "human_task", "task_type": "review", "assignee": "/users/ida", **properties})


def flow(*nodes: Any, **keys: Any) -> Node:
    return {**keys, "nodes": list(nodes)}


RECONCILE = {"steps": [step("probe", function_ref="/lib/read")], "outcome": "steps.probe.found == true"}

CASES: dict[str, Case] = {}


def case(code: str, node: str, *nodes: Any, library: Library = LIBRARY, **keys: Any) -> None:
    CASES[code] = Case(flow(*nodes, **keys), ((node, code),), library)


# the flow as a whole
case("EMPTY_FLOW", "")
case("UNKNOWN_ERROR_STRATEGY", "", step("a"), error_strategy="panic")
case("UNKNOWN_ON_FAILURE", "", step("a"), on_failure="explode")
case("INVALID_INPUT_SCHEMA", "", step("a"), input_schema={"type": "objekt"})
case("INVALID_VALUE", "a", step("a", disabled="yes"))
case("UNKNOWN_PROPERTY", "a", step("a", retires=3))
case("UNSUPPORTED_PROPERTY", "a", step("a", lua_script="return 1"))

# ids and kinds
case("EMPTY_NODE_ID", "", {**step("a"), "id": " "})
case("DUPLICATE_NODE_ID", "a", step("a"), box("b", "and", step("a")))
case("RESERVED_NODE_ID", "end", step("end"))
case("UNKNOWN_NODE_TYPE", "a", {"id": "a", "node_type": "raisin:Page"})
case("UNKNOWN_STEP_TYPE", "a", step("a", step_type="mystery", function_ref="/lib/plain"))
case("UNKNOWN_CONTAINER_TYPE", "a", box("a", "xor", step("b")))
case("MISSING_ACTION", "a", step("a", action=None))
case("MISSING_FUNCTION_REF", "a", step("a", function_ref=None))

# references
case("INVALID_REFERENCE", "a", step("a", function_ref={"raisin:workspace": "functions"}))
case("FUNCTION_NOT_FOUND", "a", step("a", function_ref="/lib/nowhere"))
case("FUNCTION_NOT_A_FUNCTION", "a", step("a", function_ref="/agents/clerk"))
case("MISSING_REQUIRED_ARGUMENT", "a", step("a", function_ref="/lib/needs", arguments={"n": 1}))
case("MISSING_FLOW_REF", "a", step("a", step_type="sub_flow"))
case("SUB_FLOW_CYCLE", "a", step("a", step_type="sub_flow", flow_ref="/flows/caller"))
case("MISSING_AGENT_REF", "a", step("a", step_type="ai_agent", prompt="Hello"))
case("MISSING_CHAT_AGENT_REF", "a", step("a", step_type="chat", chat_config={"max_turns": 3}))
case("UNKNOWN_NOTIFY_TARGET", "", step("a"), recovery={"notify": "day-desk"})

# edges
case("INVALID_ERROR_EDGE", "a", step("a", error_edge="gone"))
case("INVALID_TIMEOUT_EDGE", "a", step("a", timeout_edge="gone"))
case("INVALID_BRANCH_TARGET", "a", step("a", step_type="decision", condition="true", no_branch="gone"))
case("EDGE_LEAVES_BRANCH", "b", box("a", "parallel", step("b", error_edge="c")), step("c"))
case("POSSIBLE_CYCLE", "b", step("a"), step("b", error_edge="a"))

# steps
case("UNKNOWN_RETRY_STRATEGY", "a", step("a", retry_strategy="eager"))
case("INVALID_RETRY_CONFIG", "a", step("a", retry={"max_retries": -1}))
case("UNKNOWN_ON_ERROR", "a", {**step("a"), "on_error": "ignore"})
case("OPTIONAL_AND_MUST_SUCCEED", "a", step("a", optional=True, must_succeed=True))
case("MUST_SUCCEED_WITH_HANDLER", "a", step("a", must_succeed=True, continue_on_fail=True))
case("UNKNOWN_WAIT_TYPE", "a", step("a", step_type="wait", wait_type="moon"))
case("MISSING_WAIT_TARGET", "a", step("a", step_type="wait", wait_type="event"))
case("INVALID_DURATION", "a", step("a", step_type="wait", duration="a while"))
case("INVALID_CRON", "a", step("a", step_type="wait", wait_type="cron", cron="every day"))
case("EMPTY_CONDITION", "a", step("a", step_type="decision", condition=" "))
case("INVALID_CONDITION", "a", step("a", step_type="decision", condition="(input.n > 1"))

# human tasks
case("MISSING_TASK_TYPE", "ask", task(task_type=None))
case("INVALID_TASK_TYPE", "ask", task(task_type="Not a slug"))
case("MISSING_ASSIGNEE", "ask", task(assignee=None))
case("MISSING_TASK_OPTIONS", "ask", task(task_type="approval"))
case("MISSING_INPUT_SCHEMA", "ask", task(task_type="input"))
case("INVALID_MIN_CONFIDENCE", "ask", task(min_confidence=1.5))
case("AGENT_ASSIGNEE_GUARDRAILS", "ask", task(assignee="/agents/clerk", min_confidence=0.9))
case("UNKNOWN_GROUP_COMPLETION", "ask", task(group_completion="most"))
case("INVALID_GROUP_QUORUM", "ask", task(group_quorum=0))
case("UNKNOWN_ON_REJECT", "ask", task(on_reject="cry"))
case("UNKNOWN_ON_TIMEOUT", "ask", task(on_reject="fail", due_in_seconds=5, on_timeout="cry"))
case("GATE_WITHOUT_REJECTION", "ask", task(on_reject="fail", options=[{"value": "yes"}]))
case("ON_TIMEOUT_WITHOUT_GATE", "ask", task(on_timeout="expire"))

# containers
case("EMPTY_CONTAINER", "a", box("a", "and"))
case("NESTED_PARALLEL", "b", box("a", "parallel", box("b", "parallel", step("c"))))
case("UNKNOWN_MERGE_STRATEGY", "a", box("a", "parallel", step("b"), merge_strategy="majority"))
case("MERGE_STRATEGY_ON_NON_PARALLEL", "a", box("a", "and", step("b"), merge_strategy="merge_all"))
case("FAN_OUT_ON_NON_PARALLEL", "a", box("a", "and", step("b"), fan_out={"over": "${input.xs}"}))
case("FAN_OUT_MISSING_OVER", "a", box("a", "parallel", step("b"), fan_out={}))
case("FAN_OUT_INVALID_MAX_BRANCHES", "a", box("a", "parallel", step("b"), fan_out={"over": [1], "max_branches": 0}))
case("FAN_OUT_EMPTY_BRANCH", "a", box("a", "parallel", fan_out={"over": [1]}))
case("LOOP_ON_NON_LOOP", "a", box("a", "and", step("b"), loop={"times": 3}))
case("LOOP_MISSING_SHAPE", "a", box("a", "loop", step("b")))
case("LOOP_AMBIGUOUS_SHAPE", "a", box("a", "loop", step("b"), loop={"over": [1], "times": 3}))
case("LOOP_UNBOUNDED_WITHOUT_WHILE", "a", box("a", "loop", step("b"), loop={"times": 3, "unbounded": True}))
case(
    "LOOP_UNBOUNDED_WITH_MAX", "a",
    box("a", "loop", step("b"), loop={"while": "true", "unbounded": True, "max_iterations": 3}),
)  # fmt: skip
case("LOOP_INVALID_VARIABLE", "a", box("a", "loop", step("b"), loop={"over": [1], "item": "my-item"}))
case("LOOP_INVALID_MAX_ITERATIONS", "a", box("a", "loop", step("b"), loop={"over": [1], "max_iterations": 0}))
case("LOOP_CONDITION_UNKNOWN_STEP", "a", box("a", "loop", step("b"), loop={"times": 3, "until": "steps.ghost.ok"}))
case("OR_UNROUTABLE", "a", box("a", "or", step("b"), step("c")))
case(
    "INVALID_RULE_TARGET", "a",
    box("a", "or", step("b", condition="true", function_ref="/lib/plain"), rules=[
        {"condition": "input.n > 1", "next_step": "b"}, {"condition": "true", "next_step": "c"},
    ]), step("c"),
)  # fmt: skip
case("UNROUTED_OR_CHILD", "c", box("a", "or", step("b"), step("c"), rules=[{"condition": "true", "next_step": "b"}]))
case("ROUTER_ON_NON_OR", "a", box("a", "and", step("b"), router={"agent_ref": "/agents/clerk"}))
case("MISSING_ROUTER_AGENT", "a", box("a", "or", step("b"), router={"min_confidence": 0.5}))
case(
    "INVALID_DEFAULT_BRANCH", "a",
    box("a", "or", step("b"), router={"agent_ref": "/agents/clerk", "default_branch": "x"}),
)  # fmt: skip
case("MISSING_AI_CONFIG", "a", box("a", "ai_sequence"))
case("MISSING_AI_AGENT_REF", "a", box("a", "ai_sequence", ai_config={"max_iterations": 3}))
_AGENTS = [step(name, step_type="ai_agent", agent_ref="/agents/clerk") for name in ("x", "y")]
case("COMPETITION_NEEDS_REFEREE", "a", box("a", "competition", *_AGENTS))
case("COMPETITION_TOO_FEW_AGENTS", "a", box("a", "competition", _AGENTS[0], referee={"agent_ref": "/agents/clerk"}))
case(
    "COMPETITION_NON_AGENT_CHILD", "b",
    box("a", "competition", *_AGENTS, step("b"), referee={"agent_ref": "/agents/clerk"}),
)  # fmt: skip

# templates
case("TEMPLATE_UNBALANCED", "a", step("a", arguments={"text": "costs ${100"}))
case("TEMPLATE_UNKNOWN_ROOT", "a", step("a", arguments={"x": "${nowhere}"}))
case("TEMPLATE_UNKNOWN_STEP", "a", step("a", arguments={"x": "${steps.ghost.v}"}))
case("TEMPLATE_FORWARD_REF", "a", step("a", arguments={"x": "${steps.b.v}"}), step("b"))
case("TEMPLATE_HYPHENATED_STEP_PATH", "a", step("make-it"), step("a", arguments={"x": "${steps.make-it.v}"}))
case(
    "MAYBE_NOT_RUN_REF", "c",
    box("a", "or", step("b", condition="input.n", function_ref="/lib/plain")),
    step("c", arguments={"x": "${steps.b.v}"}),
)  # fmt: skip

# recovery
case("UNKNOWN_REDO", "", step("a"), recovery={"redo": "everything"})
case("UNKNOWN_THEN", "", step("a"), recovery={"then": "shrug"})
case("INVALID_STOP_AFTER", "", step("a"), recovery={"stop_after": {"failures": -1, "within": "1h"}})
case("ESCALATE_WITHOUT_SCOPE", "", step("a"), recovery={"then": "escalate"})
case("REDO_NOT_SAFE", "a", step("a"), recovery={"redo": "whole_group"})
case("UNDO_WITHOUT_FUNCTION", "a", step("a", undo={"arguments": {}}), recovery={})
case("UNDO_NEVER_RUNS", "a", step("a", undo={"function_ref": "/lib/plain"}))
case("INVALID_RESOURCES", "a", step("a", resources=["id"]))
case("UNKNOWN_COMPENSATION_WHEN", "a", step("a", compensation_ref="/lib/plain", compensation_when="never"))
case("COMPENSATION_WHEN_WITHOUT_REF", "a", step("a", compensation_when="always"))
case("WRITE_WITHOUT_COMPENSATION", "a", step("a", function_ref="/lib/write"), step("b"))
case("UNKNOWN_ON_UNKNOWN", "a", step("a", function_ref="/lib/write", on_unknown="ignore"))
case("ON_UNKNOWN_RETRY_NOT_IDEMPOTENT", "a", step("a", function_ref="/lib/write", on_unknown="retry"))
case("ON_UNKNOWN_RETRY_WITHOUT_KEY", "a", step("a", function_ref="/lib/keyed", on_unknown="retry"))
case("ON_UNKNOWN_WITHOUT_EFFECT", "a", step("a", function_ref="/lib/read", on_unknown="halt"))
case("IDEMPOTENCY_KEY_WITHOUT_PARAM", "a", step("a", function_ref="/lib/write", idempotency_key="k"))
case("RECONCILE_WITHOUT_ON_UNKNOWN", "a", step("a", function_ref="/lib/write", reconcile=RECONCILE))
_RECONCILED = {"function_ref": "/lib/write", "on_unknown": "reconcile"}
case("RECONCILE_MISSING", "a", step("a", **_RECONCILED))
case("RECONCILE_WITHOUT_STEPS", "a", step("a", **_RECONCILED, reconcile={"outcome": "true"}))
case("RECONCILE_WITHOUT_OUTCOME", "a", step("a", **_RECONCILED, reconcile={"steps": RECONCILE["steps"]}))
case(
    "RECONCILE_WITHOUT_RESULT", "a", step("a", function_ref="/lib/promise", on_unknown="reconcile", reconcile=RECONCILE)
)
case(
    "RECONCILE_ID_USED_OUTSIDE", "b",
    step("a", **_RECONCILED, reconcile=RECONCILE, compensation_ref="/lib/plain"),
    step("b", arguments={"x": "${steps.probe.found}"}),
)  # fmt: skip
