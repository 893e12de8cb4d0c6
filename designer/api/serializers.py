"""What goes over the wire: raisin's shapes (reference/flow-format.md, sections 9 and 12), with our additions.

Members that raisin marks as optional are left out when there is nothing to say, instead of being null.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.metrics import metrics
from designer.run_query import RunQuery
from engine import testconfig, views
from engine.models import Instance
from engine.states import Status, TaskStatus, WaitKind

ANY_OBJECT = {"type": "object", "additionalProperties": {}}


@extend_schema_field(ANY_OBJECT)
class ObjectField(serializers.JSONField):
    """A JSON object with any members."""

    default_error_messages = {"not_an_object": "This must be a JSON object."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_an_object")
        return data


class LeanSerializer(serializers.Serializer[Any]):
    """Leaves members out that are not required and have no value."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data = super().to_representation(instance)
        return {name: value for name, value in data.items() if value is not None or self.fields[name].required}


class TextIfAny(serializers.CharField):
    """A text that is not said when it is empty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def to_representation(self, value: str) -> str | None:  # type: ignore[override]
        return value or None


class ProblemSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(required=False)
    message = serializers.CharField()


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error."""

    code = serializers.CharField(help_text="Stable, for programs.")
    message = serializers.CharField(help_text="In words: what is wrong and what to do.")
    node = serializers.CharField(required=False, help_text="The step it is about.")
    field = serializers.CharField(required=False, help_text="The member of the request it is about.")
    problems = ProblemSerializer(many=True, required=False, help_text="Every fault of the request.")


# --- signing in --------------------------------------------------------------------------------------------------


class CredentialsSerializer(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=4096, trim_whitespace=False)


class RefreshSerializer(serializers.Serializer[Any]):
    refresh_token = serializers.CharField(max_length=200)


class TokensSerializer(serializers.Serializer[Any]):
    access_token = serializers.CharField()
    refresh_token = serializers.CharField()
    token_type = serializers.CharField()
    expires_in = serializers.IntegerField(help_text="Seconds.")


# --- runs --------------------------------------------------------------------------------------------------------


class RunSerializer(serializers.Serializer[Any]):
    flow_path = serializers.CharField(max_length=400, trim_whitespace=False)
    input = ObjectField(default=dict)


@extend_schema_field(dict(testconfig.SCHEMA))
class TestConfigField(serializers.JSONField):
    """How a test run is to behave. The engine checks it, for whoever starts one."""


class TestRunSerializer(RunSerializer):
    test_config = TestConfigField(required=False, allow_null=True, default=None)


class StepFilterSerializer(serializers.Serializer[Any]):
    flow_path = serializers.CharField()
    step = serializers.CharField()
    version = serializers.IntegerField(required=False, min_value=1, help_text="Without one: the draft.")


class ForetoldSerializer(serializers.Serializer[Any]):
    row = serializers.CharField(help_text="What the line says, for programs.")
    node = serializers.CharField(help_text="Whose policy it is; empty for the flow's own.")
    icon = serializers.CharField()
    words = serializers.CharField()
    undo = serializers.ListField(child=serializers.CharField(), help_text="What is taken back, in this order.")


class WaySerializer(serializers.Serializer[Any]):
    how = serializers.ChoiceField(["failure", "timeout", "unknown"])
    heading = serializers.CharField()
    lines = ForetoldSerializer(many=True)


class ForesightSerializer(serializers.Serializer[Any]):
    step = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    ways = WaySerializer(many=True)


class StartedSerializer(serializers.Serializer[Any]):
    instance_id = serializers.UUIDField()
    job_id = serializers.CharField()
    status = serializers.ChoiceField(choices=["queued"])


@extend_schema_field({"type": "string", "enum": ["applied", "not_applied"], "nullable": True})
class AckField(serializers.JSONField):
    """Anything: the engine has a code of its own for what it does not know."""


class FailureNumberField(serializers.IntegerField):
    """Which failure of the run is meant: makes the call safe to repeat."""

    def __init__(self, **options: Any) -> None:
        help_text = "The number of the failure that is meant: it makes the call safe to repeat."
        super().__init__(min_value=1, max_value=2**31 - 1, help_text=help_text, **options)


