"""A run on the diagram of its flow: the marks of its steps, the ways it went, what can be chosen, and its replay."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from designer.presenters.run_diagram import picks_of, run_diagram
from engine import driver
from engine.models import Visit
from engine.outcomes import Failed, Succeeded
from tests.designer.pages.real import text_of
from tests.engine.drawing import call, decision, event, group, loop, parallel, pause
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


def states(run, **picks):
    return {node: each["status"] for node, each in run_diagram(run, picks).marks.items()}


def fails_at(*indexes):
    """What a function gives that fails when it is asked for one of these."""
    return lambda made: Failed("No.", "no") if made.arguments["n"] in indexes else Succeeded({"n": made.arguments["n"]})


def each_item(count, *, step="a", **shape):
    body = call(step, arguments={"n": "{{ item }}"}, retry_strategy="none")
    return loop("l", body, call("b"), over=list(range(count)), **shape)


def test_each_step_bears_its_state(world):
    world.functions.answers["c"] = Failed("No.", "no")
    undone = call("a", compensation_ref="/lib/undo-a")
    run = driven(world, undone, group("g", call("b")), call("c", retry_strategy="none"), call("d"))
    assert states(run) == {"a": "done", "g": "succeeded", "b": "succeeded", "c": "failed", "d": "not-run"}
    assert run_diagram(run).marks["c"]["seq"] == 4


def test_a_step_in_a_branch_bears_the_state_it_has_there(world):
    world.functions.answers["a"] = Failed("No.", "no")
    run = driven(world, parallel("p", call("a", retry_strategy="none"), call("b")))
    assert states(run) == {"p": "succeeded", "a": "failed", "b": "succeeded"}
    branch = row(run.pk).children.get(branch=0)
    assert run_diagram(run).marks["a"]["run"] == str(branch.pk)


def test_the_ways_that_were_gone_are_told_with_how_often(world):
    world.functions.answers["c"] = Failed("No.", "no")
    nodes = [decision("d", "true", no="e"), call("c", retry_strategy="none", error_edge="e"), call("x"), call("e")]
    run = driven(world, *nodes)
    assert run_diagram(run).ways == {"d:in": 1, "c:in": 1, "c:error": 1, ":out": 1}


def test_a_timeout_goes_along_its_own_way(world):
    run = world.start(event("w", timeout="1s", timeout_edge="z"), call("y"), call("z"))
    driver.drive(run, world.ports)
    world.later(seconds=2)
    driver.drive(run, world.ports)
    assert run_diagram(row(run)).ways == {"w:in": 1, "w:timeout": 1, ":out": 1}


def test_a_failure_that_a_container_dealt_with_went_along_its_way(world):
    world.functions.answers["a"] = Failed("No.", "no")
    run = driven(world, loop("l", call("a", retry_strategy="none"), times=2, error_edge="z"), call("y"), call("z"))
    assert run_diagram(run).ways == {"l:in": 1, "a:in": 1, "l:error": 1, ":out": 1}
    error = Visit.objects.get(instance=run, node_id="a").error
    assert error["jump"] == {"from": "l", "by": "error"}


def test_a_loop_shows_its_newest_turn_and_any_other_that_is_asked_for(world):
    run = driven(world, each_item(3))
    shown = run_diagram(run)
    choice = shown.choices["l"]
    assert (choice.kind, choice.at, choice.count, choice.status) == ("turn", 3, 3, "succeeded")
    assert not choice.is_open
    assert shown.ways["l:back"] == 2
    assert shown.ways["a:in"] == 1
    first = Visit.objects.get(instance=run, node_id="a", number=1)
    assert run_diagram(run, {"l": 1}).marks["a"]["seq"] == first.seq


def test_a_loop_that_ended_shows_the_turn_that_failed(world):
    world.functions.answers["a"] = fails_at(1)
    run = driven(world, each_item(4, on_error="continue"))
    choice = run_diagram(run).choices["l"]
    assert (choice.at, choice.count, choice.failed, choice.status) == (2, 4, (2,), "failed")
    assert states(run) == {"l": "succeeded", "a": "failed", "b": "not-run"}
    assert states(run, l=3) == {"l": "succeeded", "a": "succeeded", "b": "succeeded"}


def test_the_turn_in_which_the_run_failed_is_shown(world):
    world.functions.answers["a"] = fails_at(2)
    run = driven(world, each_item(5), on_failure="fail")
    assert run_diagram(run).choices["l"].at == 3
    assert states(run)["a"] == "failed"
    assert states(run, l=1)["a"] == "succeeded"


def test_a_number_beyond_the_last_turn_shows_the_last(world):
    run = driven(world, each_item(3))
    assert run_diagram(run, {"l": 99}).choices["l"].at == 3


def test_loops_in_loops_are_chosen_one_by_one(world):
    inner = loop("inner", call("a", arguments={"n": "{{ outer_n * 10 + inner_n }}"}), over=[1, 2, 3], item="inner_n")
    run = driven(world, loop("outer", inner, over=[1, 2], item="outer_n"), call("z"))
    assert {node: (each.at, each.count) for node, each in run_diagram(run).choices.items()} == {
        "outer": (2, 2),
        "inner": (3, 3),
    }
    seq = run_diagram(run, {"outer": 1, "inner": 2}).marks["a"]["seq"]
    assert Visit.objects.get(instance=run, seq=seq).number == 2


def test_a_fan_out_shows_the_branch_that_failed(world):
    world.functions.answers["a"] = fails_at("y")
    body = call("a", arguments={"n": "{{ input.item }}"}, retry_strategy="none")
    run = driven(world, parallel("p", body, fan_out={"over": ["x", "y", "z"]}), call("z"))
    choice = run_diagram(run).choices["p"]
    assert (choice.kind, choice.at, choice.count, choice.failed, choice.status) == ("branch", 2, 3, (2,), "failed")
    assert states(run)["a"] == "failed"
    assert states(run, p=3)["a"] == "succeeded"
    assert {"a:fan": 1, "a:join": 1}.items() <= run_diagram(run, {"p": 3}).ways.items()


def test_a_loop_within_a_branch_can_be_chosen_too(world):
    inner = loop("l", call("a"), times=2)
    run = driven(world, parallel("p", inner, fan_out={"over": ["x", "y"]}))
    assert run_diagram(run, {"p": 1, "l": 1}).choices["l"].at == 1
    assert states(run)["a"] == "succeeded"


def redone(world, *nodes, **flow):
    """A run in which ``b`` fails twice before it succeeds."""
    answers = iter([Failed("No.", "no"), Failed("No.", "no")])
    world.functions.answers["b"] = lambda _: next(answers, Succeeded({}))
    return driven(world, *nodes, **flow)


@pytest.mark.parametrize("around", ["g", ""])
def test_each_round_of_what_was_done_again_can_be_looked_at(world, around):
    recovery, body = {"redo": "whole_group"}, [call("a", idempotent=True), call("b", retry_strategy="none"), call("c")]
    nodes = [group("g", *body, recovery=recovery), call("z")] if around else [*body, call("z")]
    manifests = {each: {"effect": "read"} for each in "abcz"}
    run = redone(world, *nodes, manifests=manifests, **({} if around else {"recovery": recovery}))
    shown = run_diagram(run)
    choice = shown.choices[around]
    assert (choice.kind, choice.at, choice.count, choice.failed) == ("round", 3, 3, (1, 2))
    assert {shown.marks[each]["status"] for each in "abcz"} == {"succeeded"}
    for number in (1, 2):
        before = run_diagram(run, {around: number})
        assert before.choices[around].status == "failed"
        assert [before.marks[each]["status"] for each in "ab"] == ["succeeded", "failed"]
        assert "c" not in before.marks
        visit = Visit.objects.get(instance=run, seq=before.marks["b"]["seq"])
        assert (visit.node_id, visit.replaced) == ("b", number)
        assert "c:in" not in before.ways and before.ways["b:in"] == 1


def test_a_step_that_waits_tells_until_when(world):
    run = world.start(pause("w", "1h"))
    driver.drive(run, world.ports)
    mark = run_diagram(row(run)).marks["w"]
    assert mark["status"] == "waiting"
    assert mark["due"] == (world.clock.now() + timedelta(hours=1)).isoformat()
    assert "retry" not in mark


def test_a_step_that_is_tried_again_tells_which_try_comes_and_when(world):
    world.functions.answers["a"] = Failed("No.", "no")
    run = world.start(group("g", call("a", retry={"max_retries": 5, "base_delay_ms": 12_000})))
    driver.drive(run, world.ports)
    marks = run_diagram(row(run)).marks
    assert (marks["a"]["status"], marks["a"]["retry"], marks["g"]["status"]) == ("retrying", [1, 5], "running")
    assert marks["a"]["due"] == (world.clock.now() + timedelta(seconds=12)).isoformat()


def test_an_ended_run_can_be_replayed_with_the_ways_it_went(world):
    run = driven(world, call("a"), call("b"))
    told = [(each["node"], each["mark"]["status"], each["ways"]) for each in run_diagram(run).replay]
    assert told == [
        ("a", "running", {"a:in": 1}),
        ("a", "succeeded", {}),
        ("b", "running", {"b:in": 1}),
        ("b", "succeeded", {":out": 1}),
    ]


def test_a_replay_ends_with_all_the_ways_that_were_gone(world):
    world.functions.answers["a"] = fails_at(1)
    run = driven(world, each_item(3, on_error="continue"), parallel("p", call("c"), call("d")), call("e"))
    shown = run_diagram(run)
    total: dict[str, int] = {}
    for each in shown.replay:
        for way, count in each["ways"].items():
            total[way] = total.get(way, 0) + count
    assert total == dict(shown.ways)


def test_a_run_that_goes_on_is_not_replayed(world):
    run = world.start(call("a"))
    assert run_diagram(row(run)).replay == []


def test_of_ten_thousand_turns_no_more_is_read_and_sent_than_of_ten(world):
    few, many = driven(world, each_item(10)), driven(world, each_item(10), path="/flows/other")
    Visit.objects.filter(instance=many, seq=21).update(seq=20_001, iteration=9_999, iterations="1:9999")
    Visit.objects.filter(instance=many, seq=20).update(seq=20_000, iterations="1:9999")
    Visit.objects.bulk_create(
        Visit(
            instance=many,
            seq=2 * turn + 2 + place,
            node_id=node,
            kind="function",
            number=turn + 1,
            outcome="succeeded",
            iterations=f"1:{turn}",
            started_at=many.started_at,
            **({"loop_seq": 1, "iteration": turn} if place else {}),
        )
        for turn in range(9, 9_999)
        for place, node in enumerate("ab")
    )
    many.position["last_seq"] = 20_001
    asked = []
    for run in (few, many):
        with CaptureQueriesContext(connection) as queries:
            shown = run_diagram(run, {"l": 7})
        asked.append(len(queries))
        assert len(json.dumps([shown.state, shown.replay])) < 4_000
        assert shown.choices["l"].at == 7
    assert asked[0] == asked[1] <= 8
    assert run_diagram(many).choices["l"].count == 10_000
    assert run_diagram(many, {"l": 5_000}).marks["a"]["seq"] == 2 * 4_999 + 2


def test_the_number_of_queries_does_not_follow_the_number_of_containers(world):
    one = driven(world, loop("l", call("a"), times=2), parallel("p", call("b"), fan_out={"over": [1, 2]}))
    loops = [loop(f"l{n}", call(f"a{n}"), times=2) for n in range(4)]
    forks = [parallel(f"p{n}", call(f"b{n}"), fan_out={"over": [1, 2]}) for n in range(4)]
    four = driven(world, *loops, *forks, path="/flows/other")
    asked = []
    for run in (one, four):
        run_diagram(run)
        with CaptureQueriesContext(connection) as queries:
            run_diagram(run)
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 9


def test_what_is_no_pick_is_left_out():
    assert picks_of(QueryDict("pick=l:3&pick=:4&pick=m:x&pick=7&pick=a:b:7&pick=l:99999999999")) == {
        "l": 3,
        "": 4,
        "a:b": 7,
    }


def test_the_page_brings_the_drawing_once_and_the_state_with_each_refresh(world, bob, as_, queries):
    run = driven(world, call("a"), call("b"))
    page = as_(bob).get(f"/runs/{run.pk}/?tab=diagram").content.decode()
    body = as_(bob).get(f"/runs/{run.pk}/body?tab=diagram").content.decode()
    for html in (page, body):
        found = json.loads(re.search(r'<script id="run-state"[^>]*>(.*?)</script>', html)[1])
        assert set(found["marks"]) == {"a", "b"}
        assert found["ways"] == {"a:in": 1, "b:in": 1, ":out": 1}
    assert 'id="run-diagram-data"' in page and 'id="run-diagram-data"' not in body
    assert "Diagram" in text_of(as_(bob).get(f"/runs/{run.pk}/"))
    assert queries(as_(bob), f"/runs/{run.pk}/body?tab=diagram") <= 20


def test_the_page_shows_the_turn_in_its_address(world, bob, as_):
    run = driven(world, each_item(3))
    html = as_(bob).get(f"/runs/{run.pk}/?tab=diagram&pick=l:2").content.decode()
    found = json.loads(re.search(r'<script id="run-state"[^>]*>(.*?)</script>', html)[1])
    assert found["choices"]["l"]["at"] == 2
    assert "pick=l%3A2" in html
