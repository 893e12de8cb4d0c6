"""Plays scenarios and says what came of them."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.scenarios import definitions
from engine.scenarios.actions import perform
from engine.scenarios.cleaning import clean
from engine.scenarios.document import Action, Scenario
from engine.scenarios.errors import Unrunnable
from engine.scenarios.expectations import unmet
from engine.scenarios.play import Play, refusal_of
from engine.scenarios.stage import Stage

log = logging.getLogger("sultana.scenarios")


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """What came of a scenario: one line in ``failures`` for each expectation that was not met."""

    name: str
    file: Path
    line: int
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failures


def run_scenario(scenario: Scenario) -> ScenarioResult:
    """Play one scenario on the default database, which must hold no runs but those of scenarios: they are deleted."""
    clean()
    try:
        failures = tuple(_play(scenario))
    except Unrunnable as error:
        failures = (str(error),)
    except Exception as error:  # a fault of the engine fails this scenario, the next one still runs
        log.exception("%s:%s: %s", scenario.file, scenario.line, scenario.name)
        failures = (f"the engine raised {type(error).__name__}: {error}",)
    return ScenarioResult(scenario.name, scenario.file, scenario.line, failures)


def run_all(scenarios: Iterator[Scenario]) -> Iterator[ScenarioResult]:
    """Play scenarios one after the other; nothing is left in the database after the last."""
    try:
        yield from map(run_scenario, scenarios)
    finally:
        clean()


def _play(scenario: Scenario) -> Iterator[str]:
    yield from _other_flows(scenario)
    play = Play(scenario, Stage(scenario))
    if play.is_rejected:
        if "rejected" not in scenario.expect:
            yield "the doctor refuses the flow: " + "; ".join(str(each) for each in play.findings if each.is_error)
    else:
        yield from _attempt(play, None, "start", _next_expect(scenario, 0))
        for index, action in enumerate(scenario.do):
            yield from _do(play, index, action)
    yield from unmet(scenario.expect, play)


def _do(play: Play, index: int, action: Action) -> Iterator[str]:
    at = f"do[{index}]"
    if action.kind == "expect":
        yield from (f"{at} {line}" for line in unmet(action.data, play))
    else:
        yield from _attempt(play, action, f"{at} {action.kind}", _next_expect(play.scenario, index + 1))


def _attempt(play: Play, action: Action | None, at: str, expected_next: Mapping[str, Any]) -> Iterator[str]:
    """Do it; a refusal is a failure unless the expectation that follows asks for one."""
    play.refusal = None
    try:
        if action is None:
            play.start()
        else:
            perform(action, play)
    except EngineError as error:
        play.refusal = refusal_of(error)
        if "refused" not in expected_next:
            yield f"{at}: refused: {play.refusal}"


def _next_expect(scenario: Scenario, index: int) -> Mapping[str, Any]:
    """The expectation that follows at once: the next entry of ``do``, or the last one when there are no more."""
    if index == len(scenario.do):
        return scenario.expect
    following = scenario.do[index]
    return following.data if following.kind == "expect" else {}


def _other_flows(scenario: Scenario) -> Iterator[str]:
    """The doctor's errors in the flows beside the one under test."""
    for path in scenario.flows:
        for finding in definitions.findings(scenario, path):
            if finding.is_error:
                yield f"flows.{path}: the doctor refuses it: {finding}"
