"""Definitions in a few words. A call's function lies at ``/lib/<id>``."""

from typing import Any

Node = dict[str, Any]
ON_NODE = ("optional", "must_succeed", "continue_on_fail", "on_error", "retry", "error_edge", "recovery", "when")


def step(name: str, **properties: Any) -> Node:
    return {"id": name, "node_type": "raisin:FlowStep", "properties": {"action": name.title(), **properties}}


def call(name: str, **properties: Any) -> Node:
    return step(name, **{"function_ref": f"/lib/{name}", **properties})


def undone(name: str, **properties: Any) -> Node:
    """A call that ``/lib/undo-<id>`` undoes."""
    return call(name, compensation_ref=f"/lib/undo-{name}", **properties)


def decision(name: str, condition: str, yes: str | None = None, no: str | None = None, **properties: Any) -> Node:
    arms = {"yes_branch": yes, "no_branch": no}
    named = {arm: target for arm, target in arms.items() if target is not None}
    return step(name, step_type="decision", condition=condition, **named, **properties)


def pause(name: str, duration: str = "1h", **properties: Any) -> Node:
    return step(name, step_type="wait", duration=duration, **properties)


def event(name: str, **properties: Any) -> Node:
    return step(name, step_type="wait", wait_type="event", event_type=f"{name}-came", **properties)


def task(name: str, assignee: str = "/users/ana", **properties: Any) -> Node:
    return step(name, step_type="human_task", task_type="review", assignee=assignee, **properties)


def stop(name: str, **properties: Any) -> Node:
    return step(name, step_type="stop", **properties)


def child_flow(name: str, **properties: Any) -> Node:
    """Runs the flow at ``/flows/<id>``."""
    return step(name, step_type="sub_flow", flow_ref=f"/flows/{name}", **properties)


def container(name: str, kind: str, *children: Node, **keys: Any) -> Node:
    return {
        "id": name,
        "node_type": "raisin:FlowContainer",
        "container_type": kind,
        "children": list(children),
        **keys,
    }


def group(name: str, *children: Node, **keys: Any) -> Node:
    return container(name, "and", *children, **keys)


def either(name: str, *children: Node, rules: list[tuple[str, str]] | None = None, **keys: Any) -> Node:
    """An ``or`` whose rules are pairs of a condition and a child."""
    told = {} if rules is None else {"rules": [{"condition": when, "next_step": child} for when, child in rules]}
    return container(name, "or", *children, **told, **keys)


def loop(name: str, *children: Node, **shape: Any) -> Node:
    """A loop; what a container declares stands on the node, the rest in ``loop``."""
    keys = {key: shape.pop(key) for key in ON_NODE if key in shape}
    return container(name, "loop", *children, loop=shape, **keys)


def parallel(name: str, *children: Node, **keys: Any) -> Node:
    return container(name, "parallel", *children, **keys)