class NoteField(serializers.CharField):
    """Why somebody decided as they did."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=2000, allow_blank=True, help_text="Why; it is kept with the decision.", **options)


class ResumeSerializer(serializers.Serializer[Any]):
    """``resume_data`` for a wait; the rest for a run that failed or is held."""

    resume_data = serializers.JSONField(required=False, allow_null=True, default=None)
    ack = AckField(required=False, allow_null=True, help_text="Whether a call whose outcome is unknown took effect.")
    result = serializers.JSONField(required=False, allow_null=True, help_text="With `applied`: what the call gave.")
    failure = FailureNumberField(required=False)
    note = NoteField(required=False)


class ResumedSerializer(serializers.Serializer[Any]):
    instance_id = serializers.UUIDField()
    job_id = serializers.CharField()
    status = serializers.ChoiceField(
        choices=["resumed", "unwinding", "abandoned"],
        help_text="`abandoned`: the failure that was named had been resolved that way before.",
    )


class AbandonSerializer(serializers.Serializer[Any]):
    failure = FailureNumberField(required=False)
    note = NoteField(required=False)


class AbandonedSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Status.choices)


class CancelledSerializer(LeanSerializer):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Status.choices)
    cancel_requested = serializers.BooleanField(
        required=False, help_text="True while a call is out: the run ends as soon as that call does."
    )


class WaitSerializer(serializers.Serializer[Any]):
    """What a run rests on, where it does."""

    kind = serializers.ChoiceField(source="wait_kind", choices=WaitKind.choices)
    node_id = serializers.CharField()
    due_at = serializers.DateTimeField(source="wait_due", allow_null=True)

    def to_representation(self, instance: Instance) -> Any:
        return super().to_representation(instance) if instance.wait_kind else None


class InstanceSerializer(LeanSerializer):
    """A run as it stands in a list."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Status.choices)
    flow_path = serializers.CharField(source="flow.path")
    version = serializers.IntegerField(source="version.number", allow_null=True)
    started_at = serializers.SerializerMethodField(
        help_text="When it was first worked on; until then, when it was made."
    )
    ended_at = serializers.DateTimeField(required=False)
    started_by = serializers.CharField(source="started_by.username", required=False)
    wait = WaitSerializer(source="*", required=False)
    cancel_requested = serializers.BooleanField()
    is_test = serializers.BooleanField()
    error = serializers.CharField(source="error.message", required=False)

    @extend_schema_field(serializers.DateTimeField)
    def get_started_at(self, instance: Instance) -> str:
        return serializers.DateTimeField().to_representation(instance.started_at or instance.created_at)


class MetricsSerializer(serializers.Serializer[Any]):
    total_duration_ms = serializers.IntegerField()
    step_count = serializers.IntegerField(help_text="Visits of steps.")
    retry_count = serializers.IntegerField()
    compensation_count = serializers.IntegerField(help_text="Compensations that were run.")


class InstanceDetailSerializer(InstanceSerializer):
    """A run with what it knows. ``variables`` has ``step_outputs`` and, after an answer, ``__human_response``."""

    variables = serializers.SerializerMethodField()
    input = serializers.JSONField()
    output = serializers.JSONField(allow_null=True)
    error_details = serializers.DictField(source="error", required=False)
    reason = TextIfAny(help_text="Why a stop step ended it.")
    parent_id = serializers.UUIDField(required=False)
    metrics = serializers.SerializerMethodField()

    @extend_schema_field(ANY_OBJECT)
    def get_variables(self, instance: Instance) -> dict[str, Any]:
        return views.variables(instance)

    @extend_schema_field(MetricsSerializer)
    def get_metrics(self, instance: Instance) -> dict[str, int]:
        return metrics(instance)


class InstanceListSerializer(serializers.Serializer[Any]):
    instances = InstanceSerializer(many=True)
    next_cursor = serializers.UUIDField(allow_null=True, help_text="Give it as `cursor` for the next page.")


class InstanceFilterSerializer(serializers.Serializer[Any]):
    """The filters of the list of runs, as programs name them."""

    flow = serializers.CharField(required=False, max_length=400, help_text="The path of a flow.")
    version = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="A version of `flow`, which must be given too."
    )
    status = serializers.MultipleChoiceField(
        choices=Status.choices, required=False, help_text="Repeat it for several: runs in any of them."
    )
    test = serializers.BooleanField(
        allow_null=True, required=False, help_text="Test runs only, or real runs only; both without it."
    )
    started_by = serializers.CharField(required=False, max_length=150, help_text="A user name.")
    since = serializers.DateTimeField(required=False, help_text="Made at this moment or later.")
    until = serializers.DateTimeField(required=False, help_text="Made before this moment.")
    failed_step = serializers.CharField(
        required=False, max_length=200, help_text="The id of the step at which runs failed or are held."
    )
    q = serializers.CharField(
        required=False,
        max_length=200,
        help_text=(
            "An id, the last 8 characters of one, or how a text or number in the input begins; in any case of letters. "
            "When more than 1000 runs begin so, those with exactly this value are found."
        ),
    )
    children = serializers.BooleanField(default=False, help_text="Also child runs.")
    cursor = serializers.UUIDField(required=False, help_text="`next_cursor` of the page before.")
    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "version" in attrs and "flow" not in attrs:
            raise serializers.ValidationError({"version": "Name the flow too: versions are counted by flow."})
        return attrs

    @staticmethod
    def query(asked: dict[str, Any]) -> RunQuery:
        """What was asked for as a question."""
        return RunQuery(
            statuses=tuple(sorted(asked.get("status", ()))),
            flow=asked.get("flow", ""),
            version=asked.get("version"),
            by=asked.get("started_by", ""),
            since=asked.get("since"),
            until=asked.get("until"),
            failed_step=asked.get("failed_step", ""),
            text=asked.get("q", ""),
            is_test=asked.get("test"),
            with_children=asked["children"],
        )


