"""Our schema of the failure document says what the contract's says, in words of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import failure
from tests.failure_documents import SEED

OURS = json.loads((Path(failure.__file__).parent / "schema.json").read_text())
PROSE = ("description", "title", "examples", "$id", "$schema")
ADDED = ("status", "failure", "compensation")


def constraints(schema):
    """The schema without its prose; names of properties are no prose."""
    if isinstance(schema, list):
        return [constraints(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found[key] = {name: constraints(inner) for name, inner in value.items()}
        elif key == "required":
            found[key] = sorted(value)
        elif key not in PROSE:
            found[key] = constraints(value)
    return found


def words(schema):
    if isinstance(schema, dict):
        own = [schema["description"]] if isinstance(schema.get("description"), str) else []
        return own + [word for value in schema.values() for word in words(value)]
    return [word for each in schema for word in words(each)] if isinstance(schema, list) else []


def test_our_schema_has_the_constraints_of_the_contract() -> None:
    ours = {**OURS, "properties": {key: each for key, each in OURS["properties"].items() if key not in ADDED}}
    assert constraints(ours) == constraints(SEED)


def test_what_we_add_is_nothing_the_contract_names() -> None:
    assert not set(ADDED) & SEED["properties"].keys()


@pytest.mark.parametrize("word", words(OURS))
def test_our_descriptions_are_our_own(word: str) -> None:
    assert word not in words(SEED)
