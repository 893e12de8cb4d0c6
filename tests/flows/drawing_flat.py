"""Definitions in raisin's runtime format in a few words. A call's function lies at ``/lib/<id>``."""

from typing import Any

Node = dict[str, Any]


def flat(*nodes: Node, **data: Any) -> dict[str, Any]:
    return {"nodes": list(nodes), **data}


def node(id: str, step_type: str, **given: Any) -> Node:
    return {"id": id, "step_type": step_type, **{key: value for key, value in given.items() if value is not None}}


def start(next_node: str, id: str = "start") -> Node:
    return node(id, "start", next_node=next_node)


END: Node = node("end", "end")


def call(name: str, next_node: str | None = None, **given: Any) -> Node:
    named = {"id": name, "function_ref": f"/lib/{name}", "next_node": next_node, **given}
    return node(named.pop("id"), "function_step", **named)


def decision(name: str, yes: str | None, no: str | None, condition: str = "input.yes", **given: Any) -> Node:
    return node(name, "decision", condition=condition, yes_branch=yes, no_branch=no, **given)


def loop(name: str, body: str | None, **given: Any) -> Node:
    """A loop over ``input.items`` unless ``given`` says otherwise."""
    shape = {} if "loop_type" in given else {"loop_type": "for_each", "collection": "${input.items}", "item_var": "it"}
    return node(name, "loop", body_step=body, **{**shape, **given})


def parallel(name: str, *branches: Any, **given: Any) -> Node:
    return node(name, "parallel", branches=list(branches), **given)
