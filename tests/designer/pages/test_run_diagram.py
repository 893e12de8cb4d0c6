"""A run on the diagram of its flow: the marks of its steps, and the events that a replay goes through."""

import json
import re

import pytest

from designer.presenters.run_diagram import marks, replay
from engine import driver
from engine.outcomes import Failed
from tests.designer.pages.real import text_of
from tests.engine.drawing import call, group, parallel
from tests.engine.world import World, row
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db):
    WorkspaceFactory(slug="default")
    return World()


def driven(world, *nodes, **more):
    run = world.start(*nodes, **more)
    for _ in range(10):
        for each in [run, *(child.pk for child in row(run).descendants.order_by("pk"))]:
            driver.drive(each, world.ports)
    return row(run)


def states(run):
    return {node: each["status"] for node, each in marks(run).items()}


def test_each_step_bears_its_state(world):
    world.functions.answers["c"] = Failed("No.", "no")
    undone = call("a", compensation_ref="/lib/undo-a")
    run = driven(world, undone, group("g", call("b")), call("c", retry_strategy="none"), call("d"))
    assert states(run) == {"a": "done", "g": "succeeded", "b": "succeeded", "c": "failed", "d": "not-run"}
    assert marks(run)["c"]["seq"] == 4


def test_a_step_in_branches_bears_the_state_that_needs_most_attention(world):
    world.functions.answers["a"] = Failed("No.", "no")
    both = parallel("p", call("a", retry_strategy="none"), call("b"))
    run = driven(world, both)
    assert states(run) == {"p": "succeeded", "a": "failed", "b": "succeeded"}
    assert marks(run)["a"]["seq"] is None


def test_an_ended_run_can_be_replayed(world):
    run = driven(world, call("a"), call("b"))
    told = [(each["node"], each["mark"]["status"]) for each in replay(run)]
    assert told == [("a", "running"), ("a", "succeeded"), ("b", "running"), ("b", "succeeded")]


def test_a_run_that_goes_on_is_not_replayed(world):
    run = world.start(call("a"))
    assert replay(row(run)) == []


def test_the_page_brings_the_drawing_once_and_the_marks_with_each_refresh(world, bob, as_, queries):
    run = driven(world, call("a"), call("b"))
    page = as_(bob).get(f"/runs/{run.pk}/?tab=diagram").content.decode()
    body = as_(bob).get(f"/runs/{run.pk}/body?tab=diagram").content.decode()
    for html in (page, body):
        found = json.loads(re.search(r'<script id="run-marks"[^>]*>(.*?)</script>', html)[1])
        assert set(found) == {"a", "b"}
    assert 'id="run-diagram-data"' in page and 'id="run-diagram-data"' not in body
    assert "Diagram" in text_of(as_(bob).get(f"/runs/{run.pk}/"))
    assert queries(as_(bob), f"/runs/{run.pk}/body?tab=diagram") <= 20
