import json

import pytest

from flows.loader import Document, dump, load
from flows.text import DocumentError, write_yaml
from tests.flows import corpus

FLOW = """\
node_type: raisin:Flow
uuid: kept
properties:
  title: Ask
  name: ask
  enabled: false
  colour: kept
  workflow_data:
    version: 1
    nodes:
      - id: question
        node_type: raisin:FlowStep
        properties: { action: Ask, x-note: kept }
"""


@pytest.mark.parametrize("path", corpus.EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_an_example_flow_goes_out_as_it_came_in(path, form):
    document = load(path.read_bytes())
    assert json.dumps(load(dump(document, format=form)).content) == json.dumps(document.content)


def test_every_definition_of_the_scenarios_goes_out_as_it_came_in():
    for name, definition in corpus.definitions():
        document = load(write_yaml(definition))
        assert document.is_bare
        assert json.dumps(load(dump(document)).workflow_data) == json.dumps(definition), name


def test_a_document_says_what_its_node_says():
    document = load(FLOW)
    assert (document.name, document.title, document.description, document.enabled) == ("ask", "Ask", "", False)
    assert document.workflow_data["nodes"][0]["id"] == "question"


def test_unknown_keys_are_kept():
    content = load(dump(load(FLOW))).content
    assert content["uuid"] == content["properties"]["colour"] == "kept"
    assert content["properties"]["workflow_data"]["nodes"][0]["properties"]["x-note"] == "kept"


def test_a_document_knows_its_lines():
    document = load(FLOW)
    assert document.line_of(("nodes", 0)) == 11
    assert document.line_of(("nodes", 0, "properties", "action")) == 13
    assert document.line_of(("nodes", 0, "properties", "missing")) == 13
    assert document.line_of(("nodes", 7)) == 10


def test_a_bare_definition_gets_its_node():
    document = load('{"nodes": []}').enveloped(name="ask", enabled=True)
    assert document.content == {
        "node_type": "raisin:Flow",
        "properties": {"name": "ask", "enabled": True, "workflow_data": {"nodes": []}},
    }


def test_what_a_document_says_wins_over_the_defaults():
    document = load(FLOW).enveloped(title="Other", description="New")
    assert (document.title, document.description, document.content["uuid"]) == ("Ask", "New", "kept")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[1]",
        "a: b",
        "node_type: raisin:Page\nproperties: {}",
        "node_type: raisin:Flow",
        "workflow_data: {}",
    ]
    + [f"node_type: raisin:Flow\nproperties: {wrong}" for wrong in ("[]", "{}", "{workflow_data: []}")],
)
def test_what_is_no_flow_is_refused(text):
    with pytest.raises(DocumentError) as caught:
        load(text)
    assert caught.value.code == "not_a_flow"


def test_documents_are_equal_wherever_their_lines_are():
    assert load("nodes: []") == load("\n\nnodes: []") == Document({"nodes": []})
