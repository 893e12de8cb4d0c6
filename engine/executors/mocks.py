"""Answers in place of functions and agents, for test runs (reference/flow-format.md, section 10).

A mock stands where the real executor stands, so everything behind it, retries, deadlines and compensations, is the real thing.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

from django.db.models import Q, Sum

from engine.models import Attempt, Compensation, Instance, Undo
from engine.outcomes import Failed, Pending, Result, Succeeded, Unknown
from engine.ports import AGENT, Call, Clock, Executor
from engine.testconfig import behaviour_of, has_sequence, is_compressed

LONGEST_DELAY = 30.0
"""Seconds that ``mock_delay_ms`` can hold a worker."""


class MockingExecutor:
    """Asks ``real`` for everything that a call's test configuration leaves real."""

    def __init__(self, real: Executor, clock: Clock) -> None:
        self._real = real
        self._clock = clock

    def start(self, call: Call) -> Result | Pending:
        left = (call.deadline_at - self._clock.now()).total_seconds()
        return mocked(call, left) or self._real.start(call)


def mocked(call: Call, left: float = math.inf) -> Result | Pending | None:
    """The answer that stands in for this call, ``None`` for the real thing. ``left`` seconds are there for it: an answer that
    takes longer never comes."""
    mock = _mock_for(call)
    if mock is None:
        return None
    delay = min(float(mock.get("mock_delay_ms") or 0) / 1000, LONGEST_DELAY)
    if delay >= left:
        return Pending()
    if not is_compressed(call.test_config):
        time.sleep(delay)
    return _answer(mock, call)


def _mock_for(call: Call) -> Mapping[str, Any] | None:
    """The behaviour that applies to this call, ``None`` for the real thing."""
    if call.test_config is None:
        return None
    before = _calls_before(call) if has_sequence(call.test_config, call.path) else 0
    mock = behaviour_of(call.test_config, call.path, before)
    return None if mock.get("behavior", "real") == "real" else mock


def _calls_before(call: Call) -> int:
    """How often the run and its child runs have called this path before: what is recorded, so that it survives a worker."""
    root = Instance.objects.filter(pk=call.instance_id).values_list("root_id", flat=True).first() or call.instance_id
    family = Instance.objects.filter(Q(pk=root) | Q(root=root)).values("pk")
    attempts = Attempt.objects.filter(instance__in=family, path=call.path).count()
    for model in (Compensation, Undo):
        rows = model._default_manager.filter(instance__in=family, path=call.path)
        attempts += int(rows.aggregate(Sum("attempts"))["attempts__sum"] or 0)
    return attempts - 1


def _answer(mock: Mapping[str, Any], call: Call) -> Result | Pending:
    match mock["behavior"]:
        case "passthrough":
            has_own = call.kind != AGENT and call.arguments  # what an agent is asked is no argument of the step
            return Succeeded(call.arguments if has_own else call.input)
        case "mock_output":
            return Succeeded(mock.get("mock_output"))
        case "mock_timeout":
            return Pending()  # nobody answers; the call's deadline passes
        case "mock_unknown":
            return Unknown(str(mock.get("message") or "No answer came (mocked)."), "connection_lost")
        case "mock_error":
            error = mock.get("mock_error") or {}
            return Failed(
                str(error.get("message") or "Failed (mocked)."),
                error.get("code"),
                error.get("status"),
                error.get("retry_after"),
            )
        case other:
            return Failed(f"There is no mock behaviour {other}.", "unknown_mock_behavior")
