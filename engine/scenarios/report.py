"""How results are told: lines for people, one JSON object a scenario for programs."""

import json

from engine.scenarios.runner import ScenarioResult


def lines(result: ScenarioResult) -> list[str]:
    """One line a failed expectation, with the place of the scenario; none for one that passed."""
    return [f"{result.file}:{result.line}: {result.name}: {failure}" for failure in result.failures]


def as_json(result: ScenarioResult) -> str:
    """The result as one line of JSON."""
    return json.dumps(
        {"file": str(result.file), "name": result.name, "passed": result.passed, "failures": list(result.failures)},
        ensure_ascii=False,
    )


def summary(passed: int, failed: int) -> str:
    """The last line of a report."""
    return f"{passed} passed, {failed} failed"