class EventsFilterSerializer(serializers.Serializer[Any]):
    last_event_id = serializers.IntegerField(
        default=0, min_value=0, max_value=2**31 - 1, help_text="The number of the last event that was read."
    )
    tree = serializers.BooleanField(default=False, help_text="Also the events of child runs.")


# --- flows -------------------------------------------------------------------------------------------------------


class FlowFileSerializer(serializers.Serializer[Any]):
    path = serializers.CharField(max_length=400, help_text="Within the folder, such as `hr/welcome.node.yaml`.")
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, help_text="YAML or JSON.")


class ImportSerializer(serializers.Serializer[Any]):
    files = FlowFileSerializer(many=True, allow_empty=False)
    publish = serializers.BooleanField(default=False)
    draft = serializers.BooleanField(default=False, help_text="Take flows with errors too, as drafts.")


class FindingSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning", "suggestion"])
    node = serializers.CharField(allow_blank=True, help_text="The step; empty for the flow as a whole.")
    field = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)


class ImportedFileSerializer(serializers.Serializer[Any]):
    file = serializers.CharField()
    flow_path = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=["new", "changed", "unchanged", "left_out"])
    version = serializers.IntegerField(allow_null=True, help_text="The published version, if it was published.")
    findings = FindingSerializer(many=True)


class ImportedSerializer(serializers.Serializer[Any]):
    files = ImportedFileSerializer(many=True)


# --- the inbox ---------------------------------------------------------------------------------------------------


class OptionSerializer(LeanSerializer):
    value = serializers.CharField()
    label = serializers.CharField(required=False)  # type: ignore[assignment]
    style = serializers.CharField(required=False)  # type: ignore[assignment]


class TaskSerializer(LeanSerializer):
    id = serializers.UUIDField()
    path = serializers.CharField()
    task_type = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    assignee = serializers.CharField()
    status = serializers.ChoiceField(choices=TaskStatus.choices)
    priority = serializers.IntegerField()
    options = OptionSerializer(many=True, required=False)
    input_schema = serializers.DictField(required=False)
    data = serializers.JSONField(required=False)  # type: ignore[assignment]
    flow_instance_id = serializers.UUIDField(source="instance_id")
    step_id = serializers.CharField(source="node_id")
    created_at = serializers.DateTimeField()
    due_in_seconds = serializers.FloatField(required=False)
    due_at = serializers.DateTimeField(required=False)
    response = serializers.JSONField(required=False)
    completed_by = TextIfAny()
    responded_at = serializers.DateTimeField(required=False)
    assignment_group = TextIfAny(help_text="The group whose members were all asked.")
    cancellation_reason = TextIfAny()
    is_test = serializers.BooleanField(source="instance.is_test", help_text="Of a test run.")


class TaskListSerializer(serializers.Serializer[Any]):
    assignee = serializers.CharField()
    count = serializers.IntegerField(help_text="How many tasks this answer holds.")
    tasks = TaskSerializer(many=True)


class TaskFilterSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=TaskStatus.choices, required=False)
    assignee = serializers.CharField(
        required=False, max_length=300, help_text="A path such as `/users/ana`, or `*`; administrators only."
    )


class CompleteSerializer(serializers.Serializer[Any]):
    response = serializers.JSONField(allow_null=True)


class ResumedFlowSerializer(serializers.Serializer[Any]):
    instance_id = serializers.UUIDField()
    job_id = serializers.CharField()


class CompletedSerializer(serializers.Serializer[Any]):
    task_id = serializers.UUIDField()
    task_path = serializers.CharField()
    status = serializers.ChoiceField(choices=["completed"])
    flow = ResumedFlowSerializer()
