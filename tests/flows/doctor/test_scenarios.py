from typing import Any

import pytest

from flows.doctor import Finding, Known, check
from tests.flows import corpus

SCENARIOS = dict(corpus.scenarios())


def findings_of(scenario: dict[str, Any]) -> list[Finding]:
    """What the scenario runner's doctor says: the library holds what the scenario declares and nothing else."""
    functions = {path: (each or {}).get("manifest") for path, each in (scenario.get("functions") or {}).items()}
    agents = dict.fromkeys(scenario.get("agents") or {}, ())
    library = Known(functions, agents, scenario.get("flows") or {})
    return check(scenario["flow"], library=library, flow_path=scenario.get("flow_path", "/flows/under-test"))


def pairs(expected: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(each.get("node", ""), each["code"]) for each in expected]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_refused_for_exactly_what_it_says(name):
    errors = [each for each in findings_of(SCENARIOS[name]) if each.is_error]
    expected = (SCENARIOS[name].get("expect") or {}).get("rejected", [])
    assert [(each.node, each.code) for each in errors] == pairs(expected)


@pytest.mark.parametrize("name", [name for name in SCENARIOS if "warnings" in (SCENARIOS[name].get("expect") or {})])
def test_a_scenario_is_warned_about_exactly_what_it_says(name):
    warnings = [each for each in findings_of(SCENARIOS[name]) if each.severity == "warning"]
    assert [(each.node, each.code) for each in warnings] == pairs(SCENARIOS[name]["expect"]["warnings"])
