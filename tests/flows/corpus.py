"""The flows that ship with the tests: the example flows and every definition of the scenarios."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from flows.text import read_all

ROOT = Path(__file__).parent.parent / "conformance"
EXAMPLES = [path for path in sorted((ROOT / "flows").glob("*.yaml")) if ".scenarios." not in path.name]
SCENARIO_FILES = sorted([*(ROOT / "scenarios").glob("*.yaml"), *(ROOT / "flows").glob("*.scenarios.yaml")])


@cache
def scenarios() -> list[tuple[str, dict[str, Any]]]:
    """Every scenario with a name that says where it stands."""
    return [
        (f"{path.stem}: {each.value['scenario']}", each.value)
        for path in SCENARIO_FILES
        for each in read_all(path.read_bytes())
    ]


def definitions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every definition of the scenarios, the flows they call included."""
    for name, scenario in scenarios():
        yield name, scenario["flow"]
        for path, flow in (scenario.get("flows") or {}).items():
            yield f"{name} {path}", flow
