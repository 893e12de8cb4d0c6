"""What people did to a run, out of the record, as the ``do`` of a scenario: answers, events, words in a chat, time run out."""

import math
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from jsonschema import Draft202012Validator

from engine.errors import Conflict
from engine.models import InboxTask, Resolution, Visit
from engine.scenarios.recording import AGENTS, Record
from engine.states import ResolutionKind, ResolutionState, Status, TaskStatus, WaitKind
from flows import kinds

MET_AGAIN: Final = (WaitKind.HUMAN_TASK, WaitKind.EVENT, WaitKind.CHAT)
Deed: TypeAlias = tuple[datetime, dict[str, Any]]


def deeds_of(record: Record) -> list[dict[str, Any]]:
    """The actions in their order. Raises ``Conflict`` for what no action can tell."""
    return [action for _, action in sorted(_Deeds(record).all(), key=lambda each: each[0])]


class _Deeds:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.run = record.run

    def all(self) -> Iterator[Deed]:
        for task in self.record.tasks:
            if task.status == TaskStatus.COMPLETED and not task.completed_by.startswith(AGENTS) and task.responded_at:
                told = {"step": task.node_id, "by": task.assignee, "response": _response(task)}
                yield task.responded_at, {"complete": told}
        for visit in self.record.visits.values():
            yield from self._passed(visit)
            yield from self._said(visit)
        yield from self._decided()
        yield from self._cancelled()

    def _decided(self) -> Iterator[Deed]:
        """What somebody decided of a failure, where it was carried out."""
        decisions = Resolution.objects.filter(instance=self.run).exclude(state=ResolutionState.REFUSED).order_by("id")
        for each in decisions:
            if each.kind == ResolutionKind.ABANDON:
                yield each.at, {"abandon": {}}
            else:
                told = {"ack": each.ack} if each.ack else {}
                yield each.at, {"resume_failed": {**told, **({} if each.result is None else {"result": each.result})}}

    def _passed(self, visit: Visit) -> Iterator[Deed]:
        """Waits for people and events that ended: the event came, or the time for it was over."""
        if visit.ended_at is None:
            return
        output = visit.output if isinstance(visit.output, Mapping) else {}
        if visit.kind == kinds.WAIT and "event" in output:
            yield visit.ended_at, {"resume": {"step": visit.node_id, "data": output["event"]}}
        elif (visit.error or {}).get("error_type") == "timeout":
            span = self._span(visit)
            if span:
                yield visit.ended_at, {"advance": f"{math.ceil(span) + 1}s"}

    def _span(self, visit: Visit) -> float:
        """How long the wait may have taken; 0 for a call, whose deadline passes by itself."""
        given = [
            task.due_in_seconds or 0.0
            for task in self.record.tasks
            if (task.instance_id, task.visit_seq) == (visit.instance_id, visit.seq)
            and task.status == TaskStatus.EXPIRED
        ]
        if given:
            return max(given)
        is_event = visit.kind == kinds.WAIT and visit.ended_at is not None
        return (visit.ended_at - visit.started_at).total_seconds() if is_event and visit.ended_at else 0.0

    def _said(self, visit: Visit) -> Iterator[Deed]:
        """What the user of a chat said; a first message that came with the input is said by itself."""
        if visit.kind != kinds.CHAT:
            return
        messages = [each for each in (visit.entry or {}).get("messages") or () if each.get("role") == "user"]
        saved = [
            each.at
            for each in self.record.events
            if (each.instance_id, each.visit_seq) == (visit.instance_id, visit.seq) and each.data.get("role") == "user"
        ]
        said = list(zip(saved, messages, strict=False))
        if said and said[0][1]["content"] == (self.run.input or {}).get("message"):
            said = said[1:]
        for at, message in said:
            yield at, {"resume": {"step": visit.node_id, "data": {"message": message["content"]}}}

    def _cancelled(self) -> Iterator[Deed]:
        own = [each for each in self.record.events if each.instance_id == self.run.pk]
        held = [each for each in own if each.type == "flow_held"]
        if self.run.cancel_requested and self.run.status == Status.ROLLED_BACK:
            raise Conflict("This run was cancelled and rolled back, which a scenario cannot ask for.")
        if self.run.status != Status.CANCELLED or self.run.ended_at is None:
            return
        if not held and not self._rested_on_people():
            raise Conflict(
                "This run was cancelled while it waited for a time or an answer; a scenario passes over that."
            )
        yield self.run.ended_at, {"cancel": {}}

    def _rested_on_people(self) -> bool:
        """Whether the cancelled run, or a child of it, waited for somebody or an event: only there can it be met again."""
        latest = {
            each.instance_id: each for each in self.record.events if each.type in ("flow_waiting", "flow_resumed")
        }
        return any(each.data.get("wait_type") in MET_AGAIN for each in latest.values())


def _response(task: InboxTask) -> Any:
    """The answer as it was given: one that is no object is kept as ``{value}``."""
    response: Any = task.response
    is_wrapped = task.task_type == "input" and isinstance(response, Mapping) and set(response) == {"value"}
    if is_wrapped and task.input_schema is not None:
        return response if Draft202012Validator(task.input_schema).is_valid(response) else response["value"]
    return response
