"""What holds for each of the demo's functions: schemas, effects once, undoing."""

import pytest
from django.apps import apps

from demo import functions
from demo.models import Record, Reservation
from flows import registry
from flows.manifest import validate_manifest
from tests.demo.cases import CASES

MANIFESTS = {each.path: each.manifest for each in registry.registered() if each.path in functions.paths()}
WRITES = [path for path, manifest in MANIFESTS.items() if manifest["effect"] == "write"]
READS = [path for path, manifest in MANIFESTS.items() if manifest["effect"] == "read"]
UNDONE = [path for path, manifest in MANIFESTS.items() if "compensation" in manifest]
FACTS = [m.__name__ for m in apps.get_app_config("demo").get_models() if not issubclass(m, Record)]


@pytest.mark.parametrize("path", functions.paths())
def test_each_manifest_is_whole_and_valid(path):
    manifest = MANIFESTS[path]
    assert validate_manifest(manifest) == []
    told = {"title", "description", "category", "input_schema", "output_schema", "effect", "idempotent", "retry"}
    assert told | {"errors"} <= manifest.keys()


@pytest.mark.parametrize("path", UNDONE)
def test_a_manifest_names_an_undo_that_takes_what_the_function_gives(path):
    manifest = MANIFESTS[path]
    undo = manifest["compensation"]
    assert set(undo["input"]) == set(MANIFESTS[undo["function_ref"]]["input_schema"]["required"])
    assert (
        set(_members(undo["input"]) + _members(manifest["resources"])) <= manifest["output_schema"]["properties"].keys()
    )


def _members(templates: dict[str, str]) -> list[str]:
    return [template.removeprefix("${output.").removesuffix("}") for template in templates.values()]


@pytest.mark.parametrize("path", READS)
def test_a_read_changes_nothing(path, call, rows):
    arguments = CASES[path](call)
    before = rows()
    call(path, arguments)
    assert rows() == before


@pytest.mark.parametrize("path", WRITES)
def test_a_repeated_call_has_its_effect_once(path, call, rows):
    arguments = CASES[path](call)
    before = rows()
    first = call(path, arguments, key="the same")
    once = rows()
    assert once != before
    assert call(path, arguments, key="the same") == first
    assert rows() == once


@pytest.mark.parametrize("path", UNDONE)
def test_the_undo_gives_back_what_the_function_took(path, call, rows):
    arguments = CASES[path](call)
    before = rows()
    output = call(path, arguments)
    undo = MANIFESTS[path]["compensation"]
    call(
        undo["function_ref"], dict(zip(undo["input"], (output[name] for name in _members(undo["input"])), strict=True))
    )
    after = rows()
    assert {name: after[name] for name in FACTS} == {name: before[name] for name in FACTS}
    made = [row for name in after for row in after[name] if row not in before[name]]
    assert [row for row in made if row.get("status") == "open"] == []


def test_a_row_keeps_the_key_and_the_run_of_its_call(call):
    call("/shop/stock/reserve", {"order": "O-1", "lines": []}, key="run-1/reserve/1")
    reservation = Reservation.objects.get()
    assert (reservation.key, reservation.instance_id, reservation.is_test) == ("run-1/reserve/1", "run-1", False)
