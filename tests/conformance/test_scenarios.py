"""Every scenario is a test of its own, on the database of this run.

``expected_failures.yaml`` names those that wait for a capability which is still to come; one that passes all the same
fails the suite, so the list only gets shorter.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.models import Instance
from engine.scenarios.document import Scenario, find_files, read_file
from engine.scenarios.runner import run_all, run_scenario
from flows.models import Flow

HERE = Path(__file__).parent
SCENARIOS = {f"{file.name}::{each.name}": each for file in find_files([HERE]) for each in read_file(file)}
WAITING: dict[str, str] = {
    f"{entry['file']}::{entry['name']}": entry["waits_for"]
    for entry in yaml.safe_load((HERE / "expected_failures.yaml").read_text()) or []
}


def _parameters() -> Iterator[Any]:
    for name, scenario in SCENARIOS.items():
        waits = [pytest.mark.xfail(reason=f"waits for {WAITING[name]}", strict=True)] if name in WAITING else []
        yield pytest.param(scenario, id=name, marks=waits)


@pytest.mark.parametrize("scenario", list(_parameters()))
def test_scenario(scenario: Scenario, scenario_database: None) -> None:
    result = run_scenario(scenario)
    assert result.passed, "\n".join([f"{scenario.file}:{scenario.line}", *result.failures])


def test_whatever_is_said_to_wait_exists() -> None:
    assert WAITING.keys() <= SCENARIOS.keys()


@pytest.mark.django_db(transaction=True)
def test_scenarios_leave_nothing_behind() -> None:
    first = next(iter(SCENARIOS.values()))
    list(run_all(iter([first])))
    assert not Instance.objects.exists() and not Flow.objects.exists()
