"""A run that is copied as a scenario: the file is read, and passes when it is played."""

import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import Conflict
from engine.models import Instance
from engine.scenarios.clock import VirtualClock
from engine.scenarios.copying import as_scenario
from engine.scenarios.document import Scenario, read_file
from engine.scenarios.runner import ScenarioResult, run_scenario
from tests.conformance.test_scenarios import SCENARIOS, WAITING

pytestmark = pytest.mark.django_db(transaction=True)
FILES = (
    "order-fulfilment",
    "employee-onboarding",
    "nightly-report",
    "refund-triage",
    "raisin-agents",
    "raisin-parallel",
    "recovery-undo",
    "recovery-reconcile",
)
PLAYABLE = [
    pytest.param(each, id=name)
    for name, each in SCENARIOS.items()
    if name not in WAITING and "rejected" not in each.expect and name.startswith(FILES)
]


def again(run: Instance, folder: Path) -> ScenarioResult:
    """Copy the run, and play the copy."""
    file = folder / "copied.yaml"
    file.write_text(as_scenario(run))
    (scenario,) = read_file(file)
    return run_scenario(scenario)


@pytest.fixture(autouse=True)
def _time_passes(monkeypatch) -> None:
    """No two moments are the same, as on a real clock: that is what the order of a run's calls is read from."""
    ticks, now = itertools.count(), VirtualClock.now
    monkeypatch.setattr(VirtualClock, "now", lambda clock: now(clock) + timedelta(microseconds=next(ticks)))


@pytest.mark.parametrize("scenario", PLAYABLE)
def test_what_a_scenario_did_passes_when_it_is_copied(scenario: Scenario, tmp_path) -> None:
    run_scenario(scenario)
    run = Instance.objects.filter(parent=None).order_by("pk").first()
    if run is None:
        pytest.skip("nothing was started")
    try:
        result = again(run, tmp_path)
    except Conflict as refused:
        pytest.skip(refused.message)
    assert result.failures == ()
