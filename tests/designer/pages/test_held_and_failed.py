"""The page of runs that need a decision: what was attempted, why it stopped, and what each choice will do."""

from datetime import timedelta

import pytest

from engine import driver, resolutions, wakeups
from engine.outcomes import Failed
from engine.states import Status
from tests.designer.pages.real import text_of
from tests.engine.drawing import call
from tests.engine.world import World, row
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db

URL = "/runs/held-and-failed"


@pytest.fixture
def world(db):
    WorkspaceFactory(slug="default")
    return World()


def failed(world, **flow):
    world.functions.answers["b"] = Failed("The shop is closed.", "closed")
    run = world.start(
        call("a", compensation_ref="/lib/undo-a"), call("b", retry_strategy="none"), on_failure="keep", **flow
    )
    driver.drive(run, world.ports)
    assert row(run).status == Status.FAILED
    return run


def test_a_failed_run_stands_there_with_its_choices(world, bob, as_):
    run = failed(world)
    html = text_of(as_(bob).get(f"{URL}?kind=failed"))
    for words in ("The shop is closed.", "call /lib/b {}", "Resume", "Give up", "Will be undone: a"):
        assert words in html, words
    assert f"/runs/{run}/?tab=failure" in as_(bob).get(f"{URL}?kind=failed").content.decode()


def test_what_was_given_up_needs_no_decision(world, bob, as_):
    run = failed(world)
    resolutions.abandon(run, by="/users/bob", ports=world.ports)
    driver.drive(run, world.ports)
    assert row(run).status == Status.ROLLED_BACK
    for kind in ("held", "failed", "rolled_back"):
        assert "Nothing needs a decision" in text_of(as_(bob).get(f"{URL}?kind={kind}"))


def test_what_could_not_be_undone_stands_there(world, bob, as_):
    world.functions.answers["undo-a"] = Failed("No.", "no")
    run = failed(world)
    resolutions.abandon(run, by="/users/bob", ports=world.ports)
    for _ in range(10):
        driver.drive(run, world.ports)
        world.clock.moment += timedelta(hours=1)
        wakeups.fire_due(world.ports)
    assert row(run).status == Status.ROLLED_BACK
    assert "Try to undo again" in text_of(as_(bob).get(f"{URL}?kind=rolled_back"))


def test_a_choice_is_carried_out_from_there(world, bob, as_):
    run = failed(world)
    html = as_(bob).get(f"{URL}?kind=failed").content.decode()
    assert f'action="/runs/{run}/resume"' in html and f'action="/runs/{run}/abandon"' in html


def test_only_those_who_may_decide_see_it(world, eve, bob, as_):
    assert as_(eve).get(URL).status_code == 403
    assert "Held and failed" not in as_(eve).get("/runs/").content.decode()
    assert "Held and failed" in as_(bob).get("/runs/").content.decode()


def test_without_trouble_it_says_so(world, bob, as_):
    assert "Nothing needs a decision" in text_of(as_(bob).get(URL))
    assert as_(bob).get(f"{URL}?kind=nonsense&before=x").status_code == 200


def test_the_number_of_queries_grows_with_the_cards_alone(world, bob, as_, queries):
    client = as_(bob)
    failed(world)
    one = queries(client, f"{URL}?kind=failed")
    failed(world, path="/flows/other")
    two = queries(client, f"{URL}?kind=failed")
    assert two - one <= 12


def test_several_are_resumed_at_once(world, bob, as_):
    runs = [failed(world), failed(world, path="/flows/other")]
    chosen = {"action": "resume", "run": [str(each) for each in runs]}
    asked = text_of(as_(bob).get("/runs/-/bulk", chosen))
    assert "Let 2 runs go on?" in asked and "is tried again in each" in asked
    as_(bob).post("/runs/-/bulk", chosen)
    assert [row(each).status for each in runs] == [Status.RUNNING] * 2
    world.functions.answers["b"] = {}
    for each in runs:
        driver.drive(each, world.ports)
    assert [row(each).status for each in runs] == [Status.COMPLETED] * 2


def test_what_cannot_go_on_says_why(world, bob, as_):
    run = failed(world)
    resolutions.abandon(run, by="/users/bob", ports=world.ports)
    driver.drive(run, world.ports)
    html = text_of(as_(bob).get("/runs/-/bulk", {"action": "resume", "run": [str(run)]}))
    assert "It has not failed and is not held." in html
