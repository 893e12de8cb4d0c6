"""What conditions and templates can read while a run stands where it stands.

Pure. Names and their meaning: reference/flow-format.md, section 8. Nothing is copied or computed before it is read: a step
that names ``steps.reserve`` costs one look-up, however long the run is (design/engine-notes.md, section 7).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.machine.position import Frame, Position
from engine.machine.run import Bound, Facts, Outputs

NAMESPACES: Final = ("input", "steps", "trigger", "error", "visits", "history", "flow", "output", "__human_response")
MISSING: Final = object()


class Context(Mapping[str, Any]):
    """The names of one moment. ``output`` exists only where a step's fresh output may be read.

    ``bindings`` are the nodes by the ids that can be read here.
    """

    def __init__(
        self,
        facts: Facts,
        position: Position,
        bindings: Mapping[str, Bound],
        outputs: Outputs,
        open_visits: Mapping[str, int],
        entries: Outputs,
        output: Any = MISSING,
    ) -> None:
        self._facts = facts
        self._position = position
        self.bindings = bindings
        self._outputs = outputs
        self._open_visits = open_visits
        self._entries = entries
        self._output = output
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        there = (name for name in NAMESPACES if name != "output" or self._output is not MISSING)
        return iter(dict.fromkeys([*there, *self.loop_variables(), *self.flat_variables()]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _find(self, name: str) -> Any:
        if name in NAMESPACES:
            return self._namespace(name)
        variables = self.loop_variables()
        if name in variables:
            return variables[name]
        found = self._flat(name)
        if found is MISSING:
            raise KeyError(name)
        return found

    def _namespace(self, name: str) -> Any:
        match name:
            case "input":
                return self._facts.input
            case "steps":
                self._outputs.need(bound.seq for bound in self.bindings.values() if bound.succeeded)
                return {node_id: self._latest(bound) for node_id, bound in self.bindings.items()}
            case "trigger":
                return self._facts.trigger
            case "error":
                return self._position.error
            case "visits":
                return {node_id: bound.visits for node_id, bound in self.bindings.items()} | dict(self._open_visits)
            case "history":
                self._outputs.need(seq for bound in self.bindings.values() for seq in bound.recent)
                return {
                    node_id: [self._outputs[seq] for seq in bound.recent] for node_id, bound in self.bindings.items()
                }
            case "flow":
                return self._flow()
            case "__human_response":
                human = self._position.human
                return None if human is None else self._outputs[human]
            case _:
                if self._output is MISSING:
                    raise KeyError(name)
                return self._output

    def _latest(self, bound: Bound) -> Any:
        return self._outputs[bound.seq] if bound.succeeded else None

    def _flow(self) -> dict[str, Any]:
        facts = self._facts
        return {
            "instance_id": str(facts.id),
            "path": facts.flow_path,
            "version": facts.version,
            "started_at": facts.started_at,
        }

    def loop_variables(self) -> dict[str, Any]:
        """The variables of the iterations around this place, the innermost winning."""
        found: dict[str, Any] = {}
        for frame in self._position.frames:
            if "index" in frame.data:
                found |= self._variables_of(frame)
        return found

    def _variables_of(self, frame: Frame) -> dict[str, Any]:
        index, item, place = frame.data["index"], frame.data.get("item"), frame.data.get("place")
        if item is None:
            return {"iteration": index, "index": index}
        found = {item: self._entries[frame.seq][index]}
        return {**found, place: index} if place else found

    def _newest_first(self) -> list[Bound]:
        ended = [bound for bound in self.bindings.values() if bound.succeeded]
        return sorted(ended, key=lambda bound: bound.completion, reverse=True)

    def _flat(self, name: str) -> Any:
        for bound in self._newest_first() if not name.startswith("__") else ():
            output = self._outputs[bound.seq]
            if isinstance(output, dict) and name in output:
                return output[name]
        return MISSING

    def flat_variables(self) -> dict[str, Any]:
        """The keys of every node's latest output, merged in order of completion; names with ``__`` never."""
        merged: dict[str, Any] = {}
        ended = self._newest_first()
        self._outputs.need(bound.seq for bound in ended)
        for bound in reversed(ended):
            output = self._outputs[bound.seq]
            if isinstance(output, dict):
                merged |= {key: value for key, value in output.items() if not key.startswith("__")}
        return merged

    def run_output(self, containers: frozenset[str]) -> Any:
        """What the run as a whole gives: its flat variables, or the last step's output where there are none and it is no
        object (reference/flow-format.md, section 8, last paragraph). ``containers`` are nodes that give nothing of their own."""
        merged = self.flat_variables()
        steps = {node_id: bound for node_id, bound in self.bindings.items() if node_id not in containers}
        newest = max((b for b in steps.values() if b.succeeded), key=lambda b: b.completion, default=None)
        last = self._outputs[newest.seq] if newest is not None else None
        return last if not merged and last is not None and not isinstance(last, dict) else merged


class Only(Mapping[str, Any]):
    """A context in which ``steps`` and ``history`` hold just the nodes that an expression names.

    So a template over one step reads one output, not those of a thousand. ``names`` are the nodes by namespace.
    """

    def __init__(
        self, context: Context, bindings: Mapping[str, Bound], outputs: Outputs, names: Mapping[str, frozenset[str]]
    ):
        self._context = context
        self._bindings = bindings
        self._outputs = outputs
        self._names = names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            return self._context[name]
        bound = {each: self._bindings[each] for each in self._names[name] if each in self._bindings}
        if name == "steps":
            return {each: self._outputs[b.seq] if b.succeeded else None for each, b in bound.items()}
        return {each: [self._outputs[seq] for seq in b.recent] for each, b in bound.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._context)

    def __len__(self) -> int:
        return len(self._context)
