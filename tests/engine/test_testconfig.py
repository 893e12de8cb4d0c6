"""What is said to a test configuration that does not fit: which member it is about, and what is wrong with it."""

import pytest

from engine.testconfig import SCHEMA, is_compressed, is_discarded, is_isolated, problems_of

CHARGE = 'test_config.mock_functions["/lib/charge"]'


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"isolated_branch": False, "auto_discard": False, "default_behavior": "mock_output", "time": "compressed"},
        {"mock_functions": {"/lib/charge": {}}, "mock_agents": {"/agents/a": {"behavior": "passthrough"}}},
        {"mock_functions": {"/lib/charge": [{"mock_delay_ms": 5}, {"behavior": "mock_error", "mock_error": {}}]}},
        {"mock_tasks": {"approve": {"response": {"action": "approve"}}, "late": [{"behavior": "expire"}]}},
    ],
)
def test_a_configuration_that_fits_has_no_problems(config) -> None:
    assert problems_of(config) == []


@pytest.mark.parametrize(
    ("config", "field", "words"),
    [
        ([], "test_config", "is not of type 'object'"),
        ({"mock_function": {}}, "test_config", "'mock_function' was unexpected"),
        ({"time": "fast"}, "test_config.time", "'fast' is not one of"),
        ({"auto_discard": "yes"}, "test_config.auto_discard", "is not of type 'boolean'"),
        ({"mock_functions": []}, "test_config.mock_functions", "is not of type 'object'"),
        ({"mock_functions": {"charge": {}}}, 'test_config.mock_functions["charge"]', "such as /lib/charge"),
        ({"mock_functions": {"/lib/charge": "real"}}, CHARGE, "is not of type 'object'"),
        ({"mock_functions": {"/lib/charge": []}}, CHARGE, "at least one behaviour"),
        ({"mock_functions": {"/lib/charge": {"behavior": "mock"}}}, f"{CHARGE}.behavior", "'mock' is not one of"),
        ({"mock_functions": {"/lib/charge": [{}, {"output": 1}]}}, f"{CHARGE}[1]", "'output' was unexpected"),
        (
            {"mock_functions": {"/lib/charge": {"mock_error": {"status": "402"}}}},
            f"{CHARGE}.mock_error.status",
            "is not of type 'integer'",
        ),
        (
            {"mock_tasks": {"ask": {"behavior": "ask"}}},
            'test_config.mock_tasks["ask"].behavior',
            "'ask' is not one of",
        ),
        ({"mock_tasks": {"ask": [{"answer": 1}]}}, 'test_config.mock_tasks["ask"][0]', "'answer' was unexpected"),
        (
            {"mock_agents": {"/agents/a": {"mock_delay_ms": -1}}},
            'test_config.mock_agents["/agents/a"].mock_delay_ms',
            "-1 is less than the minimum",
        ),
    ],
)
def test_a_problem_names_its_member(config, field, words) -> None:
    (problem,) = problems_of(config)
    assert problem["field"] == field
    assert words in problem["message"]


def test_every_problem_is_told_at_once() -> None:
    config = {"time": "fast", "mock_functions": {"/lib/charge": {"behavior": "mock"}}}
    assert [each["field"] for each in problems_of(config)] == ["test_config.time", f"{CHARGE}.behavior"]


def test_a_test_run_is_isolated_discarded_and_in_real_time_unless_it_says_otherwise() -> None:
    assert (is_isolated(None), is_discarded({}), is_compressed({})) == (True, True, False)
    said = {"isolated_branch": False, "auto_discard": False, "time": "compressed"}
    assert (is_isolated(said), is_discarded(said), is_compressed(said)) == (False, False, True)


def test_readers_are_told_the_defaults_in_force() -> None:
    told = {name: part["default"] for name, part in SCHEMA["properties"].items() if "default" in part}
    assert told == {
        "isolated_branch": True,
        "auto_discard": True,
        "default_behavior": "real",
        "time": "real",
    }
