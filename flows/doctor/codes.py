"""Every code the doctor can report, with its severity and one line of help (reference/flow-format.md, 15 and 16).

The documentation's table is made from this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "suggestion"]


@dataclass(frozen=True, slots=True)
class Code:
    """A code, how serious it is unless a finding says otherwise, and when it is reported."""

    code: str
    severity: Severity
    help: str


_ERRORS: Final = """
EMPTY_NODE_ID                   The id is missing.
DUPLICATE_NODE_ID               The id is used twice; ids share one namespace in the whole flow.
RESERVED_NODE_ID                The id is start, end, or begins with two underscores.
UNKNOWN_NODE_TYPE               node_type is neither raisin:FlowStep nor raisin:FlowContainer.
UNKNOWN_STEP_TYPE               step_type is none of the known kinds.
UNKNOWN_CONTAINER_TYPE          container_type is none of the known kinds.
UNKNOWN_ERROR_STRATEGY          error_strategy is neither fail_fast nor continue.
INVALID_VALUE                   A value has the wrong type or form for its place.
MISSING_ACTION                  A step has no action, the words it is known by.
MISSING_AGENT_REF               An agent step names no agent.
MISSING_TASK_TYPE               A human task does not say what kind of answer it wants.
INVALID_TASK_TYPE               task_type is no known kind and no slug.
MISSING_ASSIGNEE                A human task is given to nobody.
INVALID_MIN_CONFIDENCE          min_confidence is no number from 0 to 1.
INVALID_CONDITION               A condition or an expression in a template cannot be read.
INVALID_REFERENCE               A reference has neither the form of a path nor a raisin:path or raisin:ref.
FUNCTION_NOT_A_FUNCTION         Something else than a function lies at the path.
MISSING_REQUIRED_ARGUMENT       The function's input schema requires an argument that is not given.
MISSING_AI_CONFIG               An ai_sequence has no ai_config.
MISSING_AI_AGENT_REF            The ai_config names no agent.
ROUTER_ON_NON_OR                A router stands on a container that is not an or.
LOOP_ON_NON_LOOP                A loop block stands on a container that is not a loop.
FAN_OUT_ON_NON_PARALLEL         fan_out stands on a container that is not a parallel.
MERGE_STRATEGY_ON_NON_PARALLEL  merge_strategy stands on a container that is not a parallel.
UNKNOWN_MERGE_STRATEGY          merge_strategy is none of merge_all, all_success, first_success.
FAN_OUT_MISSING_OVER            fan_out does not say over which items.
FAN_OUT_INVALID_MAX_BRANCHES    max_branches is no whole number from 1.
FAN_OUT_EMPTY_BRANCH            A fan_out has no steps to run for its items.
LOOP_MISSING_SHAPE              A loop has none of over, while, times.
LOOP_AMBIGUOUS_SHAPE            A loop has several of over, while, times.
LOOP_UNBOUNDED_WITHOUT_WHILE    unbounded is true, but the loop has no while.
LOOP_UNBOUNDED_WITH_MAX         unbounded is true beside max_iterations.
LOOP_INVALID_VARIABLE           item or index is no name an expression can use.
LOOP_INVALID_MAX_ITERATIONS     max_iterations is no whole number from 1.
LOOP_CONDITION_UNKNOWN_STEP     until or while reads a step that does not exist.
OR_UNROUTABLE                   An or has no rules, no conditions on its children and no router.
INVALID_RULE_TARGET             A rule's next_step is no child of its container.
MISSING_ROUTER_AGENT            A router names no agent.
INVALID_DEFAULT_BRANCH          default_branch is no child of its container.
COMPETITION_NEEDS_REFEREE       A competition has no referee with an agent.
COMPETITION_TOO_FEW_AGENTS      A competition has fewer than two agents.
INVALID_ERROR_EDGE              error_edge leads to a step that does not exist.
INVALID_TIMEOUT_EDGE            timeout_edge leads to a step that does not exist.
TEMPLATE_UNKNOWN_STEP           A template or condition reads a step that does not exist.
TEMPLATE_FORWARD_REF            A template or condition reads a step that runs later, or its own.
TEMPLATE_HYPHENATED_STEP_PATH   A dotted path holds a hyphen, which subtracts.
OPTIONAL_AND_MUST_SUCCEED       The step may fail and must not fail.
MUST_SUCCEED_WITH_HANDLER       The step must succeed, so its error path can never be taken.
UNKNOWN_ON_ERROR                on_error has an unknown value, or stands where it means nothing.
UNKNOWN_ON_FAILURE              on_failure is neither rollback nor keep.
INVALID_BRANCH_TARGET           yes_branch or no_branch leads to a step that does not exist.
EDGE_LEAVES_BRANCH              A jump leads into or out of a parallel branch, or into a loop.
MISSING_FLOW_REF                A sub-flow step names no flow.
MISSING_WAIT_TARGET             A wait does not say what it waits for.
UNKNOWN_WAIT_TYPE               wait_type is none of delay, until, event, cron.
INVALID_DURATION                A duration, a number of seconds or a point in time cannot be read.
INVALID_CRON                    A cron expression or its time zone cannot be read.
UNKNOWN_GROUP_COMPLETION        group_completion is none of any, all, quorum.
INVALID_GROUP_QUORUM            group_quorum is no whole number from 1.
UNKNOWN_ON_UNKNOWN              on_unknown is none of retry, reconcile, halt.
ON_UNKNOWN_RETRY_NOT_IDEMPOTENT on_unknown: retry, but the function's manifest does not say idempotent.
ON_UNKNOWN_RETRY_WITHOUT_KEY    on_unknown: retry, but the step has no idempotency_key for the function's parameter.
RECONCILE_WITHOUT_ON_UNKNOWN    reconcile stands where on_unknown is not reconcile.
RECONCILE_MISSING               on_unknown: reconcile without a reconcile.
RECONCILE_WITHOUT_STEPS         A reconcile has no steps that look.
RECONCILE_WITHOUT_OUTCOME       A reconcile has no outcome condition.
RECONCILE_WITHOUT_RESULT        A reconcile has no result although the function promises an output.
RECONCILE_ID_USED_OUTSIDE       A step of a reconcile is read outside of it.
UNKNOWN_REDO                    redo is none of this_step, this_and_after, whole_group.
UNKNOWN_THEN                    then is none of hold, fail, escalate.
INVALID_STOP_AFTER              stop_after has no whole number of failures from 0, or no duration in within.
REDO_NOT_SAFE                   A step would run again in a redo although its function may act twice.
UNDO_WITHOUT_FUNCTION           undo names no function.
INVALID_RESOURCES               resources is no map of names to templates.
UNKNOWN_COMPENSATION_WHEN       compensation_when is neither abandon nor always.
UNKNOWN_ON_REJECT               on_reject is neither continue nor fail.
UNKNOWN_ON_TIMEOUT              on_timeout is neither expire nor reject.
INVALID_INPUT_SCHEMA            input_schema is no valid JSON Schema.
"""

_WARNINGS: Final = """
EMPTY_FLOW                      The flow has no steps.
MISSING_FUNCTION_REF            A step says neither its kind nor the function it calls; it fails when it runs.
MISSING_CHAT_AGENT_REF          A chat names no agent.
MISSING_TASK_OPTIONS            An approval has no options; approve and reject are offered.
MISSING_INPUT_SCHEMA            An input task does not say which values it asks for.
EMPTY_CONDITION                 A condition is blank.
UNKNOWN_RETRY_STRATEGY          retry_strategy is no known preset; the defaults apply.
INVALID_RETRY_CONFIG            The numbers of a retry make no sense.
FUNCTION_NOT_FOUND              No function is known at the path.
EMPTY_CONTAINER                 A container has no children.
NESTED_PARALLEL                 A parallel stands inside a parallel.
UNROUTED_OR_CHILD               No rule reaches this child.
COMPETITION_NON_AGENT_CHILD     A child of a competition is no agent step and is left out.
POSSIBLE_CYCLE                  An error or timeout edge can lead back to its own step.
TEMPLATE_UNBALANCED             A marker never ends and stays text.
TEMPLATE_UNKNOWN_ROOT           A template or condition begins with a name that is no namespace and no loop variable.
SUB_FLOW_CYCLE                  Flows call each other in a circle.
ON_UNKNOWN_WITHOUT_EFFECT       on_unknown, but the function has no manifest or only reads.
IDEMPOTENCY_KEY_WITHOUT_PARAM   An idempotency_key that the function's manifest has no parameter for.
ESCALATE_WITHOUT_SCOPE          then: escalate, but no recovery lies around this one.
UNKNOWN_NOTIFY_TARGET           notify names a target that nobody has set up.
COMPENSATION_WHEN_WITHOUT_REF   compensation_when, but nothing compensates the step.
GATE_WITHOUT_REJECTION          on_reject: fail, but no option is a rejection.
ON_TIMEOUT_WITHOUT_GATE         on_timeout without on_reject: fail or without a due time.
UNSUPPORTED_PROPERTY            A property of raisin that is kept and has no effect here.
TRIGGER_NOT_APPLICABLE          A trigger of raisin waits for what does not exist here; it starts nothing.
"""

_SUGGESTIONS: Final = """
AGENT_ASSIGNEE_GUARDRAILS       An agent decides without min_confidence or without someone to escalate to.
UNDO_NEVER_RUNS                 undo, but no recovery lies around the step: only a redo triggers it.
WRITE_WITHOUT_COMPENSATION      A step changes something, nothing undoes it, and a later step may fail.
MAYBE_NOT_RUN_REF               A template or condition reads a step that may not have run; it is then null.
UNKNOWN_PROPERTY                A key that means nothing here; it is kept.
"""


def _table(severity: Severity, lines: str) -> dict[str, Code]:
    rows = (line.split(maxsplit=1) for line in lines.strip().splitlines())
    return {code: Code(code, severity, text) for code, text in rows}


CODES: Final[Mapping[str, Code]] = {
    **_table("error", _ERRORS),
    **_table("warning", _WARNINGS),
    **_table("suggestion", _SUGGESTIONS),
}
