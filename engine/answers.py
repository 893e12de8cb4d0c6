"""What functions and agents answered in runs, out of the record: to be pinned in a mock, or played again in a scenario.

A visit keeps what came of it, and an agent's answer is no longer in it as it was given: it is told as one that would lead there.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Length

from engine.models import Attempt, Compensation, InboxTask, Instance, Visit
from engine.states import AttemptResult, CompensationState
from flows import kinds

RUNS_READ: Final = 20
"""The newest real runs in which a flow's answers are looked for."""
LARGEST: Final = 50_000
"""Characters of JSON in an answer that is pinned: it is there to be looked at and typed over."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The latest answer of a function or an agent in a real run."""

    output: Any
    run: UUID
    at: datetime


class NotKept(Exception):
    """The record does not hold what was answered."""


def latest_answers(flow_id: int, paths: Collection[str]) -> dict[str, Pinned]:
    """By path, what each gave last in the newest real runs of a flow and their child runs; nothing where that is too large to be
    typed over. A few queries, whatever there is."""
    newest = Instance.objects.filter(flow=flow_id, is_test=False, parent=None).order_by("-pk")
    roots = list(newest.values_list("pk", flat=True)[:RUNS_READ])
    family = list(Instance.objects.filter(Q(pk__in=roots) | Q(root__in=roots)).values_list("pk", flat=True))
    called = Attempt.objects.filter(instance__in=family, path__in=paths, result=AttemptResult.SUCCEEDED)
    attempts = called.only("instance_id", "visit_seq", "path", "ended_at").order_by("path", "-ended_at")
    newest_of: dict[str, Attempt] = {}
    for each in attempts:
        newest_of.setdefault(each.path, each)
    found = {path: pinned for path, each in newest_of.items() if (pinned := _pinned(each)) is not None}
    undone = Compensation.objects.filter(instance__in=family, path__in=paths, state=CompensationState.DONE)
    for row in undone.alias(size=Length("result")).exclude(size__gt=LARGEST).order_by("ended_at"):
        if row.path not in newest_of and row.ended_at is not None:
            found[row.path] = Pinned(row.result, row.instance_id, row.ended_at)
    return found


def _pinned(attempt: Attempt) -> Pinned | None:
    visits = Visit.objects.filter(instance=attempt.instance_id, seq=attempt.visit_seq)
    visit = visits.alias(size=Length("output")).exclude(size__gt=LARGEST).first()
    if visit is None:
        return None
    try:
        answer = answer_of(visit, attempt)
    except NotKept:
        return None
    return None if attempt.ended_at is None else Pinned(answer, attempt.instance_id, attempt.ended_at)


def answer_of(visit: Visit, attempt: Attempt) -> Any:
    """What the attempt that ended this visit well was answered. Raises :class:`NotKept`."""
    if visit.kind == kinds.FUNCTION:
        return visit.output
    if visit.kind == kinds.HUMAN_TASK:
        return _decision(visit, attempt)
    output: Mapping[str, Any] = visit.output if isinstance(visit.output, Mapping) else {}
    match visit.kind:
        case kinds.AI_AGENT:
            return {name: value for name, value in output.items() if name != "agent_run_id"}
        case kinds.AI_SEQUENCE if output.get("iterations") == 1:
            return {"response": output.get("response")}
        case kinds.OR:
            return _choice(visit, output)
        case kinds.COMPETITION if output.get("rounds") == 1:
            return {"action": "accept", **{name: output.get(name) for name in ("winner", "confidence", "reasoning")}}
    raise NotKept


def _choice(visit: Visit, output: Mapping[str, Any]) -> dict[str, Any]:
    """A router's: its record is the container's output, or that of a node of its own where rules were asked first."""
    if "routed_to" not in output:
        own = Visit.objects.filter(instance=visit.instance_id, node_id=f"{visit.node_id}__router", seq__gt=visit.seq)
        output = own.order_by("seq").values_list("output", flat=True).first() or {}
    if "routed_to" not in output:
        raise NotKept
    told = {"reasoning": output.get("reasoning"), "confidence": output.get("confidence")}
    return {"branch": output["routed_to"] if output.get("routed_by_agent") else None, **told}


def _decision(visit: Visit, attempt: Attempt) -> dict[str, Any]:
    """An agent's that decided a task."""
    task = InboxTask.objects.filter(instance=visit.instance_id, visit_seq=visit.seq, completed_by=attempt.path).first()
    if task is None or not isinstance(task.response, Mapping):
        raise NotKept
    told = {"reasoning": task.response.get("comment"), "confidence": task.response.get("confidence")}
    if task.task_type == "approval":
        return {"decision": task.response.get("action"), **told}
    return {"value": task.response.get("value"), **told}
