"""Every function and agent that a run of a flow can come to call, and as what: what a test run may want to stand in for.

Pure. Compensations and undos count, probes of ``reconcile``, routers, referees, assignees, the tools of agents, and all of that
in the flows that it runs (reference/flow-format.md, sections 4 to 7 and 10). An agent named by a template is known only when the
step runs; a configuration's ``default_behavior`` is what keeps such a one from being asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from flows import kinds
from flows.doctor.functions import AUTO_AGENT
from flows.doctor.library import Definition, Library
from flows.kinds import RawNode
from flows.reachable import all_nodes
from flows.samples import sample_of

AGENTS: Final = "/agents/"
SURE: Final[Mapping[str, Any]] = {"reasoning": "made up", "confidence": 1}

Kind: TypeAlias = Literal["function", "agent"]
Role: TypeAlias = Literal[
    "call", "compensation", "undo", "probe", "tool", "agent", "router", "referee", "assignee", "chat", "hand_over"
]


@dataclass(frozen=True, slots=True)
class Use:
    """One place that calls: the step ``node`` (its ``action`` as written) of the flow at ``flow``; ``""`` is the flow itself.

    ``sample`` is an answer that fits the place.
    """

    role: Role
    flow: str
    node: str
    action: str
    sample: Any = None


@dataclass(frozen=True, slots=True)
class Callee:
    """A function or an agent with every place that calls it, in document order. ``effect`` is ``None`` for an agent."""

    kind: Kind
    path: str
    uses: tuple[Use, ...]
    effect: str | None
    has_manifest: bool

    @property
    def sample(self) -> Any:
        """What a mock of it answers with."""
        return self.uses[0].sample


def callees(definition: Definition, library: Library) -> list[Callee]:
    """The callees of a flow in the order in which they are first named; its own before those of the flows that it runs."""
    found: dict[tuple[Kind, str], list[Use]] = {}
    for kind, path, use in _of_flows(definition, library):
        found.setdefault((kind, path), []).append(use)
    return [_callee(kind, path, uses, library) for (kind, path), uses in found.items()]


_Found: TypeAlias = tuple[Kind, str, Use]


def _of_flows(definition: Definition, library: Library) -> Iterator[_Found]:
    for flow, node, is_probe in all_nodes(definition, library):
        yield from _Node(node, flow, library, is_probe).calls()


def _callee(kind: Kind, path: str, uses: list[Use], library: Library) -> Callee:
    manifest = library.manifest(path) if kind == "function" else None
    effect = str((manifest or {}).get("effect") or "write") if kind == "function" else None
    return Callee(kind, path, tuple(uses), effect, manifest is not None)


@dataclass(frozen=True, slots=True)
class _Node:
    """One node's calls."""

    raw: RawNode
    flow: str
    library: Library
    is_probe: bool

    def calls(self) -> Iterator[_Found]:
        kind = kinds.kind_of(self.raw)
        if kind == kinds.FUNCTION:
            yield from self._function("probe" if self.is_probe else "call", self.get("function_ref"))
        yield from self._taken_back(kind)
        if kind == kinds.AI_AGENT:
            yield from self._agent("agent", self.get("agent_ref"), _answer(self.get("response_format")))
        elif kind == kinds.AI_SEQUENCE:
            config = _mapping(kinds.setting(self.raw, "ai_config"))
            sample = _answer(config.get("output_schema") or config.get("response_format"))
            yield from self._agent("agent", config.get("agent_ref") or self.get("agent_ref"), sample)
            tools = config.get("explicit_tools")
            for each in tools if isinstance(tools, list) else ():
                yield from self._function("tool", each)
        elif kind == kinds.CHAT:
            yield from self._chat(_mapping(self.get("chat_config")))
        elif kind == kinds.HUMAN_TASK:
            yield from self._assignee()
        yield from self._judges(kind)

    def get(self, name: str) -> Any:
        return kinds.properties(self.raw).get(name)

    def _taken_back(self, kind: str) -> Iterator[_Found]:
        """What undoes the step: its own compensation, else the manifest's; and what a redo undoes it with."""
        own = self.get("compensation_ref")
        if own is None and kind == kinds.FUNCTION:
            manifest = self.library.manifest(kinds.reference_path(self.get("function_ref")) or "")
            own = _mapping((manifest or {}).get("compensation")).get("function_ref")
        yield from self._function("compensation", own)
        yield from self._function("undo", _mapping(self.get("undo")).get("function_ref"))

    def _judges(self, kind: str) -> Iterator[_Found]:
        children = [str(child.get("id")) for child in kinds.children(self.raw)]
        first = children[0] if children else ""
        if kind == kinds.OR:
            router = _mapping(kinds.setting(self.raw, "router"))
            yield from self._agent("router", router.get("agent_ref"), {"branch": first, **SURE})
        elif kind == kinds.COMPETITION:
            referee = _mapping(kinds.setting(self.raw, "referee"))
            yield from self._agent("referee", referee.get("agent_ref"), {"action": "accept", "winner": first, **SURE})

    def _chat(self, config: Mapping[str, Any]) -> Iterator[_Found]:
        sample = {"response": "made up", "ended": True, "result": sample_of(config.get("output_schema"))}
        yield from self._agent("chat", config.get("agent_ref"), sample)
        targets = config.get("handoff_targets")
        for each in targets if isinstance(targets, list) else ():
            yield from self._agent("hand_over", _mapping(each).get("agent_ref"), sample)

    def _assignee(self) -> Iterator[_Found]:
        assignee = self.get("assignee")
        if not isinstance(assignee, str) or not assignee.startswith(AGENTS):
            return
        sample: dict[str, Any] = {"value": sample_of(self.get("input_schema"))}
        if self.get("task_type") == "approval":
            options = self.get("options")
            first = options[0] if isinstance(options, list) and options else None
            sample = {"decision": _mapping(first).get("value")}
        yield from self._agent("assignee", assignee, {**sample, **SURE})

    def _function(self, role: Role, reference: Any) -> Iterator[_Found]:
        path = kinds.reference_path(reference)
        if path is not None:
            schema = (self.library.manifest(path) or {}).get("output_schema")
            yield "function", path, self._use(role, {} if schema is None else sample_of(schema))

    def _agent(self, role: Role, reference: Any, sample: Any) -> Iterator[_Found]:
        path = kinds.reference_path(reference)
        if path is None or path == AUTO_AGENT or "{{" in path or "${" in path:
            return
        yield "agent", path, self._use(role, sample)
        for tool in self.library.agent_tools(path) or ():
            yield from self._function("tool", tool)

    def _use(self, role: Role, sample: Any) -> Use:
        action = kinds.setting(self.raw, "action")
        return Use(role, self.flow, str(self.raw.get("id") or ""), action if isinstance(action, str) else "", sample)


def _answer(asked: Any) -> dict[str, Any]:
    """An agent's answer: text, and the structured part where the step asks for one."""
    schema: Any = asked
    if isinstance(asked, Mapping) and asked.get("type") == "json_schema":
        schema = _mapping(asked.get("json_schema")).get("schema")
    elif asked == "json_object" or _mapping(asked).get("type") == "json_object":
        schema = {"type": "object"}
    if not isinstance(schema, Mapping) or schema.get("type") == "text":
        return {"response": "made up"}
    return {"response": "made up", "structured_output": sample_of(schema)}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
