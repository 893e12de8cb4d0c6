"""A flow that meets everything a killed worker could break, and its runs."""

import random
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from engine import commands
from engine.ports_production import ports
from flows import graph
from flows.lowering import lower
from flows.models import Flow, FlowVersion, Workspace

ORDER, PART = "/chaos/order", "/chaos/part"
PERSON = "chaos"
VISITS = 10
"""About how many visits a run and its child run have."""
PATIENT = {"max_retries": 100, "base_delay_ms": 50, "max_delay_ms": 300}  # a killed worker costs a try, never the step


def _step(name: str, **properties: Any) -> dict[str, Any]:
    return {"id": name, "node_type": "raisin:FlowStep", "properties": properties}


def _undoable(name: str, function: str = "/chaos/act", **arguments: Any) -> dict[str, Any]:
    return _step(
        name,
        function_ref=function,
        arguments=arguments,
        retry=PATIENT,
        compensation_ref="/chaos/undo",
        compensation_input_mapping={"what": f"${{output.{name}}}"},
    )


PART_NODES = [
    _undoable("pick"),
    _step("rest", step_type="wait", wait_type="delay", duration="${input.pause}"),
    _undoable("pack"),
]
ORDER_NODES = [
    _undoable("reserve"),
    _undoable("book", "/chaos/stumble", times="${input.stumbles}"),
    _step("pause", step_type="wait", wait_type="delay", duration="${input.pause}"),
    _step("risky", step_type="decision", condition="input.risky", yes_branch="ask", no_branch="part"),
    _step("ask", step_type="human_task", task_type="approval", action="Let it go?", assignee=f"/users/{PERSON}"),
    _step("part", step_type="sub_flow", flow_ref=PART, input_mapping={"pause": "${input.pause}"}),
    {
        "id": "end_of_it",
        "node_type": "raisin:FlowContainer",
        "container_type": "or",
        "rules": [{"condition": "input.doomed", "next_step": "doom"}, {"condition": "true", "next_step": "ship"}],
        "children": [
            _step("doom", function_ref="/chaos/refuse", retry={"max_retries": 1, "base_delay_ms": 50}),
            _undoable("ship"),
        ],
    },
]


def publish() -> FlowVersion:
    """Put both flows into the database, and the person who is asked."""
    User.objects.create_user(PERSON)
    workspace, _ = Workspace.objects.get_or_create(slug="default", defaults={"title": "Default"})
    return [_publish(workspace, PART, PART_NODES), _publish(workspace, ORDER, ORDER_NODES)][-1]


def _publish(workspace: Workspace, path: str, nodes: list[dict[str, Any]]) -> FlowVersion:
    definition = {"version": 1, "nodes": nodes}
    flow = Flow.objects.create(workspace=workspace, path=path)
    lowered = graph.to_json(lower(definition, lambda path: None))
    return FlowVersion.objects.create(flow=flow, number=1, source="", definition=definition, graph=lowered)


def start(version: FlowVersion, *, doomed: bool, risky: bool) -> UUID:
    """Start one run; a doomed one is rolled back at its last step."""
    given = {
        "doomed": doomed,
        "risky": risky,
        "stumbles": random.randrange(3),
        "pause": random.randrange(100, 500),
    }
    return commands.start(version.flow_id, version.pk, input=given, ports=ports()).id
