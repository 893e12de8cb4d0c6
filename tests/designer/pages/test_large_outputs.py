"""A step with an output of many megabytes: pages and the designer's picker send the beginning of it, and a file the rest."""

import json

import pytest

from engine.models import Binding, Visit
from flows import library
from flows.publishing import import_flow
from flows.text import write_yaml
from tests.factories import (
    AttemptFactory,
    FlowVersionFactory,
    InstanceFactory,
    VisitFactory,
    WorkspaceFactory,
    now,
)

pytestmark = pytest.mark.django_db

MANY = 20_000_000
BOUND = 300_000
"""Bytes of a page; the output alone has more than sixty times as many."""


FUNCTIONS = {
    "rows": "/shop/stock/reserve",
    "text": "/shop/mail/send",
    "deep": "/shop/payment/charge",
    "some": "/shop/courier/book",
}
"""Steps of a flow and what they call."""


@pytest.fixture
def large(ada):
    """A finished run: steps that gave a list of objects, one text, something nested, each of MANY bytes; one gave a million."""
    library.sync()
    nodes = [
        {"id": id, "node_type": "raisin:FlowStep", "properties": {"function_ref": function, "action": id}}
        for id, function in FUNCTIONS.items()
    ]
    data = {
        "node_type": "raisin:Flow",
        "properties": {"name": "large", "title": "Large", "workflow_data": {"nodes": nodes}},
    }
    flow = import_flow(WorkspaceFactory(), write_yaml(data), by=ada, draft=True).flow
    version = FlowVersionFactory(flow=flow)
    run = InstanceFactory(version=version, status="completed", input={"x": 1}, started_at=now(), ended_at=now())
    outputs = {
        "rows": [{"number": n, "name": "x" * 100} for n in range(MANY // 150)],
        "text": "y" * MANY,
        "deep": {"a": {"b": {"c": {"d": ["z" * 1000] * (MANY // 1000)}}}},
        "some": {"lines": ["some text " * 100] * 1000},
    }
    for seq, (node, output) in enumerate(outputs.items(), start=1):
        VisitFactory(instance=run, node_id=node, seq=seq, output=output)
        AttemptFactory(instance=run, visit_seq=seq, path=FUNCTIONS[node])
        Binding.objects.create(
            instance=run, node_id=node, visits=1, seq=seq, outcome="succeeded", completion=seq, recent=[seq]
        )
    return run


@pytest.mark.parametrize(
    "page",
    ["", "?tab=data", "?tab=events", "body", "steps/1/", "steps/2/", "steps/3/"],
)
def test_each_page_of_the_run_is_small(page, large, bob, as_):
    answer = as_(bob).get(f"/runs/{large.pk}/{page}")
    assert answer.status_code == 200
    assert len(answer.content) < BOUND


def test_what_is_cut_can_be_had_as_a_whole(large, bob, as_):
    answer = as_(bob).get(f"/runs/{large.pk}/steps/2/")
    assert f"/runs/{large.pk}/steps/2/output.json" in answer.content.decode()
    assert json.loads(as_(bob).get(f"/runs/{large.pk}/steps/2/output.json").content) == "y" * MANY


def test_the_picker_shows_the_beginning_of_what_is_large_and_nothing_of_what_is_larger(large, ada, as_):
    answer = as_(ada).get("/flows/large/-/design/samples")
    assert set(answer.json()["values"]["steps"]) == {"some"}
    assert len(answer.content) < 20_000


@pytest.mark.parametrize("step", FUNCTIONS)
def test_a_preview_is_small(step, large, ada, as_):
    sent = json.dumps({"kind": "template", "value": f"{{{{ steps.{step} }}}}", "step": "some", "loops": []})
    answer = as_(ada).post("/flows/large/-/design/preview", sent, content_type="application/json")
    assert answer.status_code == 200 and len(answer.content) < 20_000


@pytest.mark.parametrize("page", ["/flows/large/-/design", "/flows/large/", "/runs/", "/runs/?flow=/flows/large"])
def test_the_designer_and_the_lists_send_nothing_of_it(page, large, ada, as_):
    answer = as_(ada).get(page)
    assert answer.status_code == 200 and len(answer.content) < BOUND


def test_the_run_dialog_pins_no_answer_that_is_too_large_to_be_typed_over(large, ada, as_):
    Visit.objects.filter(node_id="deep").update(output={"charge": "C-1"})
    answer = as_(ada).get("/flows/large/-/run?mode=test")
    assert len(answer.content) < BOUND
    assert [line.path for line in answer.context["mock_lines"] if line.pinned] == ["/shop/payment/charge"]
