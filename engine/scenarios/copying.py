"""A run as a scenario: the file that ``flow test`` plays, and that passes as long as the flow does what it did then.

Waits for a time, retries and deadlines of calls pass at once (``time: compressed``): what is copied is what happened, not how
long it took. What differs from run to run (ids, moments, who stood in for whom) is not expected.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.errors import Conflict
from engine.models import Instance
from engine.scenarios.deeds import deeds_of
from engine.scenarios.recording import AGENTS, Made, Record
from engine.scenarios.seen import Seen
from engine.states import TERMINAL, Status, WaitKind
from flows.callees import callees
from flows.library import DatabaseLibrary
from flows.reachable import sub_flows
from flows.text import write_yaml
from flows.versions import graph_of

MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
DIFFERS: Final = frozenset(
    {"task_path", "completed_by", "agent_run_id", "conversation_path", "session_id", "instance_id"}
)
"""Keys whose values are a run's own."""


def as_scenario(run: Instance) -> str:
    """The scenario's text. Raises ``Conflict`` for a run that cannot be told as one, saying why."""
    _check(run)
    return write_yaml(_Copy(run).scenario())


def _check(run: Instance) -> None:
    if run.parent_id is not None:
        raise Conflict("This run belongs to another one. Copy that one.")
    if run.status not in TERMINAL | {Status.WAITING, Status.HELD}:
        raise Conflict("This run is under way. Wait until it rests or ends.")
    if run.status == Status.WAITING and run.wait_kind not in (WaitKind.HUMAN_TASK, WaitKind.EVENT, WaitKind.CHAT):
        raise Conflict("This run waits for a time or an answer, which a scenario passes over. Wait until it ends.")


class _Copy:
    def __init__(self, run: Instance) -> None:
        self.run = run
        self.record = Record(run)
        self.made = self.record.calls()
        lost = next((each.path for each in self.made if each.answer is None), None)
        if lost is not None:
            raise Conflict(
                f"What {lost} answered is not kept in full, so it cannot be played again. Mock it in a test run."
            )
        self.library = DatabaseLibrary(run.workspace_id)
        self.flows = self._flows()

    def scenario(self) -> dict[str, Any]:
        found = {
            "scenario": f"{self.run.flow}, {self.run.get_status_display()} ({str(self.run.pk)[-8:]})",
            "source": f"run {self.run.pk}",
            "flow_path": self.run.flow.path,
            "input": self.run.input,
            "test_config": {"time": "compressed", "auto_discard": False},
            "functions": self._functions(),
            "agents": self._agents(),
            "people": self._people(),
            "do": deeds_of(self.record),
            "expect": self._expected(),
            "flows": self.flows,
            "flow": self.run.version.definition,
        }
        empty_allowed = ("input", "flow")
        return {name: value for name, value in found.items() if value or name in empty_allowed}

    # --- what it is played with --------------------------------------------------------------------------------------

    def _flows(self) -> dict[str, Any]:
        """The versions that child runs used, and the newest of what they could have used."""
        used = {each.flow.path: each.version.definition for each in self.record.family if each.branch is None}
        known = {**sub_flows(self.run.version.definition, self.library), **used}
        return {path: data for path, data in known.items() if path != self.run.flow.path}

    def _functions(self) -> dict[str, Any]:
        manifests: dict[str, Mapping[str, Any]] = {}
        for version in {each.version_id for each in self.record.family}:
            manifests |= graph_of(version).manifests
        paths = dict.fromkeys(
            [*self._reached("function"), *(each.path for each in self.made if not self._is_agent(each.path))]
        )
        found: dict[str, Any] = {}
        for path in paths:
            manifest = self._manifest(path, manifests.get(path))
            calls = self._answers(path)
            found[path] = {**({"manifest": manifest} if manifest else {}), **({"calls": calls} if calls else {})}
        return found

    def _manifest(self, path: str, pinned: Mapping[str, Any] | None) -> dict[str, Any]:
        """What the run's version knows of a function, and the arguments' schema where calls were refused for it."""
        refused = {each.path for each in self.record.attempts if (each.error or {}).get("code") == "invalid_arguments"}
        schema = (self.library.manifest(path) or {}).get("input_schema") if path in refused else None
        return {**(pinned or {}), **({} if schema is None else {"input_schema": schema})}

    def _agents(self) -> dict[str, Any]:
        paths = dict.fromkeys(
            [*self._reached("agent"), *(each.path for each in self.made if self._is_agent(each.path))]
        )
        return {path: {"calls": calls} if (calls := self._answers(path)) else {} for path in paths}

    def _reached(self, kind: str) -> list[str]:
        definitions = [self.run.version.definition, *self.flows.values()]
        return [each.path for data in definitions for each in callees(data, self.library) if each.kind == kind]

    def _is_agent(self, path: str) -> bool:
        return path in self._reached("agent") or path.startswith(AGENTS)

    def _answers(self, path: str) -> list[dict[str, Any]]:
        """Its answers in order, without what the last one repeats."""
        answers = [each.answer for each in self.made if each.path == path and each.answer is not None]
        while len(answers) > 1 and answers[-1] == answers[-2]:
            answers.pop()
        return answers

    def _people(self) -> dict[str, Any]:
        groups: dict[str, list[str]] = {}
        for task in self.record.tasks:
            if task.assignment_group:
                members = groups.setdefault(task.assignment_group.rpartition("/")[2], [])
                members += [name] if (name := task.assignee.rpartition("/")[2]) not in members else []
        return {"groups": groups} if groups else {}

    # --- what came of it ---------------------------------------------------------------------------------------------

    def _expected(self) -> dict[str, Any]:
        seen = Seen(self.run.pk, None)
        error = self.run.error or {}
        found = {
            "status": self.run.status,
            "outcomes": seen.outcomes(),
            "attempts": {node: count for node, count in seen.attempts().items() if count > 1},
            "visits": seen.visits(),
            "calls": self._calls(),
            "output": self._stable(self.run.output) if self.run.output is not None else None,
            "error": {name: error[name] for name in ("error_type", "step_id", "code") if name in error},
        }
        if self.run.wait_kind:
            found["wait"] = {"kind": self.run.wait_kind, "step": self.run.node_id}
        needed = ("status", "outcomes", "visits")
        return {name: value for name, value in found.items() if name in needed or value not in (None, {}, [])}

    def _calls(self) -> list[Any] | None:
        """Every call with its arguments, as far as they do not differ; nothing where the order is not certain."""
        if self.record.has_branches:
            return None
        return [self._call(each) for each in self.made]

    def _call(self, made: Made) -> Any:
        arguments = {} if self._is_agent(made.path) else self._stable(dict(made.arguments))
        return {made.path: arguments} if arguments else made.path

    def _stable(self, value: Any) -> Any:
        """What of a value will be the same again: maps without the rest, and ``None`` for a list that holds some of it."""
        if isinstance(value, Mapping):
            kept = {key: self._stable(each) for key, each in value.items() if key not in DIFFERS}
            return {key: each for key, each in kept.items() if each is not None or value[key] is None}
        if isinstance(value, list):
            kept_list = [self._stable(each) for each in value]
            return kept_list if all(a is not None or b is None for a, b in zip(kept_list, value, strict=True)) else None
        return None if isinstance(value, str) and self._differs(value) else value

    def _differs(self, text: str) -> bool:
        own = [str(each) for each in self.record.ids]
        stand_ins = [each.completed_by for each in self.record.tasks if each.completed_by != each.assignee]
        return (
            bool(MOMENT.match(text))
            or text.startswith("~/")
            or any(each in text for each in [*own, *stand_ins] if each)
        )
