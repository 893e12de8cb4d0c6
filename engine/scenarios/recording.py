"""The calls of a run and its child runs, out of the record, as a scenario tells them: what was called with what, and the answer.

A mock's answer is taken from the run's test configuration, a real one from what the record holds of it (:mod:`engine.answers`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.db.models import Q

from engine.answers import NotKept, answer_of
from engine.executors.library import PLAIN
from engine.models import Attempt, Compensation, Event, InboxTask, Instance, Undo, Visit
from engine.states import AttemptResult, CompensationState
from engine.testconfig import behaviour_of
from flows.layout import PROBE

Answer: TypeAlias = dict[str, Any]
AGENTS: Final = "/agents/"
UNMADE: Final = ("invalid_arguments", "function_not_found")
"""Codes of calls that failed before anything was called: the scenario's library refuses them by itself."""
HANG: Final[Answer] = {"hang": True}


@dataclass(frozen=True, slots=True)
class Made:
    """One call that was made. ``answer`` is ``None`` where the record does not hold what was answered."""

    path: str
    arguments: Mapping[str, Any]
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class _Told:
    """A call before it is known how many came before it: what it gave if it was real, and what it is sorted by."""

    order: tuple[Any, ...]
    path: str
    arguments: Any
    real: Answer | None


class Record:
    """One run with its child runs; everything is read when it is asked for, and once."""

    def __init__(self, run: Instance) -> None:
        self.run = run

    @cached_property
    def family(self) -> list[Instance]:
        """The run first, then its children, oldest first."""
        found = Instance.objects.filter(Q(pk=self.run.pk) | Q(root=self.run.pk)).select_related("flow", "version")
        return list(found.order_by("pk"))

    @cached_property
    def ids(self) -> list[UUID]:
        return [each.pk for each in self.family]

    @cached_property
    def visits(self) -> dict[tuple[UUID, int], Visit]:
        found = Visit.objects.filter(instance__in=self.ids).order_by("instance", "seq")
        return {(each.instance_id, each.seq): each for each in found}

    @cached_property
    def attempts(self) -> list[Attempt]:
        found = Attempt.objects.filter(instance__in=self.ids).exclude(path="")
        return list(found.order_by("instance", "visit_seq", "number"))

    @cached_property
    def tasks(self) -> list[InboxTask]:
        return list(InboxTask.objects.filter(instance__in=self.ids).order_by("id"))

    @cached_property
    def events(self) -> list[Event]:
        told = ("message_saved", "flow_cancelled", "flow_held")
        return list(Event.objects.filter(instance__in=self.ids, type__in=told).order_by("at", "number"))

    @property
    def has_branches(self) -> bool:
        """Whether some runs went side by side, so that the order of their calls is nobody's promise."""
        return any(each.branch is not None for each in self.family)

    def calls(self) -> list[Made]:
        """Every call in its order; where branches ran side by side, one branch after the other."""
        places: dict[str, int] = {}
        made = []
        for told in sorted(self._told(), key=lambda each: each.order):
            place = places[told.path] = places.get(told.path, -1) + 1
            answer = self._mocked(told, place) or told.real
            if answer is not None and answer.get("fail", {}).get("code") in UNMADE:
                continue
            made.append(Made(told.path, told.arguments if isinstance(told.arguments, Mapping) else {}, answer))
        return made

    def _mocked(self, told: _Told, place: int) -> Answer | None:
        """What a mock answered; ``None`` for a real call."""
        if not self.run.is_test:
            return None
        mock = behaviour_of(self.run.test_config, told.path, place)
        match mock.get("behavior", "real"):
            case "mock_output":
                return {"return": mock.get("mock_output")}
            case "passthrough":
                return {"return": told.arguments or self.run.input}
            case "mock_timeout":
                return HANG
            case "mock_unknown":
                return {"unknown": str(mock.get("message") or "No answer came (mocked).")}
            case "mock_error":
                return {"fail": {"message": "Failed (mocked).", **(mock.get("mock_error") or {})}}
        return None

    def _told(self) -> Iterator[_Told]:
        yield from self._forward()
        rows: Sequence[Compensation | Undo] = [
            *Compensation.objects.filter(instance__in=self.ids, attempts__gt=0, child=None).order_by("-position"),
            *Undo.objects.filter(instance__in=self.ids, attempts__gt=0).order_by("place"),
        ]
        for number, row in enumerate(rows):
            arguments = row.input if isinstance(row, Compensation) else row.arguments
            for attempt in range(row.attempts):
                last = attempt == row.attempts - 1
                yield _Told(
                    (*self._when(row.started_at), 1, number, attempt), row.path, arguments, _taken_back(row, last)
                )

    def _forward(self) -> Iterator[_Told]:
        for number, attempt in enumerate(self.attempts):
            order = (*self._when(attempt.started_at, attempt), 0, number, 0)
            yield _Told(order, attempt.path, attempt.arguments, self._real(attempt))

    def _when(self, at: datetime | None, attempt: Attempt | None = None) -> tuple[Any, ...]:
        """By time; of branches, in the order in which one after the other would be driven."""
        if not self.has_branches or attempt is None:
            return (2 if self.has_branches else 1, (), at or self.run.created_at)
        return (1, self._way_to(attempt), at)

    def _way_to(self, attempt: Attempt) -> tuple[tuple[int, str], ...]:
        """The visits and runs that lead from the run to an attempt: sorted, they are depth first."""
        by_id = {each.pk: each for each in self.family}
        way, instance = [(attempt.visit_seq, "")], by_id[attempt.instance_id]
        while instance.parent_id is not None:
            way.append((instance.parent_visit or 0, str(instance.pk)))
            instance = by_id[instance.parent_id]
        return tuple(reversed(way))

    def _real(self, attempt: Attempt) -> Answer | None:
        if self._was_reconciled(attempt):
            return {"unknown": "No answer came."}  # its result is what the probes found
        if (attempt.error or {}).get("error_type") == "timeout":
            return HANG
        match attempt.result:
            case AttemptResult.SUCCEEDED:
                return self._returned(attempt)
            case AttemptResult.FAILED:
                return _failed(attempt.error)
            case AttemptResult.UNKNOWN:
                return {"unknown": str((attempt.error or {}).get("message") or "No answer came.")}
            case AttemptResult.WORKER_LOST:
                return {"crash": True}
        return HANG

    def _was_reconciled(self, attempt: Attempt) -> bool:
        """Whether probes asked what became of the call: their visits began after it, and before the next try."""
        own = self.visits[attempt.instance_id, attempt.visit_seq]
        tries = self.starts[attempt.instance_id, attempt.visit_seq]
        later = [at for at in tries if at > attempt.started_at]
        return any(
            attempt.started_at <= each.started_at and not any(at <= each.started_at for at in later)
            for each in self.probes.get((attempt.instance_id, own.node_id), ())
        )

    @cached_property
    def starts(self) -> dict[tuple[UUID, int], list[datetime]]:
        """When each visit's attempts began."""
        found: dict[tuple[UUID, int], list[datetime]] = {}
        for each in self.attempts:
            found.setdefault((each.instance_id, each.visit_seq), []).append(each.started_at)
        return found

    @cached_property
    def probes(self) -> dict[tuple[UUID, str], list[Visit]]:
        """The visits of probes by the step whose outcome they look up."""
        found: dict[tuple[UUID, str], list[Visit]] = {}
        for each in self.visits.values():
            if PROBE in each.node_id:
                found.setdefault((each.instance_id, each.node_id.split(PROBE)[0]), []).append(each)
        return found

    def _returned(self, attempt: Attempt) -> Answer | None:
        visit = self.visits[attempt.instance_id, attempt.visit_seq]
        try:
            return {"return": answer_of(visit, attempt)} if attempt.number == visit.attempts else None
        except NotKept:
            return None


def _taken_back(row: Compensation | Undo, is_last: bool) -> Answer:
    """An answer to a compensation or an undo: of several tries only the end is kept, the others failed."""
    if is_last and row.state == CompensationState.DONE:
        return {"return": row.result}
    if is_last and row.state == CompensationState.RUNNING:
        return HANG
    return _failed(row.error)


def _failed(error: Any) -> Answer:
    """A failure as it was met; an exception out of user code as that exception."""
    known = error if isinstance(error, Mapping) else {}
    if known.get("message") == PLAIN and known.get("code"):
        return {"raise": str(known["code"])}
    told = {
        "message": str(known.get("message") or "It failed."),
        "code": known.get("code"),
        "status": known.get("status"),
    }
    return {"fail": {name: value for name, value in told.items() if value is not None}}
