"""Flows that need no function: enough to start, wait, ask a person and end."""

from typing import Any

from engine import driver
from engine.models import Instance
from engine.ports_production import ports
from flows.models import FlowVersion
from tests.factories import FlowVersionFactory


def step(node_id: str, **properties: Any) -> dict[str, Any]:
    return {"id": node_id, "node_type": "raisin:FlowStep", "properties": properties}


ENDS_AT_ONCE = {"nodes": [step("end", step_type="stop", reason="done")]}
WAITS_FOR_AN_EVENT = {"nodes": [step("pay", step_type="wait", wait_type="event", event_type="paid")]}
WAITS_FOR_A_TIME = {"nodes": [step("rest", step_type="wait", duration="1h")]}
ASKS_THE_MANAGER = {
    "nodes": [
        step(
            "approve",
            step_type="human_task",
            action="Approve {{ input.order }}",
            task_type="approval",
            assignee="/users/manager",
            due_in_seconds=3600,
        )
    ]
}
TAKES_A_NUMBER = ENDS_AT_ONCE | {
    "input_schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
}


def published(definition: dict[str, Any] = ENDS_AT_ONCE, path: str = "/flows/f", **flow: Any) -> FlowVersion:
    """A flow in the workspace ``default`` with one published version."""
    return FlowVersionFactory(definition=definition, flow__path=path, **{f"flow__{k}": v for k, v in flow.items()})


def driven(instance_id: Any) -> Instance:
    """The run after a worker has carried it as far as it goes."""
    driver.drive(Instance.objects.get(pk=instance_id).pk, ports())
    return Instance.objects.get(pk=instance_id)
