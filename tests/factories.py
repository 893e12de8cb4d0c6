"""Rows for tests, made through the real models. Each call saves; every field can be given by name.

``EventFactory`` numbers events the way the engine does: by counting up its run's ``event_count``.
"""

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import factory
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.db.models import F, Model
from django.utils import timezone
from factory.django import DjangoModelFactory

from engine.models import Attempt, Event, InboxTask, Instance, Visit
from engine.states import AttemptResult, Outcome
from flows import graph
from flows.lowering import lower
from flows.models import Flow, FlowVersion, Workspace

Row = TypeVar("Row", bound=Model)
PASSWORD = "correct horse battery"
ONE_STEP: dict[str, Any] = {
    "nodes": [{"id": "greet", "node_type": "raisin:FlowStep", "properties": {"function_ref": "/lib/greet"}}]
}


def now() -> datetime:
    return timezone.now().astimezone(UTC)


@cache
def _hashed() -> str:
    """Hashing is slow on purpose; once is enough."""
    return make_password(PASSWORD)


class RowFactory(DjangoModelFactory[Row]):
    class Meta:
        abstract = True

    if TYPE_CHECKING:  # calling a factory makes a row, which its own annotations do not say

        def __new__(cls, **fields: Any) -> Row: ...  # type: ignore[misc]


class UserFactory(RowFactory[User]):
    """Somebody who may sign in with ``PASSWORD``; ``groups=["Operators"]`` puts them into existing groups."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    password = factory.LazyFunction(lambda: _hashed())

    @factory.post_generation
    def groups(self, create: bool, names: list[str] | None, **kwargs: Any) -> None:
        for name in names or []:
            self.groups.add(Group.objects.get(name=name))


class WorkspaceFactory(RowFactory[Workspace]):
    class Meta:
        model = Workspace
        django_get_or_create = ("slug",)

    slug = "default"


class FlowFactory(RowFactory[Flow]):
    class Meta:
        model = Flow

    workspace = factory.SubFactory(WorkspaceFactory)
    path = factory.Sequence(lambda n: f"/flows/flow-{n}")


class FlowVersionFactory(RowFactory[FlowVersion]):
    """A published version; ``definition`` is the ``workflow_data`` it was made of."""

    class Meta:
        model = FlowVersion

    flow = factory.SubFactory(FlowFactory)
    number = factory.LazyAttribute(lambda version: version.flow.versions.count() + 1)
    definition = ONE_STEP
    source = ""
    graph = factory.LazyAttribute(lambda version: graph.to_json(lower(version.definition, lambda path: None)))
    content_hash = factory.Sequence(lambda n: f"{n:064x}")


class InstanceFactory(RowFactory[Instance]):
    """A run; give ``version`` or ``flow``. ``parent`` makes it a child run of the same tree."""

    class Meta:
        model = Instance

    version = factory.SubFactory(FlowVersionFactory)
    flow = factory.LazyAttribute(lambda instance: instance.version.flow)
    workspace = factory.LazyAttribute(lambda instance: instance.flow.workspace)
    parent = None
    root = factory.LazyAttribute(lambda instance: instance.parent and (instance.parent.root or instance.parent))
    started_by = factory.LazyAttribute(lambda instance: instance.parent and instance.parent.started_by)
    input = factory.Dict({})
    trigger = factory.Dict({"event_type": "manual"})
    position = factory.Dict({})
    created_at = factory.LazyFunction(now)
    hinted_at = factory.LazyFunction(now)


class VisitFactory(RowFactory[Visit]):
    """A visit that succeeded; ``outcome=""`` makes it one that still runs."""

    class Meta:
        model = Visit

    instance = factory.SubFactory(InstanceFactory)
    seq = factory.LazyAttribute(lambda visit: Visit.objects.filter(instance=visit.instance).count() + 1)
    node_id = "greet"
    kind = "function"
    number = 1
    outcome = Outcome.SUCCEEDED
    attempts = 1
    completion = factory.LazyAttribute(lambda visit: visit.seq if visit.outcome else None)
    started_at = factory.LazyFunction(now)
    ended_at = factory.LazyAttribute(lambda visit: now() if visit.outcome else None)


class AttemptFactory(RowFactory[Attempt]):
    class Meta:
        model = Attempt

    instance = factory.SubFactory(InstanceFactory)
    visit_seq = 1
    number = 1
    path = "/lib/greet"
    result = AttemptResult.SUCCEEDED
    started_at = factory.LazyFunction(now)
    ended_at = factory.LazyFunction(now)


class EventFactory(RowFactory[Event]):
    class Meta:
        model = Event

    instance = factory.SubFactory(InstanceFactory)
    number = factory.LazyAttribute(lambda event: _next_number(event.instance))
    type = "step_started"
    at = factory.LazyFunction(now)
    data = factory.Dict({})


def _next_number(instance: Instance) -> int:
    Instance.objects.filter(pk=instance.pk).update(event_count=F("event_count") + 1)
    instance.refresh_from_db(fields=["event_count"])
    return instance.event_count


class InboxTaskFactory(RowFactory[InboxTask]):
    """An open approval; its run waits for nothing else than what the test says."""

    class Meta:
        model = InboxTask

    instance = factory.SubFactory(InstanceFactory)
    workspace = factory.LazyAttribute(lambda task: task.instance.workspace)
    visit_seq = 1
    node_id = "approve"
    assignee = "/users/manager"
    path = factory.LazyAttribute(lambda task: f"{task.assignee}/inbox/task-{task.node_id}-{task.instance.id}-it1")
    task_type = "approval"
    title = "Approve the order"
    options = factory.List(
        [
            factory.Dict({"value": "approve", "label": "Approve", "style": "success"}),
            factory.Dict({"value": "reject", "label": "Reject", "style": "danger"}),
        ]
    )
    created_at = factory.LazyFunction(now)
