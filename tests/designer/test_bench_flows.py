"""The flows that the designer's benchmark opens are as large as it says, nested, and nothing the doctor refuses."""

import pytest

from bench.designer.generate import definition, size
from flows import library
from flows.doctor import check_document
from flows.loader import load
from flows.text import write_yaml

pytestmark = pytest.mark.django_db


def deepest(node, depth=0):
    return max([depth, *(deepest(child, depth + 1) for child in node.get("children", ()))])


@pytest.mark.parametrize("nodes", [1, 23, 500, 1000])
def test_a_flow_of_so_many_nodes(nodes):
    document = load(write_yaml(definition(nodes)))
    assert sum(size(node) for node in document.workflow_data["nodes"]) == nodes


def test_it_is_nested_jumps_and_has_no_errors():
    library.sync()
    document = load(write_yaml(definition(500)))
    nodes = document.workflow_data["nodes"]
    assert max(deepest(node) for node in nodes) >= 3
    assert write_yaml(document.content).count("error_edge") > 10
    assert not [each for each in check_document(document) if each.severity == "error"]
