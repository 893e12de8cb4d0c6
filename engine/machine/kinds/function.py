"""Function steps: resolve the arguments, call, judge the answer (reference/flow-format.md, section 5)."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable

from engine.machine import keys, steps, unknowns
from engine.machine.faults import Fault, deadline_passed, of_failure
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Failed, Result, Succeeded, TimedOut, Unknown, WorkerLost
from engine.states import AttemptResult
from flows import kinds
from flows.graph import Node
from flows.schemas import schema_problem
from flows.values import dumps


class FunctionStep(Kind):
    """A step that calls a function of the library."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._call(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._call(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        manifest = manifest_of(turn, node)
        match result:
            case Succeeded(output):
                self._succeeded(turn, node, manifest, output)
            case Failed():
                steps.fail(turn, node, of_failure(result, manifest))
            case TimedOut():
                self._timed_out(turn, node, manifest)
            case Unknown():
                self._unanswered(turn, node, manifest, result)
            case WorkerLost():
                lost = Unknown("The worker was lost during the call.", "worker_lost")
                self._unanswered(turn, node, manifest, lost, AttemptResult.WORKER_LOST)

    def _call(self, turn: Turn, node: Node) -> None:
        path = kinds.reference_path(node.settings.get("function_ref"))
        if path is None:
            steps.fail(turn, node, Fault("This step names no function: set function_ref.", code="missing_function_ref"))
            return
        arguments, found = steps.resolve_or_fail(turn, node, "arguments", node.settings.get("arguments") or {})
        if found and keys.fix(turn, node):
            assert turn.leaf is not None
            parameter = (manifest_of(turn, node) or {}).get("idempotency_param")
            steps.call_out(turn, node, path, keys.put_in(arguments, parameter, turn.leaf.key))

    def _succeeded(self, turn: Turn, node: Node, manifest: Mapping[str, Any] | None, output: Any) -> None:
        problem = output_problem(manifest, output)
        if problem is None:
            steps.succeed(turn, node, output)
        else:
            steps.fail(turn, node, of_failure(Failed(problem, "invalid_output", error_type="validation"), manifest))

    def _timed_out(self, turn: Turn, node: Node, manifest: Mapping[str, Any] | None) -> None:
        """A passed deadline: never retried (raisin), except that a manifest says what it can mean (design/semantics.md,
        "Timeouts")."""
        passed = "No answer came before the deadline."
        if node.policy.timeout_edge is not None or manifest is None:
            steps.fail(turn, node, deadline_passed(passed))
        elif unknowns.can_be(manifest):
            unknowns.meet(turn, node, manifest, Unknown(passed, "timeout"), AttemptResult.TIMED_OUT)
        else:
            fault = of_failure(Failed(passed, "timeout", error_type="timeout"), manifest)
            steps.fail(turn, node, fault)

    def _unanswered(
        self,
        turn: Turn,
        node: Node,
        manifest: Mapping[str, Any] | None,
        result: Unknown,
        kind: AttemptResult = AttemptResult.UNKNOWN,
    ) -> None:
        if unknowns.can_be(manifest):
            unknowns.meet(turn, node, manifest, result, kind)
        else:
            steps.fail(turn, node, of_failure(Failed(result.message, result.code, result.status), manifest))


def manifest_of(turn: Turn, node: Node) -> Mapping[str, Any] | None:
    """The manifest's policy part of the function that ``node`` calls, as its version was published with it."""
    return turn.graph.manifests.get(kinds.reference_path(node.settings.get("function_ref")) or "")


def output_problem(manifest: Mapping[str, Any] | None, output: Any) -> str | None:
    """What is wrong with an output under the function's ``output_schema``, in words; ``None`` when it fits."""
    schema = (manifest or {}).get("output_schema")
    if schema is None:
        return None
    validator = _validator(dumps(schema))
    if isinstance(validator, str):
        return f"The output cannot be checked, its schema is none: {validator}"
    try:
        error = next(validator.iter_errors(output), None)
    except (Unresolvable, RecursionError) as problem:
        return f"The output cannot be checked, its schema leads nowhere: {problem}"
    if error is None:
        return None
    place = "/".join(map(str, error.absolute_path)) or "the output"
    return f"The output does not fit its schema at {place}: {error.message}"


@lru_cache(maxsize=512)
def _validator(schema: str) -> Validator | str:
    """What checks against the schema, or what is wrong with the schema itself."""
    found = json.loads(schema)
    return schema_problem(found) or Draft202012Validator(found)


KINDS[kinds.FUNCTION] = FunctionStep()
