"""The catalogue knows everything that the format knows, and the designer's scripts and sentences fit together."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from designer.catalogue import catalogue
from designer.catalogue.field import TYPES
from designer.catalogue.kinds import fields_of, kinds_for_designer
from designer.catalogue.language import FILTERS, METHODS
from designer.design_words import words
from flows import kinds
from flows.doctor import check_document
from flows.doctor.keys import CONTAINER_KEYS, FLOW, STEP_KEYS
from flows.expressions import filters, parse
from flows.expressions import methods as expression_methods
from flows.expressions.values import type_name
from flows.loader import Document
from flows.models import NotificationTarget
from tests.factories import WorkspaceFactory

SCRIPTS = Path(__file__).resolve().parents[2] / "designer/frontend/src"
KINDS = (*kinds.STEP_KINDS, *kinds.CONTAINER_KINDS)
NOT_SHOWN = {"step_type", "nodes", "version", "put_aside"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_kind_has_a_field(kind):
    known = {name for field in fields_of(kind) for name in (field.name, *field.covers)}
    wanted = set(CONTAINER_KEYS.get(kind) or STEP_KEYS[kind]) - NOT_SHOWN
    if kind != kinds.DECISION:
        wanted -= {"condition"}  # a rule of the container around it, or what makes a step a decision
    assert wanted <= known


def test_every_key_of_the_flow_has_a_field():
    from designer.catalogue.kinds import flow_fields

    known = {name for field in flow_fields() for name in (field["name"], *field.get("covers", ()))}
    assert set(FLOW) - NOT_SHOWN <= known


def test_no_field_is_there_twice_and_each_type_is_known():
    for kind in KINDS:
        names = [field.name for field in fields_of(kind)]
        assert len(names) == len(set(names)), kind
        assert {field.type for field in fields_of(kind)} <= set(TYPES)


def test_the_scripts_have_a_control_for_each_type():
    source = (SCRIPTS / "ui/fields/FieldView.tsx").read_text()
    controls = set(re.findall(r"^  (\w+): ", source.partition("CONTROLS")[2].partition("};")[0], re.MULTILINE))
    assert set(TYPES) - {"group", "retry"} == controls


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_the_palette_adds_is_of_its_kind_and_the_doctor_can_read_it(language):
    with translation.override(language):
        entries = kinds_for_designer()["palette"]
    assert {entry["kind"] for entry in entries} == set(KINDS)
    for entry in entries:
        node = {"id": "new", **entry["template"]}
        assert kinds.kind_of(node) == entry["kind"]
        found = check_document(Document({"version": 1, "nodes": [node]}))
        assert not {"INVALID_VALUE", "UNKNOWN_PROPERTY", "UNKNOWN_STEP_TYPE"} & {each.code for each in found}


def test_the_catalogue_costs_a_fixed_number_of_queries(db, django_assert_max_num_queries):
    workspace = WorkspaceFactory()
    with django_assert_max_num_queries(8):
        assert {"kinds", "functions", "agents", "people", "flows"} <= set(catalogue(workspace))


def test_the_catalogue_offers_whom_a_recovery_can_tell(db):
    NotificationTarget.objects.create(
        name="support-team", addresses="ida@example.org", description="Looks after orders"
    )
    NotificationTarget.objects.create(name="off", addresses="ida@example.org", enabled=False)
    found = catalogue(WorkspaceFactory())["targets"]
    assert found == [{"name": "support-team", "description": "Looks after orders", "kind": "e-mail"}]


def test_completion_knows_the_whole_language():
    assert {each.name for each in METHODS} == expression_methods.METHODS.keys()
    assert {each.name for each in FILTERS} == filters.MOST_ARGUMENTS.keys() - {"d"}


@pytest.mark.parametrize("word", METHODS, ids=lambda word: word.name)
def test_a_method_works_as_completion_writes_it(word):
    of = {"string": "'/a/b'", "array": "['', 'b']", "object": "{a: 1}"}
    for kind in word.on:
        found = parse(f"{of[kind]}.{word.name}({word.arguments})").evaluate({})
        assert not word.gives or type_name(found) == word.gives


@pytest.mark.parametrize("word", FILTERS, ids=lambda word: word.name)
def test_a_filter_works_as_completion_writes_it(word):
    call = word.name if word.arguments is None else f"{word.name}({word.arguments})"
    of = {"string": "'a'", "array": "['a']", "object": "{a: 1}", "integer": "1", "float": "1.5", "boolean": "true"}
    for kind in word.on:
        found = parse(f"{of[kind]} | {call}").evaluate({})
        assert not word.gives or type_name(found) == word.gives


# --- the sentences ----------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r'"([a-z]\w*)"')
_MADE = re.compile(r"\bt\(`(\w+_)\$\{")


def test_every_sentence_is_used_and_every_used_one_is_there():
    source = "\n".join(file.read_text() for file in SCRIPTS.rglob("*.ts*"))
    used = set(_PLAIN.findall(source))
    beginnings = tuple(_MADE.findall(source)) + ("trouble_",)
    known = words()
    missing = set(re.findall(r'\b(?:t|said|refused)\(\s*"(\w+)"', source)) - known.keys()
    assert not missing
    idle = {name for name in known if name.removesuffix("_one") not in used and not name.startswith(beginnings)}
    assert not idle
