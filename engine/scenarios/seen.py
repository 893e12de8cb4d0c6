"""What came of a run, read from the tables, in the words that ``expect`` uses."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Q

from engine.errors import NotFound
from engine.failure import failure_document
from engine.models import Binding, Event, InboxTask, Instance, Visit
from engine.ports import Clock
from engine.scenarios.durations import words
from engine.states import Outcome
from flows.kinds import CONTAINER_KINDS


class Seen:
    """One look at the run under test and its children; everything is read when it is asked for, and once."""

    def __init__(self, instance_id: UUID, clock: Clock | None) -> None:
        self._id = instance_id
        self._clock = clock

    @cached_property
    def instance(self) -> Instance:
        return Instance.objects.get(pk=self._id)

    @cached_property
    def _tree(self) -> list[Instance]:
        """The children first, oldest first, and the run under test last."""
        found = Instance.objects.filter(Q(pk=self._id) | Q(root=self._id)).order_by("id")
        return sorted(found, key=lambda instance: instance.pk == self._id)

    @cached_property
    def _latest(self) -> dict[str, Visit]:
        """The latest visit of each node of the run under test."""
        return {visit.node_id: visit for visit in self._visits([self._id])}

    def status(self) -> str:
        return self.instance.status

    def outcomes(self) -> dict[str, str | None]:
        """By node, nodes inside parallel branches included; ``None`` for a visit that has not ended."""
        branches = [
            each for each in self._tree if each.branch is not None and each.version_id == self.instance.version_id
        ]
        found: dict[str, str | None] = {}
        for instance in [*branches, self.instance]:
            found |= dict.fromkeys(instance.not_run or [], Outcome.NOT_RUN.value)
            found |= {
                visit.node_id: visit.outcome or None for visit in self._visits([instance.pk]) if not visit.replaced
            }
        return found

    def attempts(self) -> dict[str, int]:
        return {node_id: visit.attempts for node_id, visit in self._latest.items()}

    def visits(self) -> list[str]:
        """Steps in the order in which their visits began; what never ran and containers are left out."""
        found = self._visits([self._id])
        return [
            visit.node_id for visit in found if visit.kind not in CONTAINER_KINDS and visit.outcome != Outcome.NOT_RUN
        ]

    def output(self) -> Any:
        return self.instance.output

    def steps(self) -> dict[str, Any]:
        """What templates read as ``steps``: each node's latest ended visit's output, null unless it succeeded."""
        outputs = {visit.seq: visit.output for visit in self._visits([self._id])}
        bound = Binding.objects.filter(instance=self._id)
        return {each.node_id: outputs.get(each.seq) if each.outcome == Outcome.SUCCEEDED else None for each in bound}

    def error(self) -> Any:
        return self.instance.error

    def wait(self) -> dict[str, Any] | None:
        instance = self.instance
        if not instance.wait_kind:
            return None
        due = instance.wait_due
        due_in = None if due is None or self._clock is None else words(due - self._clock.now())
        return {"kind": instance.wait_kind, "step": instance.node_id, "due_in": due_in}

    def tasks(self) -> list[dict[str, Any]]:
        """Every inbox task of the run and its children, oldest first, with all that is recorded of it."""
        found = InboxTask.objects.filter(instance__in=[each.pk for each in self._tree]).order_by("id")
        fields = [field.attname for field in InboxTask._meta.concrete_fields]
        return [{name: getattr(task, name) for name in fields} | {"step": task.node_id} for task in found]

    def events(self) -> list[dict[str, Any]]:
        """The events of the run under test in order, each flat: its type, its node and what else it tells."""
        found = Event.objects.filter(instance=self._id).order_by("number")
        return [{**(event.data or {}), "node_id": event.node_id, "type": event.type} for event in found]

    def failure(self) -> Any:
        """The failure document; ``None`` for a run that has none."""
        try:
            return failure_document(self._id)
        except NotFound:
            return None

    def ignored(self) -> int:
        tree = [each.pk for each in self._tree]
        return Event.objects.filter(instance__in=tree, type="answer_ignored").count()

    def _visits(self, instances: list[UUID]) -> Iterator[Visit]:
        return iter(Visit.objects.filter(instance__in=instances).order_by("instance", "seq"))
