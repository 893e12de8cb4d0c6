"""Drawn definitions: flows that the doctor accepts, small, of every kind, and without a way back that could run for ever."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from hypothesis import strategies as st

from tests.engine import drawing
from tests.engine.drawing import Node

CHILD = "/flows/child"
"""What sub-flow steps run."""
DEEPEST = 3
CONDITIONS = ["true", "false", "input.yes", "input.no"]

Draw = st.DrawFn


@dataclass
class _Sketch:
    """A definition in the making: names are given in document order, so that jumps can be aimed forward."""

    draw: Draw
    sub_flows: bool
    left: int
    names: Iterator[int]
    redoes: bool
    """Whether scopes have a ``recovery``; every call then has an ``undo``, so that it may be redone."""

    def name(self) -> str:
        return f"n{next(self.names)}"

    def siblings(self, depth: int, *, apart: bool = False) -> list[Node]:
        """Some nodes of one container; ``apart``: each is a graph of its own, which no jump leaves."""
        wanted = self.draw(st.integers(1, 3)) if depth else self.draw(st.integers(2, 5))
        nodes: list[Node] = []
        while len(nodes) < wanted and (self.left > 0 or not nodes):
            nodes.append(self.node(depth))
        for number, node in enumerate(nodes):
            after = [] if apart else [each["id"] for each in nodes[number + 1 :]]
            self.aim(node, [*after, "end"])
        return nodes

    def node(self, depth: int) -> Node:
        self.left -= 1
        makers = list(STEPS)
        if self.sub_flows:
            makers.append("sub_flow")
        if depth < DEEPEST and self.left > 0:
            makers += CONTAINERS
        kind = self.draw(st.sampled_from(makers))
        made: Node = getattr(self, kind)(depth)
        if self.draw(st.integers(0, 7)) == 0:
            made.get("properties", made)["when"] = self.draw(st.sampled_from(CONDITIONS))
        return made

    def aim(self, node: Node, targets: list[str]) -> None:
        """Let a step jump: on an error or a passed deadline, by a decision."""
        held = node.get("properties")
        if held is None:
            return
        if held.get("step_type") == "decision":
            edges = [arm for arm in ("yes_branch", "no_branch") if self.draw(st.booleans())]
        else:
            may = ["timeout_edge"] if "must_succeed" in held else ["error_edge", "timeout_edge"]
            edges = [edge for edge in may if self.draw(st.integers(0, 9)) == 0]
        held |= {edge: self.draw(st.sampled_from(targets)) for edge in edges}

    def recovery(self) -> dict[str, Any]:
        """What a scope does about failures inside, now and then; never more than a few rounds."""
        if not self.redoes or self.draw(st.booleans()):
            return {}
        redo = self.draw(st.sampled_from(["this_step", "this_and_after", "whole_group"]))
        then = self.draw(st.sampled_from(["fail", "hold", "escalate"]))
        failures = self.draw(st.integers(1, 2))
        return {"recovery": {"redo": redo, "stop_after": {"failures": failures, "within": "1d"}, "then": then}}

    # --- steps -------------------------------------------------------------------------------------------------------

    def policy(self) -> dict[str, Any]:
        choices: list[dict[str, Any]] = [
            {},
            {},
            {},
            {"continue_on_fail": True},
            {"optional": True},
            {"must_succeed": True},
        ]
        retries = self.draw(st.integers(0, 2))
        return {**self.draw(st.sampled_from(choices)), "retry": {"max_retries": retries, "base_delay_ms": 1000}}

    def call(self, depth: int) -> Node:
        more: dict[str, Any] = {"timeout_ms": 5000} if self.draw(st.booleans()) else {}
        if self.draw(st.integers(0, 3)):
            more |= {"compensation_ref": "/lib/undo", "compensation_input_mapping": {"made": "${output.made}"}}
        if self.redoes:
            more |= {"undo": {"function_ref": "/lib/take-back", "arguments": {"made": "${output.made}"}}}
        return drawing.call(self.name(), **self.policy(), **more)

    def decision(self, depth: int) -> Node:
        return drawing.decision(self.name(), self.draw(st.sampled_from(CONDITIONS)))

    def pause(self, depth: int) -> Node:
        return drawing.pause(self.name(), self.draw(st.sampled_from(["1s", "1h"])))

    def event(self, depth: int) -> Node:
        timeout = self.draw(st.sampled_from([None, "1h"]))
        return drawing.event(self.name(), **({"timeout": timeout} if timeout else {}))

    def task(self, depth: int) -> Node:
        assignee = self.draw(st.sampled_from(["/users/ana", "/groups/all"]))
        due = self.draw(st.sampled_from([None, 3600]))
        return drawing.task(self.name(), assignee, **self.policy(), **({"due_in_seconds": due} if due else {}))

    def agent(self, depth: int) -> Node:
        return drawing.step(self.name(), step_type="ai_agent", agent_ref="/agents/a", prompt="Hi", **self.policy())

    def stop(self, depth: int) -> Node:
        return drawing.stop(self.name(), reason="enough")

    def sub_flow(self, depth: int) -> Node:
        return drawing.step(self.name(), step_type="sub_flow", flow_ref=CHILD, **self.policy())

    # --- containers --------------------------------------------------------------------------------------------------

    def group(self, depth: int) -> Node:
        name = self.name()
        return drawing.group(name, *self.siblings(depth + 1), **self.recovery())

    def either(self, depth: int) -> Node:
        name = self.name()
        children = self.siblings(depth + 1)
        rules = [(self.draw(st.sampled_from(CONDITIONS)), each["id"]) for each in children]
        return drawing.either(name, *children, rules=rules)

    def parallel(self, depth: int) -> Node:
        name, keys = self.name(), self._merging()
        return drawing.parallel(name, *self.siblings(depth + 1, apart=True), **keys)

    def fan_out(self, depth: int) -> Node:
        name, keys = self.name(), self._merging()
        return drawing.parallel(name, *self.siblings(depth + 1), fan_out={"over": "${input.items}"}, **keys)

    def loop(self, depth: int) -> Node:
        name = self.name()
        shape: dict[str, Any] = self.draw(
            st.sampled_from(
                [{"over": "${input.items}", "item": "it"}, {"times": 2}, {"while": "iteration < 2"}, {"times": 0}]
            )
        )
        until = {"until": "input.yes"} if self.draw(st.integers(0, 3)) == 0 else {}
        on_error = self.draw(st.sampled_from([{}, {}, {"on_error": "continue"}]))
        return {**drawing.loop(name, *self.siblings(depth + 1), **shape, **until, **on_error), **self._limit()}

    def _merging(self) -> dict[str, Any]:
        strategy = self.draw(st.sampled_from(["merge_all", "all_success", "first_success"]))
        on_error = self.draw(st.sampled_from([{}, {}, {"on_error": "continue"}]))
        return {"merge_strategy": strategy, **on_error, **self._limit()}

    def _limit(self) -> dict[str, Any]:
        limits: list[dict[str, Any]] = [{}, {}, {"timeout_ms": 2000}, {"timeout_ms": 2000, "timeout_edge": "end"}]
        return self.draw(st.sampled_from(limits))


STEPS = ["call"] * 12 + [
    "decision",
    "decision",
    "pause",
    "pause",
    "event",
    "event",
    "task",
    "task",
    "agent",
    "agent",
    "stop",
]
CONTAINERS = ["group", "either", "parallel", "fan_out", "loop"] * 2


@st.composite
def definitions(draw: Draw, *, sub_flows: bool = True) -> dict[str, Any]:
    """A ``workflow_data`` of at most twelve nodes. Its input has ``items``, ``yes`` (true) and ``no`` (false)."""
    sketch = _Sketch(draw, sub_flows, 12, count(), draw(st.booleans()))
    nodes = sketch.siblings(0)
    strategy = draw(st.sampled_from(["fail_fast", "fail_fast", "fail_fast", "continue"]))
    on_failure = draw(st.sampled_from(["rollback", "rollback", "rollback", "keep"]))
    return {"nodes": nodes, "error_strategy": strategy, "on_failure": on_failure, **sketch.recovery()}


INPUT = {"items": ["x", "y"], "yes": True, "no": False}
