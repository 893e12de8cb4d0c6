"""The flows in the gallery and the functions behind them fit together."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import demo
from demo import functions
from demo.seed import GROUPS, PEOPLE
from flows import registry

FOLDER = Path(demo.__file__).parent / "flows"
FLOWS = {
    path.stem: yaml.safe_load(path.read_text())["properties"]["workflow_data"]
    for path in sorted(FOLDER.glob("*.yaml"))
    if not path.name.endswith(".scenarios.yaml")
}
SCENARIOS = [
    scenario
    for path in sorted(FOLDER.glob("*.scenarios.yaml"))
    for scenario in yaml.safe_load_all(path.read_text())
    if scenario
]


def _nodes(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _nodes(node.get("children", []))


def _calls(flow: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(step, function, arguments) of each step, and of its compensation where that has arguments of its own."""
    for node in _nodes(flow["nodes"]):
        properties = node.get("properties", {})
        if "function_ref" in properties:
            yield node["id"], properties["function_ref"], properties.get("arguments", {})
        if "compensation_ref" in properties:
            forward = properties.get("arguments", {})
            given = properties.get("compensation_input_mapping", forward)
            yield node["id"], properties["compensation_ref"], given


CALLS = [(name, *call) for name, flow in FLOWS.items() for call in _calls(flow)]


def _schema(path: str, which: str) -> dict[str, Any]:
    found = registry.find(path)
    assert found is not None, f"{path} is not registered"
    schema: dict[str, Any] = found.manifest[which]
    return schema


def test_the_functions_are_those_the_flows_use():
    assert set(functions.paths()) == {path for _, _, path, _ in CALLS}


@pytest.mark.parametrize(("flow", "step", "path", "given"), CALLS)
def test_a_step_gives_the_arguments_its_function_takes(flow, step, path, given):
    schema = _schema(path, "input_schema")
    assert set(schema["required"]) <= set(given) <= set(schema["properties"])


@pytest.mark.parametrize("name", FLOWS)
def test_a_reference_to_a_function_step_is_to_a_member_of_its_output(name):
    nodes = {node["id"]: node for node in _nodes(FLOWS[name]["nodes"])}
    text = str(FLOWS[name])
    for step, member in re.findall(r"steps\.(\w+)\.(\w+)", text):
        path = nodes[step].get("properties", {}).get("function_ref")
        if path:
            assert member in _schema(path, "output_schema")["properties"], f"steps.{step}.{member}"


@pytest.mark.parametrize("name", FLOWS)
def test_a_reference_to_a_branch_is_to_a_member_of_its_output(name):
    nodes = {node["id"]: node for node in _nodes(FLOWS[name]["nodes"])}
    for container, index, member in re.findall(r"steps\.(\w+)\.branch_(\d)\.output\.(\w+)", str(FLOWS[name])):
        branch = nodes[container]["children"][int(index)]
        assert member in _schema(branch["properties"]["function_ref"], "output_schema")["properties"]


@pytest.mark.parametrize("name", FLOWS)
def test_a_compensation_reads_a_member_of_the_output(name):
    for node in _nodes(FLOWS[name]["nodes"]):
        properties = node.get("properties", {})
        read = re.findall(r"output\.(\w+)", str(properties.get("compensation_input_mapping", "")))
        if read:
            assert set(read) <= _schema(properties["function_ref"], "output_schema")["properties"].keys()


@pytest.mark.parametrize(
    ("step", "path", "member", "used"),
    [
        ("find_colleagues", "/shifts/colleagues", "people", {"name", "home"}),
        ("list_suppliers", "/buying/suppliers", "requests", {"supplier", "item", "quantity"}),
        ("compare", "/buying/compare", "best", {"supplier", "price"}),
    ],
)
def test_what_flows_read_inside_an_output_is_promised(step, path, member, used):
    schema = _schema(path, "output_schema")["properties"][member]
    assert set(schema.get("items", schema)["properties"]) >= used


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["scenario"])
def test_a_scenario_shows_members_and_arguments_that_exist(scenario):
    for path, told in scenario["functions"].items():
        for answer in told["calls"]:
            known = _schema(path, "output_schema")["properties"]
            assert (answer.get("return") or {}).keys() <= known.keys(), path
    shown = [call for call in scenario["expect"].get("calls", []) if isinstance(call, dict)]
    for path, arguments in (pair for call in shown for pair in call.items()):
        assert arguments.keys() <= _schema(path, "input_schema")["properties"].keys(), path


def test_everybody_a_flow_asks_is_there():
    texts = "".join(str(each) for each in (*FLOWS.values(), *SCENARIOS))
    users, groups = set(re.findall(r"/users/([\w-]+)", texts)), set(re.findall(r"/groups/([\w-]+)", texts))
    assert users <= set(PEOPLE)
    assert groups <= set(GROUPS)
