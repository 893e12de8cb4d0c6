"""The fields that belong to one kind (reference/flow-format.md, sections 5, 6 and 9)."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from designer.catalogue.field import Field
from designer.catalogue.fields import CONTEXT, RECOVERY
from designer.catalogue.sections import DATA, FAILURE, MORE, TIME

ACTION: Final = Field(
    "action",
    "template",
    _("Name"),
    _(
        "What people read. {{ }} puts in a value. An id that was made from the name follows it, unless a published version has "
        "that id and something refers to it."
    ),
)
PROMPT: Final = Field("prompt", "long_template", _("What it is asked"))
AGENT: Final = Field("agent_ref", "agent", _("Agent"))
CONFIDENCE: Final = Field(
    "min_confidence", "share", _("How sure it must be"), _("From 0 to 1. Below it, somebody else decides.")
)
FORMAT: Final = Field(
    "response_format", "json", _("Form of the answer"), _("text, json_object, or a JSON Schema."), DATA
)

FUNCTION: Final = (
    Field("function_ref", "function", _("Function")),
    Field("arguments", "values", _("What it gets"), "", DATA, of_function="function_ref"),
)

_APPROVAL: Final = {"task_type": ("approval",)}
HUMAN_TASK: Final = (
    Field(
        "task_type",
        "choice",
        _("What is asked for"),
        choices={
            "approval": _("A choice, such as yes or no"),
            "input": _("A form to fill in"),
            "review": _("A look at something"),
            "action": _("Something to do"),
        },
    ),
    Field("assignee", "person", _("Who"), _("A person, a group, an agent, or {{ }} for somebody the run knows.")),
    Field("task_description", "long_template", _("What they need to know")),
    Field(
        "options",
        "rows",
        _("Answers to choose from"),
        only=_APPROVAL,
        of=(
            Field("value", "text", _("Value")),
            Field("label", "template", _("Button")),
            Field(
                "style",
                "choice",
                _("Colour"),
                choices={
                    "default": _("Plain"),
                    "success": _("Green"),
                    "danger": _("Red"),
                    "warning": _("Amber"),
                },
            ),
        ),
    ),
    Field("input_schema", "schema", _("The form"), only={"task_type": ("input",)}),
    Field("data", "values", _("Facts shown"), _("Each with a name."), DATA),
    Field("due_in_seconds", "seconds", _("Time to answer"), "", TIME),
    Field("remind_before", "duration", _("Remind them before it ends"), "", TIME),
    Field(
        "on_timeout",
        "choice",
        _("Silence means"),
        "",
        TIME,
        choices={"expire": _("The time is over"), "reject": _("No")},
        only={"on_reject": ("fail",)},
    ),
    Field("priority", "value", _("Priority"), _("1 to 5; 5 comes first."), MORE),
    Field(
        "comment",
        "choice",
        _("Comment"),
        "",
        MORE,
        choices={"required": _("Must be given")},
    ),
    Field(
        "group_completion",
        "choice",
        _("In a group, who must answer"),
        "",
        choices={"any": _("The first of them"), "all": _("All of them"), "quorum": _("A number of them")},
        only={"assignee": ("/groups/*",)},
    ),
    Field("group_quorum", "count", _("How many"), only={"group_completion": ("quorum",)}),
    Field("response_condition", "condition", _("An answer counts if"), only={"assignee": ("/groups/*",)}),
    Field(
        "on_reject",
        "choice",
        _("A no means"),
        "",
        FAILURE,
        choices={"continue": _("The flow goes on and can read it"), "fail": _("The step fails")},
        only=_APPROVAL,
    ),
    Field("reject_values", "words", _("Answers that mean no"), "", FAILURE, only={"on_reject": ("fail",)}),
    Field(CONFIDENCE.name, CONFIDENCE.type, CONFIDENCE.word, CONFIDENCE.help, only={"assignee": ("/agents/*",)}),
    Field("escalation_assignee", "person", _("Who decides if the agent is unsure"), only={"assignee": ("/agents/*",)}),
)

DECISION: Final = (
    Field("condition", "condition", _("Is it true that")),
    Field("yes_branch", "step", _("Yes: go to"), _("Nothing chosen: the next step.")),
    Field("no_branch", "step", _("No: go to"), _("Nothing chosen: the next step.")),
)

WAIT: Final = (
    Field(
        "wait_type",
        "choice",
        _("Wait"),
        default="delay",
        choices={
            "delay": _("For a time"),
            "until": _("Until a moment"),
            "event": _("For an event"),
            "cron": _("Until a time of the calendar"),
        },
    ),
    Field("duration", "duration", _("How long"), only={"wait_type": ("delay", "")}, rests=True),
    Field(
        "until",
        "template",
        _("Until"),
        _("A date with time, such as 2030-01-07T10:00:00Z."),
        only={"wait_type": ("until",)},
        rests=True,
    ),
    Field("event_type", "text", _("Name of the event"), only={"wait_type": ("event",)}, rests=True),
    Field("timeout", "duration", _("At most"), "", TIME, only={"wait_type": ("event",)}, rests=True),
    Field(
        "cron",
        "text",
        _("Times"),
        _("Minute, hour, day, month, weekday: 0 9 * * 1 is Mondays at 9."),
        only={"wait_type": ("cron",)},
        rests=True,
    ),
    Field("timezone", "text", _("Time zone"), _("Such as Europe/Zurich."), only={"wait_type": ("cron",)}, rests=True),
)

SUB_FLOW: Final = (
    Field("flow_ref", "flow", _("Flow")),
    Field("input_mapping", "values", _("What it gets"), _("Nothing here: what this run knows."), DATA),
)

STOP: Final = (Field("reason", "template", _("Reason")),)

AI_AGENT: Final = (
    AGENT,
    PROMPT,
    FORMAT,
    Field("max_model_calls", "count", _("Calls of the model at most"), "", MORE, default=8),
)

CHAT: Final = (
    Field(
        "chat_config",
        "group",
        _("Chat"),
        of=(
            AGENT,
            Field("system_prompt", "long", _("Instructions")),
            Field("max_turns", "count", _("Turns at most"), default=50),
            Field("session_timeout_ms", "milliseconds", _("Time for the whole chat")),
            Field(
                "handoff_targets",
                "rows",
                _("Agents it may hand over to"),
                of=(
                    AGENT,
                    Field("description", "text", _("For what")),
                    Field("condition", "condition", _("Only if")),
                ),
            ),
            Field(
                "termination",
                "group",
                _("How it ends"),
                of=(
                    Field("allow_user_end", "flag", _("The person may end it"), default=True),
                    Field("allow_ai_end", "flag", _("The agent may end it"), default=True),
                    Field("end_keywords", "words", _("Words that end it")),
                    Field("inactivity_timeout_ms", "milliseconds", _("Silence that ends it")),
                ),
            ),
            Field("output_schema", "schema", _("Its result")),
        ),
    ),
)

OR: Final = (
    Field(
        "rules",
        "rows",
        _("Rules"),
        _("The first that is true decides. None true: nothing in here runs."),
        of=(Field("condition", "condition", _("If")), Field("next_step", "child", _("Take"))),
    ),
    Field(
        "router",
        "group",
        _("Or ask an agent"),
        _("Asked when no rule is true."),
        of=(AGENT, PROMPT, CONFIDENCE, Field("default_branch", "child", _("When unsure, take")), CONTEXT),
    ),
)

PARALLEL: Final = (
    Field(
        "merge_strategy",
        "choice",
        _("It succeeds when"),
        default="merge_all",
        choices={
            "merge_all": _("All have ended, failed or not"),
            "all_success": _("All have succeeded"),
            "first_success": _("The first has succeeded"),
        },
    ),
    Field(
        "fan_out",
        "group",
        _("Once for each item of a list"),
        of=(Field("over", "value", _("List")), Field("max_branches", "count", _("Items at most"), default=500)),
    ),
)

LOOP: Final = (
    Field(
        "loop",
        "group",
        _("Repeat"),
        of=(
            Field("over", "value", _("For each of"), _("A list.")),
            Field("item", "text", _("Each is called"), default="item"),
            Field("times", "count", _("So many times")),
            Field("while", "condition", _("As long as")),
            Field("until", "condition", _("Until")),
            Field("max_iterations", "count", _("At most")),
            Field("unbounded", "flag", _("Without a limit")),
            Field("index", "text", _("Its number is called")),
        ),
    ),
)

AI_CONFIG: Final = Field(
    "ai_config",
    "group",
    _("Agent"),
    of=(
        AGENT,
        Field(
            "tool_mode",
            "choice",
            _("Its tools"),
            choices={
                "auto": _("Run inside"),
                "explicit": _("Each call is a step"),
                "hybrid": _("Some calls are steps"),
            },
        ),
        Field("explicit_tools", "words", _("Tools that are steps"), only={"tool_mode": ("hybrid",)}),
        Field("max_iterations", "count", _("Rounds at most"), default=10),
        Field("timeout_ms", "milliseconds", _("Time for one call")),
        Field("total_timeout_ms", "milliseconds", _("Time in all")),
        Field("thinking_enabled", "flag", _("Let it think first")),
        Field(
            "on_error",
            "choice",
            _("After a failed call"),
            choices={"stop": _("Stop"), "continue": _("Go on"), "retry": _("Try again")},
        ),
        Field("max_retries", "count", _("Tries again at most"), default=2),
        Field("retry_delay_ms", "milliseconds", _("Pause between tries")),
        CONTEXT,
        FORMAT,
        Field("output_schema", "schema", _("Its result")),
        Field("conversation_ref", "template", _("Conversation to go on with")),
    ),
)
AI_SEQUENCE: Final = (PROMPT, AI_CONFIG)

COMPETITION: Final = (
    PROMPT,
    Field(
        "referee",
        "group",
        _("Referee"),
        of=(AGENT, PROMPT, CONFIDENCE, Field("max_rounds", "count", _("Further rounds at most"), default=1), CONTEXT),
    ),
)

FLOW: Final = (
    Field("input_schema", "schema", _("What a run is started with"), _("Makes the form that starts a run."), DATA),
    Field(
        "on_failure",
        "choice",
        _("When a run fails"),
        "",
        FAILURE,
        default="rollback",
        choices={
            "rollback": _("Take back what was done"),
            "keep": _("Keep it, to be resumed or given up"),
        },
    ),
    Field(
        "error_strategy",
        "choice",
        _("When a call fails"),
        "",
        FAILURE,
        default="fail_fast",
        choices={"fail_fast": _("The run fails, unless the step says otherwise"), "continue": _("The flow goes on")},
    ),
    RECOVERY,
)
