"""Reading a flat graph, whatever shape it is in: its nodes, and the graphs inside its parallel branches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows import kinds
from flows.kinds import RawNode
from flows.text import Path

START: Final = "start"
END: Final = "end"
LOOP: Final = "loop"
PARALLEL: Final = "parallel"
DECISION: Final = "decision"
AGENT_DECISION: Final = "agent_decision"
COMPETITION: Final = "competition"

TYPES: Final[Mapping[str, str]] = {
    START: START,
    END: END,
    DECISION: kinds.DECISION,
    "function_step": kinds.FUNCTION,
    "agent_step": kinds.AI_AGENT,
    "ai_agent": kinds.AI_AGENT,
    "ai_container": kinds.AI_SEQUENCE,
    "ai_sequence": kinds.AI_SEQUENCE,
    "human_task": kinds.HUMAN_TASK,
    PARALLEL: kinds.PARALLEL,
    "wait": kinds.WAIT,
    "sub_flow": kinds.SUB_FLOW,
    "chat": kinds.CHAT,
    "chat_step": kinds.CHAT,
    "chat_session": kinds.CHAT,
    AGENT_DECISION: kinds.AGENT_DECISION,
    COMPETITION: kinds.COMPETITION,
    LOOP: kinds.LOOP,
}
"""Every ``step_type`` of the runtime format, and the kind that carries it out."""


@dataclass(eq=False, frozen=True, slots=True)
class FlatNode:
    """One node; ``id`` and ``type`` are empty where they are missing or no text."""

    raw: RawNode
    path: Path
    id: str
    type: str

    def get(self, name: str) -> Any:
        """A value that may stand on the node or in its ``properties``; ``None`` when it is missing."""
        return kinds.setting(self.raw, name)

    def place_of(self, name: str) -> Path:
        """The path of that value in the definition."""
        return (*self.path, name) if self.raw.get(name) is not None else (*self.path, "properties", name)


@dataclass(frozen=True, slots=True)
class FlatGraph:
    """The nodes that can lead to each other. ``owner`` is the parallel node in whose branch ``number`` they stand."""

    nodes: list[FlatNode]
    path: Path
    owner: FlatNode | None = None
    number: int = 0


def is_runtime(workflow_data: Any) -> bool:
    """Whether a definition is in the runtime format: nodes with a ``step_type`` of their own, and none with a ``node_type``."""
    nodes = workflow_data.get("nodes") if isinstance(workflow_data, Mapping) else None
    found = [node for node in nodes if isinstance(node, Mapping)] if isinstance(nodes, list) else []
    return any("step_type" in node for node in found) and not any("node_type" in node for node in found)


def read_graphs(workflow_data: Mapping[str, Any]) -> Iterator[FlatGraph]:
    """The flow's own graph, then those inside its branches, outer ones first."""
    waiting = [FlatGraph(_nodes(workflow_data, ()), ())]
    while waiting:
        graph = waiting.pop(0)
        yield graph
        for node in graph.nodes:
            waiting += [each for each in inner_graphs(node) if each is not None]


def inner_graphs(node: FlatNode) -> list[FlatGraph | None]:
    """The graphs of a parallel node's branches, in order; ``None`` for a branch that is a flow of its own, or nothing."""
    return [
        FlatGraph(_nodes(branch["flow_definition"], (*path, "flow_definition")), path, node, number)
        if isinstance(branch.get("flow_definition"), Mapping)
        else None
        for number, (branch, path) in enumerate(branches(node))
    ]


def branches(node: FlatNode) -> list[tuple[Mapping[str, Any], Path]]:
    """The branches of a parallel node with their paths: those it lists, or the one it runs for each item."""
    if node.type != PARALLEL:
        return []
    one, listed = node.get("branch"), node.get("branches")
    if node.get("for_each") is not None:
        return [(one, node.place_of("branch"))] if isinstance(one, Mapping) else []
    path = node.place_of("branches")
    listed = listed if isinstance(listed, list) else []
    return [(each, (*path, number)) for number, each in enumerate(listed) if isinstance(each, Mapping)]


def choices(node: FlatNode) -> list[str]:
    """The nodes among which an ``agent_decision`` chooses: ids, or maps that have one."""
    listed = node.get("branches") if node.type == AGENT_DECISION else None
    found = (
        (each.get("id") if isinstance(each, Mapping) else each for each in listed or ())
        if isinstance(listed, list)
        else ()
    )
    return [each for each in found if isinstance(each, str)]


def _nodes(workflow_data: Mapping[str, Any], path: Path) -> list[FlatNode]:
    listed = workflow_data.get("nodes")
    raws = listed if isinstance(listed, list) else []
    return [
        FlatNode(raw, (*path, "nodes", number), _text(raw.get("id")), _text(raw.get("step_type")))
        for number, raw in enumerate(raws)
        if isinstance(raw, Mapping)
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
