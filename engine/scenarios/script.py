"""What functions and agents answer in a scenario, call by call, and a record of how they were called."""

import builtins
import traceback
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.executors.library import PLAIN, argument_problem, names_of
from engine.models import Wakeup
from engine.outcomes import Failed, Pending, Result, Succeeded, Unknown
from engine.ports import Call, Clock
from flows.durations import parse_duration

LOST_CONNECTION = "connection_lost"


class WorkerDied(BaseException):
    """Stands for the death of a worker in a call. No ``except Exception`` on the way to the pump may survive it."""


@dataclass(frozen=True, slots=True)
class Made:
    """One call as it was made."""

    path: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A call whose answer is still to come: ``result`` at ``due_at``, or never.

    ``after_wakeup`` is the newest wake-up there was when the call was made: of an answer and a wake-up that come due
    at the same moment, the older one comes first.
    """

    instance_id: UUID
    visit_seq: int
    attempt: int
    due_at: datetime | None
    result: Result | None
    after_wakeup: int


class ScriptedExecutor:
    """Implements :class:`engine.ports.Executor`: consecutive calls of a path take its answers, the last one repeats.

    A path that no script names is a function that the library does not have. ``made`` tells the calls that were made.
    """

    def __init__(
        self,
        scripts: Mapping[str, Sequence[Mapping[str, Any]]],
        manifests: Mapping[str, Mapping[str, Any] | None],
        clock: Clock,
    ) -> None:
        self._scripts = scripts
        self._manifests = manifests
        self._clock = clock
        self._taken: dict[str, int] = {}
        self.made: list[Made] = []
        self.outstanding: list[Outstanding] = []

    def start(self, call: Call) -> Result | Pending:
        if call.path not in self._scripts:
            return Failed(f"There is no function {call.path} in the library.", code="function_not_found")
        problem = argument_problem(call.path, call.arguments, self._manifests.get(call.path))
        if problem is not None:
            return Failed(problem, "invalid_arguments", error_type="validation")
        self.made.append(Made(call.path, call.arguments))
        answer = self._next(call.path)
        if "crash" in answer:
            raise WorkerDied(f"The worker died in {call.path}.")
        if "hang" in answer:
            return self._later(call, None, None)
        result = result_of(answer)
        if "takes" in answer:
            return self._later(call, self._clock.now() + parse_duration(answer["takes"]), result)
        return result

    def next_due(self) -> Outstanding | None:
        """The answer that comes next: the earliest, of those the first call's."""
        return min((each for each in self.outstanding if each.due_at), key=_due_at, default=None)

    def forget(self, calls: Iterable[Outstanding]) -> None:
        """Drop calls that are answered or lost."""
        gone = set(map(id, calls))
        self.outstanding = [each for each in self.outstanding if id(each) not in gone]

    def _next(self, path: str) -> Mapping[str, Any]:
        answers, taken = self._scripts[path], self._taken.get(path, 0)
        self._taken[path] = taken + 1
        return answers[min(taken, len(answers) - 1)]

    def _later(self, call: Call, due_at: datetime | None, result: Result | None) -> Pending:
        newest = Wakeup.objects.order_by("-id").values_list("id", flat=True).first()
        self.outstanding.append(
            Outstanding(call.instance_id, call.visit_seq, call.attempt, due_at, result, newest or 0)
        )
        return Pending()


def result_of(answer: Mapping[str, Any]) -> Result:
    """The result that an answer with ``return``, ``fail``, ``unknown`` or ``raise`` stands for."""
    if "return" in answer:
        return Succeeded(deepcopy(answer["return"]))
    if "unknown" in answer:
        return Unknown(answer["unknown"], code=LOST_CONNECTION)
    if "raise" in answer:
        return _raised(answer["raise"])
    failure = answer["fail"]
    return Failed(failure) if isinstance(failure, str) else Failed(**failure)


def _due_at(call: Outstanding) -> datetime:
    assert call.due_at is not None
    return call.due_at


def _raised(name: str) -> Failed:
    """The failure that an exception out of user code becomes: its class name is its code."""
    kind = getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(name, (Exception,), {})
    error = kind(f"{name} out of the function")
    text = "".join(traceback.format_exception_only(error))
    return Failed(PLAIN, code=name, traceback=text, raised=names_of(kind))
