"""Function steps: resolve the arguments, call, judge the answer (reference/flow-format.md, section 5)."""

from collections.abc import Mapping
from typing import Any

from engine.machine import keys, reconciling, steps, unknowns
from engine.machine.faults import Fault, deadline_passed, of_failure
from engine.machine.kinds import KINDS, Kind
from engine.machine.outputs import output_problem
from engine.machine.turn import Turn
from engine.outcomes import Failed, Result, Succeeded, TimedOut, Unknown, WorkerLost
from engine.states import AttemptResult
from flows import kinds
from flows.graph import Node


class FunctionStep(Kind):
    """A step that calls a function of the library."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        self._call(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._call(turn, node)

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        manifest = turn.graph.manifest_of(node)
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

    def body_ended(self, turn: Turn) -> bool:
        """The last probe of its reconcile is over."""
        return reconciling.told(turn)

    def _call(self, turn: Turn, node: Node) -> None:
        path = kinds.reference_path(node.settings.get("function_ref"))
        if path is None:
            steps.fail(turn, node, Fault("This step names no function: set function_ref.", code="missing_function_ref"))
            return
        arguments, found = steps.resolve_or_fail(turn, node, "arguments", node.settings.get("arguments") or {})
        if found and keys.fix(turn, node):
            assert turn.leaf is not None
            parameter = (turn.graph.manifest_of(node) or {}).get("idempotency_param")
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


KINDS[kinds.FUNCTION] = FunctionStep()
