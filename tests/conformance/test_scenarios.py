"""Every scenario is a test of its own, on the database of this run.

``expected_failures.yaml`` names those that wait for a capability which is still to come; one that passes all the same
fails the suite, so the list only gets shorter.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.models import Instance
from engine.scenarios.document import Action, Scenario, find_files, read_file
from engine.scenarios.runner import run_all, run_scenario
from flows.models import Flow

HERE = Path(__file__).parent
SCENARIOS = {f"{file.name}::{each.name}": each for file in find_files([HERE]) for each in read_file(file)}
WAITING: dict[str, str] = {
    f"{entry['file']}::{entry['name']}": entry["waits_for"]
    for entry in yaml.safe_load((HERE / "expected_failures.yaml").read_text()) or []
}


def _all() -> Iterator[Any]:
    for name, scenario in SCENARIOS.items():
        waits = [pytest.mark.xfail(reason=f"waits for {WAITING[name]}", strict=True)] if name in WAITING else []
        yield pytest.param(scenario, id=name, marks=waits)


def _quick() -> Iterator[Any]:
    for name, scenario in SCENARIOS.items():
        if name not in WAITING and _is_quick(scenario):
            yield pytest.param(scenario, id=name)


def _is_quick(scenario: Scenario) -> bool:
    """Whether no call of it is out while it rests: a worker's death then changes nothing that can be seen."""
    return not any(answer.keys() & {"takes", "hang"} for answers in scenario.scripts.values() for answer in answers)


def _with_deaths(scenario: Scenario) -> Scenario:
    """The same scenario with every worker dying, and every message coming again, before and after each action."""
    deaths = (Action("restart", {}), Action("duplicate", {}))
    woven: list[Action] = []
    for action in scenario.do:
        answers_for_the_last = action.kind == "expect" and "refused" in action.data
        woven += [action] if answers_for_the_last else [*deaths, action]
    return replace(scenario, do=(*woven, *(() if "refused" in scenario.expect else deaths)))


@pytest.mark.parametrize("scenario", list(_all()))
def test_scenario(scenario: Scenario, transactional_db: None) -> None:
    result = run_scenario(scenario)
    assert result.passed, "\n".join([f"{scenario.file}:{scenario.line}", *result.failures])


@pytest.mark.parametrize("scenario", list(_quick()))
def test_scenario_with_dying_workers(scenario: Scenario, transactional_db: None) -> None:
    result = run_scenario(_with_deaths(scenario))
    assert result.passed, "\n".join([f"{scenario.file}:{scenario.line}", *result.failures])


def test_whatever_is_said_to_wait_exists() -> None:
    assert WAITING.keys() <= SCENARIOS.keys()


@pytest.mark.django_db(transaction=True)
def test_scenarios_leave_nothing_behind() -> None:
    first = next(iter(SCENARIOS.values()))
    list(run_all(iter([first])))
    assert not Instance.objects.exists() and not Flow.objects.exists()
