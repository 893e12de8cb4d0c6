"""The flows that are measured, and how they come into the database."""

from dataclasses import dataclass
from typing import Any

from flows import graph, library
from flows.lowering import lower
from flows.models import Flow, FlowVersion, Workspace

PERSON = "bench"


@dataclass(frozen=True, slots=True)
class Published:
    """A flow that can be started: the ids :func:`engine.commands.start` takes, and how many calls a run makes."""

    flow_id: int
    version_id: int
    steps: int


def chain(steps: int) -> list[dict[str, Any]]:
    """So many function steps, each of which reads the output of the one before it."""
    first = _call("s1", "/bench/add", n="${input.n}")
    return [first, *(_call(f"s{each}", "/bench/add", n=f"${{steps.s{each - 1}.n}}") for each in range(2, steps + 1))]


def after_event() -> list[dict[str, Any]]:
    """Waits for an event, then notes the moment."""
    return [_step("pause", step_type="wait", wait_type="event", event_type="go"), _call("next", "/bench/stamp")]


def after_answer() -> list[dict[str, Any]]:
    """Waits for a person, then notes the moment."""
    asked = _step("ask", step_type="human_task", task_type="approval", action="Go on?", assignee=f"/users/{PERSON}")
    return [asked, _call("next", "/bench/stamp")]


def after_time() -> list[dict[str, Any]]:
    """Waits until ``due`` of its input, then notes the moment."""
    return [
        _step("pause", step_type="wait", wait_type="until", until="${input.due}"),
        _call("next", "/bench/stamp"),
    ]


def sub_flows(path: str, count: int) -> list[dict[str, Any]]:
    """So many runs of another flow, one after the other."""
    return [
        _step(f"part{each}", step_type="sub_flow", flow_ref=path, input_mapping={"n": 0})
        for each in range(1, count + 1)
    ]


def loop(iterations: int) -> list[dict[str, Any]]:
    """One call, again and again."""
    return [_container("loop", "loop", [_call("each", "/bench/add", n="${index}")], loop={"times": iterations})]


def fan_out(branches: int) -> list[dict[str, Any]]:
    """One call in each of so many branches, over the items of the input."""
    body = [_call("each", "/bench/add", n="${input.index}")]
    fanned = {"over": "${input.items}", "max_branches": branches}
    return [_container("fan", "parallel", body, fan_out=fanned)]


def large(nodes: int) -> dict[str, Any]:
    """A definition of so many steps in containers of nine, with data that flows between them."""
    steps = chain(nodes)
    boxes = [_container(f"box{at}", "and", steps[at : at + 9]) for at in range(0, nodes, 9)]
    return {"version": 1, "nodes": boxes}


def publish(path: str, nodes: list[dict[str, Any]], *, steps: int | None = None) -> Published:
    """Put a flow of ``nodes`` into the default workspace as version 1; ``steps`` when it is not one call a node."""
    definition = {"version": 1, "nodes": nodes}
    workspace, _ = Workspace.objects.get_or_create(slug="default", defaults={"title": "Default"})
    flow = Flow.objects.create(workspace=workspace, path=path)
    lowered = graph.to_json(lower(definition, library.manifest_of))
    version = FlowVersion.objects.create(flow=flow, number=1, source="", definition=definition, graph=lowered)
    return Published(flow.pk, version.pk, len(nodes) if steps is None else steps)


def _call(name: str, function: str, **arguments: Any) -> dict[str, Any]:
    return _step(name, function_ref=function, arguments=arguments)


def _container(name: str, kind: str, children: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    return {"id": name, "node_type": "raisin:FlowContainer", "container_type": kind, "children": children, **keys}


def _step(name: str, **properties: Any) -> dict[str, Any]:
    return {"id": name, "node_type": "raisin:FlowStep", "properties": properties}
