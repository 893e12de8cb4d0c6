"""Large flows to open: containers up to four deep, a fifth of the nodes, and jumps across what lies between."""

from itertools import count
from typing import Any

from flows.text import write_yaml

Node = dict[str, Any]

KINDS = ("and", "parallel", "loop", "or")
DEEPEST = 3  # a container this deep holds steps alone
JUMP_EVERY = 3  # of the steps that may leave their container one in so many does, on an error


def definition(nodes: int) -> Node:
    """A flow of exactly ``nodes`` nodes that the doctor can read and the canvas has to nest."""
    numbers = count()
    roots: list[Node] = []
    left = nodes
    while left > 0:
        tree, used = _container(KINDS[len(roots) % len(KINDS)], 0, min(left, 20), numbers)
        roots.append(tree)
        left -= used
    properties = {"title": f"{nodes} nodes", "name": f"nodes-{nodes}", "workflow_data": {"version": 1, "nodes": roots}}
    _jump(roots)
    return {"node_type": "raisin:Flow", "properties": properties}


def text(nodes: int) -> str:
    return write_yaml(definition(nodes))


def size(node: Node) -> int:
    return 1 + sum(size(child) for child in node.get("children", ()))


def _container(kind: str, depth: int, room: int, numbers: "count[int]") -> tuple[Node, int]:
    """A container with at most ``room`` nodes, itself included; answers it and how many it has."""
    own = {"id": f"box_{next(numbers)}", "node_type": "raisin:FlowContainer", "container_type": kind}
    children: list[Node] = []
    used = 1
    while used < room and len(children) < 5:
        if len(children) == 1 and depth < DEEPEST and room - used > 4:
            child, taken = _container(KINDS[(KINDS.index(kind) + 1) % len(KINDS)], depth + 1, room - used - 3, numbers)
        else:
            child, taken = _step(next(numbers)), 1
        children.append(child)
        used += taken
    if kind == "loop":
        own["loop"] = {"times": 3}  # type: ignore[assignment]
    if kind == "or":
        rules = [{"condition": f"input.way == {at}", "next_step": child["id"]} for at, child in enumerate(children)]
        own["rules"] = rules  # type: ignore[assignment]
    return {**own, "children": children}, used


def _step(number: int) -> Node:
    properties: Node = {"action": f"Send letter {number}", "function_ref": "/shop/mail/send"}
    properties["arguments"] = {"to": "{{ input.customer }}", "subject": f"Letter {number}"}
    if number % 7 == 0:
        properties["retry_strategy"] = "standard"
    return {"id": f"step_{number}", "node_type": "raisin:FlowStep", "properties": properties}


def _jump(roots: list[Node]) -> None:
    """Some steps of a sequence lead to the last root on an error; those in parallel branches may not leave them."""
    steps = [child for root in roots if root["container_type"] != "parallel" for child in root["children"]]
    for step in [each for each in steps if "children" not in each][::JUMP_EVERY]:
        step["properties"]["error_edge"] = roots[-1]["id"]
