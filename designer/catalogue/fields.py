"""The fields that many kinds share: when a step runs, how long it may take, what happens when it fails, how it is undone."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from designer.catalogue.field import Field
from designer.catalogue.sections import FAILURE, GUARD, MORE, TIME, UNDO

WHEN: Final = Field(
    "when", "condition", _("Only if"), _("When this is not true, the step is skipped and the flow goes on."), GUARD
)
DISABLED: Final = Field("disabled", "flag", _("Skip this step"), _("Nothing is called; the flow goes on."), GUARD)

ERROR_EDGE: Final = Field(
    "error_edge", "step", _("On an error, go to"), _("Taken once all tries are used up."), FAILURE
)
TIMEOUT_EDGE: Final = Field(
    "timeout_edge", "step", _("When time runs out, go to"), _("Taken when the deadline passes."), TIME
)
RETRY: Final = Field(
    "retry",
    "retry",
    _("Try again"),
    _("How often and how soon a failed try is repeated."),
    FAILURE,
    covers=("retry_strategy",),
    choices={
        "none": _("Never"),
        "quick": _("Quickly: 3 times, from 1 second"),
        "standard": _("Normally: 5 times, from 2 seconds"),
        "aggressive": _("Persistently: 10 times, from 5 seconds"),
        "llm": _("For language models: 5 times, from 10 seconds"),
    },
)
CONTINUE: Final = Field(
    "continue_on_fail", "flag", _("Go on even if it fails"), _("The next step can read what went wrong."), FAILURE
)
OPTIONAL: Final = Field("optional", "flag", _("It may fail"), _("A failure is noted and starts no recovery."), FAILURE)
MUST_SUCCEED: Final = Field(
    "must_succeed", "flag", _("It must succeed"), _("A failure ends the run at once; nothing may soften it."), FAILURE
)
ON_ERROR: Final = Field(
    "on_error",
    "choice",
    _("After a failure"),
    "",
    MORE,
    choices={"stop": _("Stop"), "continue": _("Go on"), "skip": _("Skip it")},
)
BRANCH_ON_ERROR: Final = Field(
    "on_error",
    "choice",
    _("When one of them fails"),
    _("A round or branch that fails is left out, or fails the whole."),
    FAILURE,
    choices={"continue": _("Go on with the others"), "stop": _("Stop at once")},
)
TIMEOUT: Final = Field("timeout_ms", "milliseconds", _("Time for one try"), "", TIME)

KEY: Final = Field(
    "idempotency_key",
    "template",
    _("Key against doing it twice"),
    _("Every further try sends the same key, so that the other side does it once."),
    FAILURE,
)
ON_UNKNOWN: Final = Field(
    "on_unknown",
    "choice",
    _("When nobody knows whether it worked"),
    _("The request left and no answer came."),
    FAILURE,
    choices={"retry": _("Try again"), "reconcile": _("Look it up first"), "halt": _("Let a person decide")},
)
RECONCILE: Final = Field(
    "reconcile",
    "group",
    _("How to look it up"),
    _("Steps that find out whether it took effect."),
    FAILURE,
    only={"on_unknown": ("reconcile",)},
    of=(
        Field(
            "steps",
            "steps",
            _("Steps that look"),
            _("Each calls a function that only reads. The fields below can read what they give."),
            of=(
                Field("function_ref", "function", _("Function")),
                Field("arguments", "values", _("What it gets"), of_function="function_ref"),
                TIMEOUT,
                WHEN,
            ),
        ),
        Field("outcome", "condition", _("It took effect if")),
        Field(
            "result",
            "values",
            _("Its result then"),
            _("What the step gives when it did take effect."),
            of_result="function_ref",
        ),
    ),
)
COMPENSATION: Final = Field(
    "compensation_ref",
    "function",
    _("If a later step fails, call"),
    _("Runs when the whole run fails or is abandoned, newest first."),
    UNDO,
)
COMPENSATION_INPUT: Final = Field(
    "compensation_input_mapping",
    "values",
    _("What that call gets"),
    _("output is this step's result. Nothing here: what the step itself was given."),
    UNDO,
    of_function="compensation_ref",
)
COMPENSATION_WHEN: Final = Field(
    "compensation_when",
    "choice",
    _("Take it back"),
    "",
    UNDO,
    choices={"abandon": _("When the run is given up"), "always": _("Also before it is resumed")},
)
UNDO_CALL: Final = Field(
    "undo",
    "group",
    _("Before it is done again, call"),
    _("Only a recovery that repeats steps runs this."),
    UNDO,
    of=(
        Field("function_ref", "function", _("Function")),
        Field("arguments", "values", _("What it gets"), of_function="function_ref"),
        Field("missing_ok", "flag", _("Already gone is fine")),
    ),
)
RESOURCES: Final = Field(
    "resources",
    "values",
    _("What it made"),
    _("Names of things, such as a booking number, for whoever has to clear up after a failure."),
    UNDO,
)
RECOVERY: Final = Field(
    "recovery",
    "group",
    _("Recover from failures in here"),
    _("Repeat steps instead of failing the run."),
    FAILURE,
    of=(
        Field(
            "redo",
            "choice",
            _("Do again"),
            choices={
                "this_step": _("The step that failed"),
                "this_and_after": _("It and all that depends on it"),
                "whole_group": _("Everything in here"),
            },
        ),
        Field(
            "stop_after",
            "group",
            _("But stop after"),
            of=(Field("failures", "count", _("Failures")), Field("within", "duration", _("Within"))),
        ),
        Field(
            "then",
            "choice",
            _("Then"),
            choices={
                "fail": _("The run fails"),
                "hold": _("Hold the run for a person"),
                "escalate": _("Ask the container around it"),
            },
        ),
        Field(
            "notify",
            "target",
            _("And tell"),
            _("A notification target of the library, told once each time this applies."),
        ),
    ),
)
CONTEXT: Final = Field(
    "include_context",
    "choice",
    _("What it is shown"),
    "",
    choices={"input": _("The run's input"), "full": _("Everything known so far")},
)
IDENTITY: Final = Field(
    "execution_identity",
    "choice",
    _("Acts with the rights of"),
    "",
    MORE,
    choices={"agent": _("The agent"), "caller": _("Whoever started the run"), "function": _("The function")},
)

NOTE: Final = Field("note", "long", _("Note"), _("For whoever works on this flow. It is shown on the canvas."), MORE)

POLICY: Final = (
    NOTE,
    RETRY,
    ERROR_EDGE,
    CONTINUE,
    OPTIONAL,
    MUST_SUCCEED,
    ON_ERROR,
    TIMEOUT_EDGE,
    WHEN,
    DISABLED,
    UNDO_CALL,
    RESOURCES,
    IDENTITY,
)
"""What every step has."""

AROUND: Final = (RECOVERY, RETRY, ERROR_EDGE, CONTINUE, OPTIONAL, MUST_SUCCEED, WHEN, NOTE)
"""What every container has."""
