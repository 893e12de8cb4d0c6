"""Whatever is killed at whatever moment: every run ends, and nothing that is recorded happens again.

These are the guarantees at the end of design/semantics.md. ``--chaos-kills`` and ``--chaos-instances`` make it longer.
"""

import random
import time
from collections.abc import Mapping, Sequence
from uuid import UUID

import pytest
from django.db.models import Count

from engine import inbox
from engine.models import InboxTask, Instance, Visit
from engine.ports_production import ports
from engine.states import TaskStatus
from tests.chaos import flow
from tests.chaos.effects.models import Effect
from tests.chaos.evidence import problems
from tests.chaos.havoc import PARENT, SENTINEL, WORKER, Cluster, running

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("effects")]

WORKERS = 3
PATIENCE = 180.0  # seconds for what is left when the last blow has fallen


def test_no_run_suffers_from_killed_workers(
    pytestconfig: pytest.Config, process_environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    blows = [WORKER] * pytestconfig.getoption("--chaos-kills", 20)
    runs = _start(pytestconfig.getoption("--chaos-instances", 200))
    with running(process_environment, "flowcluster", workers=WORKERS) as cluster:
        _carry_out(runs, blows, cluster)
    with capsys.disabled():
        print(_counts(cluster))
    assert problems(runs, cluster.killed) == []


def test_no_run_suffers_from_killed_clusters(
    process_environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    blows = [SENTINEL, WORKER, PARENT, WORKER, SENTINEL, PARENT]
    runs = _start(60)
    with running(process_environment, "up", "--no-web", workers=WORKERS) as cluster:
        _carry_out(runs, blows, cluster)
    with capsys.disabled():
        print(_counts(cluster))
    assert problems(runs, cluster.killed) == []


def _start(count: int) -> dict[UUID, bool]:
    """Start so many runs; answers which of them are doomed to be rolled back."""
    version = flow.publish()
    doomed = [each % 4 == 0 for each in range(count)]
    return {flow.start(version, doomed=each, risky=random.random() < 0.5): each for each in doomed}


def _carry_out(runs: Mapping[UUID, bool], blows: Sequence[str], cluster: Cluster) -> None:
    """Answer what is asked, disturb, and deal the blows, spread evenly over the work, until all runs have ended."""
    due = list(reversed(blows))
    deadline = time.monotonic() + PATIENCE
    while Instance.objects.filter(id__in=runs, ended_at=None).exists() and time.monotonic() < deadline:
        _answer_all()
        _hint_twice()
        if due and _progress(runs) >= (len(blows) - len(due)) / (len(blows) + 1):
            _deal(due.pop(), cluster, in_call=len(due) % 2 == 0)
            deadline = time.monotonic() + PATIENCE
        time.sleep(0.03)
    time.sleep(1)


def _progress(runs: Mapping[UUID, bool]) -> float:
    """How much of the work is done, from 0 to about 1."""
    return Visit.objects.exclude(outcome="").count() / (len(runs) * flow.VISITS)


def _hint_twice() -> None:
    """Have workers look at runs that others are busy with: a message may be doubled without harm."""
    under_way = list(Instance.objects.filter(ended_at=None).values_list("id", flat=True))
    for run in random.sample(under_way, min(3, len(under_way))):
        ports().queue.hint(run)


def _deal(blow: str, cluster: Cluster, *, in_call: bool) -> None:
    """Every second worker is killed in a call, the others wherever they are: between two commits, or idle."""
    if blow == WORKER and in_call:
        cluster.kill_busy_worker(_busy)
    else:
        cluster.kill(blow)


def _busy() -> list[int]:
    return list(Effect.objects.filter(ended=None).values_list("pid", flat=True))


def _answer_all() -> None:
    for task in InboxTask.objects.filter(status=TaskStatus.PENDING):
        inbox.complete(task.id, by=f"/users/{flow.PERSON}", response={"action": "approve"}, ports=ports())


def _counts(cluster: Cluster) -> str:
    """What was dealt out, and what it hit."""
    blows = ", ".join(f"{cluster.blows.count(role)} x {role}" for role in dict.fromkeys(cluster.blows))
    runs = dict(Instance.objects.values_list("status").annotate(Count("id")).order_by())
    calls, cut_off = Effect.objects.count(), Effect.objects.filter(ended=None).count()
    return f"\nkilled: {blows}; runs: {runs}; calls: {calls}, of which a kill cut off {cut_off}"
