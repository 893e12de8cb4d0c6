"""Tasks for people: list, look, answer (reference/flow-format.md, sections 9 and 12)."""

from typing import Final

from django.db.models import Case, F, IntegerField, QuerySet, Value, When
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.api.serializers import (
    CompletedSerializer,
    CompleteSerializer,
    TaskFilterSerializer,
    TaskListSerializer,
    TaskSerializer,
)
from engine import inbox
from engine.models import InboxTask
from engine.ports_production import ports
from engine.states import TaskStatus

MOST: Final = 500
"""Tasks in one answer; what is open comes first."""

REFERENCE: Final = OpenApiParameter("reference", str, OpenApiParameter.PATH, description="Its id or URL-encoded path.")


class TasksView(ApiView):
    @extend_schema(
        operation_id="list_tasks",
        tags=["inbox"],
        parameters=[TaskFilterSerializer],
        responses=responses({200: TaskListSerializer}, 403),
    )
    def get(self, request: Request, repo: str) -> Response:
        """One's inbox: open tasks first, then by priority and due time. At most 500."""
        asked = self.asked(TaskFilterSerializer)
        assignee = asked.get("assignee") or access.user_path(self.person)
        found = access.tasks_for(self.person, repo, assignee)
        if "status" in asked:
            found = found.filter(status=asked["status"])
        tasks = list(_in_order(found)[:MOST])
        return Response(TaskListSerializer({"assignee": assignee, "count": len(tasks), "tasks": tasks}).data)


class TaskView(ApiView):
    @extend_schema(
        operation_id="get_task",
        tags=["inbox"],
        parameters=[REFERENCE],
        responses=responses({200: TaskSerializer}, 403),
    )
    def get(self, request: Request, repo: str, reference: str) -> Response:
        """One task: what is asked, of whom, by when, and what was answered."""
        return Response(TaskSerializer(access.get_task_for(self.person, repo, reference)).data)


class CompleteView(ApiView):
    @extend_schema(
        operation_id="complete_task",
        tags=["inbox"],
        parameters=[REFERENCE],
        request=CompleteSerializer,
        responses=responses({200: CompletedSerializer}, 403, 409, 413, 415),
    )
    def post(self, request: Request, repo: str, reference: str) -> Response:
        """Answer a task; its run goes on. A refused answer changes nothing."""
        task = access.get_task_for(self.person, repo, reference)
        response = self.sent(CompleteSerializer)["response"]
        done = inbox.complete(
            task.pk,
            by=access.user_path(self.person),
            response=response,
            is_admin=access.can_answer_any(self.person, task),
            ports=ports(),
        )
        flow = {"instance_id": done.instance_id, "job_id": str(done.instance_id)}
        return Response({"task_id": done.pk, "task_path": done.path, "status": done.status, "flow": flow})


def _in_order(tasks: QuerySet[InboxTask]) -> QuerySet[InboxTask]:
    closed = Case(When(status=TaskStatus.PENDING, then=Value(0)), default=Value(1), output_field=IntegerField())
    return tasks.order_by(closed, "-priority", F("due_at").asc(nulls_last=True), "pk")
