"""Run records in the admin: to look at, never to change; runs may be cancelled."""

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_q import models as queue_models

from designer import access
from engine import commands
from engine.errors import EngineError
from engine.models import (
    Attempt,
    Binding,
    Compensation,
    Errand,
    Event,
    InboxTask,
    Instance,
    LiveText,
    Notice,
    Resolution,
    Signal,
    Undo,
    Visit,
    Wakeup,
    WorkerNode,
)
from engine.ports_production import ports

for queue_model in (queue_models.Schedule, queue_models.Success, queue_models.Failure, queue_models.OrmQ):
    if admin.site.is_registered(queue_model):
        admin.site.unregister(queue_model)  # messages are hints; editing one breaks it, and nothing is scheduled there


class RecordAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the stubs alone know it
    """A kind of record that the engine alone writes."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(Instance)
class InstanceAdmin(RecordAdmin):
    """Runs. Deleting one, with all its records, is done on its page."""

    list_display = ("id", "flow", "status", "node_id", "wait_kind", "is_test", "started_by", "created_at", "page")
    list_filter = ("status", "is_test", "flow")
    list_select_related = ("flow", "started_by")
    search_fields = ("=id",)
    actions = ("cancel_runs",)

    @admin.display(description=_("page"))
    def page(self, run: Instance) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("run-detail", args=[run.pk]), _("Open"))

    @admin.action(description=_("Cancel the selected runs"), permissions=["operate"])
    def cancel_runs(self, request: HttpRequest, chosen: models.QuerySet[Instance]) -> None:
        for run_id in list(chosen.values_list("pk", flat=True)):
            try:
                outcome = commands.cancel(run_id, by=access.user_path(request.user), ports=ports())
            except EngineError as error:
                self.message_user(request, f"{run_id}: {error.message}", messages.WARNING)
            else:
                self.message_user(request, f"{run_id}: {outcome.status}", messages.SUCCESS)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return access.can_operate(request.user)


class OfRunAdmin(RecordAdmin):
    """Records of one run; found by its id."""

    search_fields = ["=instance__id"]
    list_select_related = False


@admin.register(Visit)
class VisitAdmin(OfRunAdmin):
    list_display = ("instance_id", "seq", "node_id", "kind", "number", "outcome", "attempts", "started_at", "ended_at")
    list_filter = ("outcome", "kind")


@admin.register(Attempt)
class AttemptAdmin(OfRunAdmin):
    list_display = ("instance_id", "visit_seq", "number", "path", "result", "worker", "started_at", "ended_at")
    list_filter = ("result",)


@admin.register(Compensation)
class CompensationAdmin(OfRunAdmin):
    list_display = ("instance_id", "position", "node_id", "path", "state", "attempts", "ended_at")
    list_filter = ("state",)


@admin.register(Undo)
class UndoAdmin(OfRunAdmin):
    list_display = ("instance_id", "round", "place", "node_id", "path", "state", "attempts", "ended_at")
    list_filter = ("state",)


@admin.register(Resolution)
class ResolutionAdmin(OfRunAdmin):
    list_display = ("instance_id", "failure", "kind", "state", "by", "at")
    list_filter = ("kind", "state")


@admin.register(LiveText)
class LiveTextAdmin(OfRunAdmin):
    list_display = ("instance_id", "node_id", "at")


@admin.register(Event)
class EventAdmin(OfRunAdmin):
    list_display = ("instance_id", "number", "type", "node_id", "at")
    list_filter = ("type",)


@admin.register(InboxTask)
class InboxTaskAdmin(OfRunAdmin):
    list_display = ("title", "assignee", "status", "priority", "due_at", "created_at", "instance_id")
    list_filter = ("status", "task_type")
    search_fields = ["=instance__id", "assignee", "title"]


@admin.register(Notice)
class NoticeAdmin(OfRunAdmin):
    list_display = ("instance_id", "target", "decision", "state", "attempts", "at", "problem")
    list_filter = ("state", "decision")


@admin.register(Wakeup)
class WakeupAdmin(OfRunAdmin):
    list_display = ("instance_id", "visit_seq", "kind", "due_at")


@admin.register(Signal)
class SignalAdmin(OfRunAdmin):
    list_display = ("instance_id", "kind", "created_at")


@admin.register(Binding)
class BindingAdmin(OfRunAdmin):
    list_display = ("instance_id", "node_id", "visits", "outcome", "completion")


@admin.register(Errand)
class ErrandAdmin(RecordAdmin):
    list_display = ("function", "owner", "number", "is_over", "begun_at", "noted_at")
    list_filter = ("is_over", "function")


@admin.register(WorkerNode)
class WorkerNodeAdmin(RecordAdmin):
    list_display = ("name", "beat_at")
