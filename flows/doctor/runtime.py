"""Flows in raisin's runtime format: ids, ways and references are checked, nothing else (reference/flow-format.md, section 14).

They were made by a machine and are run as they are; what a person would rather have written differently is not asked.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows import kinds
from flows.doctor.codes import CODES
from flows.doctor.exam import LineOf
from flows.doctor.findings import Finding
from flows.doctor.ids import MAX_LENGTH
from flows.doctor.library import Library
from flows.runtime import nodes as flat
from flows.runtime.layout import Ways, targets
from flows.runtime.nodes import FlatGraph, FlatNode
from flows.text import Path, short

_ID: Final = re.compile(r"[\w-]+")
_WAYS: Final[Mapping[str, str]] = {
    "next_node": "INVALID_BRANCH_TARGET",
    "yes_branch": "INVALID_BRANCH_TARGET",
    "no_branch": "INVALID_BRANCH_TARGET",
    "body_step": "INVALID_BRANCH_TARGET",
    "error_edge": "INVALID_ERROR_EDGE",
    "timeout_edge": "INVALID_TIMEOUT_EDGE",
}
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    flat.DECISION: ("yes_branch", "no_branch"),
    flat.LOOP: ("body_step",),
    flat.START: ("next_node",),
}
"""Ways without which a node leads nowhere."""
_FUNCTIONS: Final = ("function_ref", "compensation_ref")
_REFERENCES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    kinds.FUNCTION: (("function_ref", "MISSING_FUNCTION_REF"),),
    kinds.SUB_FLOW: (("flow_ref", "MISSING_FLOW_REF"),),
    kinds.AI_AGENT: (("agent_ref", "MISSING_AGENT_REF"),),
    kinds.AGENT_DECISION: (("agent_ref", "MISSING_ROUTER_AGENT"),),
}
"""What a kind must refer to, and the code for not doing so."""


def examine_runtime(workflow_data: Mapping[str, Any], library: Library, line_of: LineOf) -> list[Finding]:
    """The findings of a definition in the runtime format, graph by graph."""
    found: list[Finding] = []
    for graph in flat.read_graphs(workflow_data):
        for place in _Examined(graph, library).findings():
            code, node, path, message = place
            found.append(Finding(code, CODES[code].severity, node, _field(path), message, line_of(path)))
    return found


Problem = tuple[str, str, Path, str]


class _Examined:
    """One graph under examination; a problem is ``(code, node, path, message)``."""

    def __init__(self, graph: FlatGraph, library: Library) -> None:
        self.graph = graph
        self.library = library
        self.by_id = {node.id: node for node in graph.nodes if node.id}
        self.ways = Ways(graph)

    def findings(self) -> Iterator[Problem]:
        yield from self._start()
        seen: set[str] = set()
        for node in self.graph.nodes:
            yield from self._identity(node, seen)
            if node.type not in flat.TYPES:
                words = f"step_type is one of {', '.join(flat.TYPES)}, not {short(node.raw.get('step_type'))}."
                yield "UNKNOWN_STEP_TYPE", node.id, (*node.path, "step_type"), words
                continue
            yield from self._ways(node)
            yield from self._references(node)
            yield from self._inside(node)

    def _start(self) -> Iterator[Problem]:
        starts = [node for node in self.graph.nodes if node.type == flat.START]
        if len(starts) != 1:
            given = "none" if not starts else f"{len(starts)}"
            words = f"A flat graph begins at one step of the type start; here are {given}. Keep one."
            yield "INVALID_VALUE", starts[1].id if starts else "", (*self.graph.path, "nodes"), words

    def _identity(self, node: FlatNode, seen: set[str]) -> Iterator[Problem]:
        place = (*node.path, "id")
        if not node.id.strip():
            yield "EMPTY_NODE_ID", "", place, "This step has no id. Give it one: a short name of letters, digits and _."
        elif not _ID.fullmatch(node.id) or len(node.id) > MAX_LENGTH or node.id.startswith("__"):
            words = f"An id has letters, digits, _ and -, at most {MAX_LENGTH}, and begins with no __. {short(node.id)} does not."
            yield "INVALID_VALUE", node.id, place, words
        elif node.id in seen:
            yield (
                "DUPLICATE_NODE_ID",
                node.id,
                place,
                f"The id '{node.id}' is used twice. Give one of the two another id.",
            )
        seen.add(node.id)

    def _ways(self, node: FlatNode) -> Iterator[Problem]:
        for name, code in _WAYS.items():
            target = node.get(name)
            if target is None:
                if name in _NEEDED.get(node.type, ()):
                    words = f"'{node.id}' has no {name}. Say which step comes then."
                    yield "INVALID_BRANCH_TARGET", node.id, (*node.path, name), words
            elif not self._leads_to(target, name):
                words = f"{name} of '{node.id}' leads to {short(target)}, which does not exist. Name a step, or end."
                yield code, node.id, node.place_of(name), words
        yield from self._chooses(node)
        if node.type == flat.LOOP and self._leads_to(node.get("body_step"), "body_step"):
            yield from self._body(node)

    def _leads_to(self, target: Any, name: str) -> bool:
        if not isinstance(target, str):
            return False
        aim = self.by_id.get(target)
        if aim is None:
            return target == kinds.END and name != "body_step"
        return aim.type != flat.START and not (name == "body_step" and aim.type == flat.END)

    def _chooses(self, node: FlatNode) -> Iterator[Problem]:
        if node.type != flat.AGENT_DECISION:
            return
        names, default = flat.choices(node), node.get("default_branch")
        if not names:
            words = f"'{node.id}' gives its agent nothing to choose from. List the steps in branches."
            yield "INVALID_BRANCH_TARGET", node.id, node.place_of("branches"), words
        for name in names:
            if not self._leads_to(name, "branches"):
                words = f"branches of '{node.id}' names '{name}', which does not exist. Name a step, or end."
                yield "INVALID_BRANCH_TARGET", node.id, node.place_of("branches"), words
        if default is not None and default not in names:
            words = f"default_branch of '{node.id}' is none of its branches: {short(default)}."
            yield "INVALID_DEFAULT_BRANCH", node.id, node.place_of("default_branch"), words

    def _body(self, node: FlatNode) -> Iterator[Problem]:
        """The body leads back to its loop, and is entered through it alone: elsewhere there is no iteration to be in."""
        first, entered = str(node.get("body_step")), self.ways.entered_of(node)
        if entered:
            words = (
                f"'{entered[0]}' is repeated by '{node.id}' and can be reached past it. Lead there through the loop."
            )
            yield "EDGE_LEAVES_BRANCH", node.id, node.place_of("body_step"), words
        elif first not in self.ways.body_of(node):
            words = f"The body of '{node.id}' never leads back to it: '{first}' does not. Let its last step lead to '{node.id}'."
            yield "EDGE_LEAVES_BRANCH", node.id, node.place_of("body_step"), words
        elif any(each in self.ways.body_of(node) for each in targets(node, but="body_step")):
            words = f"'{node.id}' leads into its own body by another way than body_step."
            yield "EDGE_LEAVES_BRANCH", node.id, node.path, words

    def _references(self, node: FlatNode) -> Iterator[Problem]:
        router = node.get("router")
        for name, code in _REFERENCES.get(flat.TYPES[node.type], ()):
            nested = router.get(name) if isinstance(router, Mapping) else None
            if node.get(name) is None and nested is None:
                yield code, node.id, (*node.path, name), f"'{node.id}' has no {name}. Name what it is to ask or call."
        for name in ("function_ref", "compensation_ref", "agent_ref", "flow_ref"):
            found = node.get(name)
            path = kinds.reference_path(found)
            if found is not None and path is None:
                words = f"{name} of '{node.id}' is a path such as /area/name, not {short(found)}."
                yield "INVALID_REFERENCE", node.id, node.place_of(name), words
            elif path is not None and name in _FUNCTIONS and self.library.has_function(path) is False:
                yield from self._unknown_function(node, name, path)

    def _unknown_function(self, node: FlatNode, name: str, path: str) -> Iterator[Problem]:
        if self.library.has_agent(path) or self.library.has_flow(path):
            yield (
                "FUNCTION_NOT_A_FUNCTION",
                node.id,
                node.place_of(name),
                f"{path} lies in the library but is no function.",
            )
        else:
            words = f"No function is known at {path}. The attempt fails unless it is installed by then."
            yield "FUNCTION_NOT_FOUND", node.id, node.place_of(name), words

    def _inside(self, node: FlatNode) -> Iterator[Problem]:
        if node.type == flat.COMPETITION:
            yield from self._competitors(node)
        if node.type != flat.PARALLEL:
            return
        found = flat.branches(node)
        if not found:
            words = f"'{node.id}' has no branches. List them in branches, or give for_each and branch."
            yield "EMPTY_CONTAINER", node.id, node.path, words
        for branch, path in found:
            reference = branch.get("flow_path")
            if not isinstance(branch.get("flow_definition"), Mapping) and kinds.reference_path(reference) is None:
                words = f"A branch of '{node.id}' has neither a flow_definition nor the path of a flow."
                yield "MISSING_FLOW_REF", node.id, path, words

    def _competitors(self, node: FlatNode) -> Iterator[Problem]:
        children = node.get("children")
        for number, each in enumerate(children if isinstance(children, list) else ()):
            fits = isinstance(each, Mapping) and isinstance(each.get("id"), str)
            if not fits or flat.TYPES.get(str(each.get("step_type"))) != kinds.AI_AGENT:
                words = f"What competes in '{node.id}' is a step of the type ai_agent with an id."
                yield "INVALID_VALUE", node.id, (*node.place_of("children"), number), words


def _field(path: Path) -> str:
    """The place inside the step: what follows the last list of steps."""
    last = max((place for place, key in enumerate(path[:-1]) if key == "nodes"), default=-2)
    return ".".join(str(key) for key in path[last + 2 :] if key != "properties")
