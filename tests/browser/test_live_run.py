"""A run's page keeps up with its run, on the real web server."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings
from playwright.sync_api import Page, expect

from demo.models import StockItem
from engine import commands, inbox
from engine.driver import drive
from engine.models import InboxTask, Instance
from engine.ports_production import ports
from tests.browser.conftest import PHONE
from tests.designer.pages.real import LARGE, demo_flow, go_on, published, run
from tests.designer.server import Server, running_server
from tests.engine.drawing import call, decision, either, event, group, loop, parallel, pause, step
from tests.factories import UserFactory, now


@pytest.fixture
def live_server(process_environment: dict[str, str]) -> Iterator[Server]:
    """Streams need the server that people use, not the one that tests usually do with."""
    with running_server(process_environment) as server:
        # pytest-django switches these on for whatever has this name; the server is a process with its own
        setattr(server, "_live_server_modified_settings", override_settings())  # noqa: B010
        yield server


@pytest.fixture
def waiting(live_server, mara):
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    return run(demo_flow("order-fulfilment"), user=mara, **LARGE)


def test_an_answer_shows_without_reloading_and_what_is_open_stays_open(page: Page, sign_in, mara, waiting):
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/")
    expect(page.get_by_text("Waits for Manager to answer")).to_be_visible()
    page.get_by_text("Reserve the goods", exact=True).click()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "clear"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("Completed in")).to_be_visible()
    expect(page.get_by_text("Send the confirmation", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)


def test_a_page_whose_stream_cannot_be_had_asks_again_and_again(open_page, sign_in, mara, waiting):
    page = open_page()
    page.route("**/events?*", lambda route: route.fulfill(status=204))
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/?tab=events")
    expect(page.get_by_text("waits for a person")).to_be_visible()
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "refuse"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("The run was stopped on purpose")).to_be_visible()


def test_the_diagram_follows_the_run_and_can_be_gone_back_through(page: Page, sign_in, mara, waiting):
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/?tab=diagram")
    canvas = page.get_by_label("Diagram")
    expect(canvas.get_by_text("Waiting").first).to_be_visible()
    expect(page.get_by_label("Replay")).to_have_count(0)
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "clear"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("Completed in")).to_be_visible()
    expect(canvas.get_by_text("Waiting")).to_have_count(0)
    page.reload()
    canvas.get_by_text("Reserve the goods", exact=True).click()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    slider = page.get_by_label("Replay")
    slider.fill("1")
    expect(canvas.get_by_text("Running")).to_have_count(1)
    expect(canvas.get_by_text("Succeeded")).to_have_count(0)
    slider.press("End")
    expect(canvas.get_by_text("Succeeded").first).to_be_visible()


# --- the ways it went, turns and branches, waits ------------------------------------------------------------------------


def turns(count, *, inner=()):
    """A loop in which every turn but those with an odd number goes by the other alternative."""
    odd = either(
        "parity",
        decision("odd", "true"),
        decision("even", "true"),
        rules=[("index % 2 == 1", "odd"), ("true", "even")],
    )
    return loop("each", odd, *inner, over=list(range(count)), index="index")


def way(page: Page, name: str):
    return page.locator(f'[data-way="{name}"]')


def test_the_ways_that_were_gone_are_drawn_as_such(page: Page, sign_in, mara):
    nodes = [decision("ask", "true", yes="late"), decision("never", "true"), decision("late", "true")]
    shown = run(published({"nodes": nodes}), user=mara)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    expect(way(page, "ask:yes")).to_have_attribute("data-gone", "")
    expect(way(page, "ask:in")).to_have_class("gone")
    expect(way(page, "never:in")).to_have_class("not-gone")
    gone, other = (
        way(page, name).evaluate("each => getComputedStyle(each).strokeWidth") for name in ("ask:in", "never:in")
    )
    assert float(gone.removesuffix("px")) > float(other.removesuffix("px"))
    slider = page.get_by_label("Replay")
    slider.fill("1")
    expect(way(page, "ask:in")).to_have_class("gone")
    expect(way(page, "ask:yes")).not_to_have_attribute("data-gone", "")
    expect(way(page, ":out")).to_have_class("not-gone")
    slider.press("End")
    expect(way(page, ":out")).to_have_class("gone")


def test_any_turn_of_a_loop_can_be_looked_at(page: Page, sign_in, mara, assert_accessible):
    shown = run(published({"nodes": [turns(12)]}), user=mara)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    picker = page.get_by_role("group", name="Turns of")
    number = picker.get_by_label("Turn", exact=True)
    expect(number).to_have_value("12")
    expect(picker).to_contain_text("of 12")
    expect(page.locator(".passes")).to_have_text("11×")
    expect(way(page, "odd:fan")).to_have_class("gone")
    picker.get_by_role("button", name="Turn before").click()
    expect(number).to_have_value("11")
    expect(way(page, "even:fan")).to_have_class("gone")
    expect(way(page, "odd:fan")).to_have_class("not-gone")
    assert_accessible(page)
    number.fill("4")
    number.press("Enter")
    expect(way(page, "odd:fan")).to_have_class("gone")
    assert "pick=each%3A4" in page.url
    page.reload()
    expect(number).to_have_value("4")


def test_of_a_fan_out_the_branch_that_failed_is_shown_and_found_again(open_page, sign_in, mara):
    body = either("either", step("bad", step_type="wait", until="{{ input.item }}"), pause("good", "0s"))
    body["rules"] = [{"condition": "input.item == 'x'", "next_step": "bad"}, {"condition": "true", "next_step": "good"}]
    fork = parallel("fork", body, fan_out={"over": ["a", "x", "b"]})
    shown = run(published({"nodes": [fork]}), user=mara)
    for branch in shown.children.order_by("branch"):
        go_on(branch)
    go_on(shown)
    page = open_page(PHONE)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    picker = page.get_by_role("group", name="Branches of")
    number = picker.get_by_label("Branch", exact=True)
    expect(number).to_have_value("2")
    expect(page.get_by_role("treeitem", name="Bad, Failed")).to_have_count(1)
    expect(picker.get_by_role("button", name="failed")).to_have_count(0)
    picker.get_by_role("button", name="Next branch").press("Enter")
    expect(number).to_have_value("3")
    expect(page.get_by_role("treeitem", name="Bad, Failed")).to_have_count(0)
    picker.get_by_role("button", name="1 failed").press("Enter")
    expect(number).to_have_value("2")


def test_a_wait_is_counted_down_and_its_name_keeps_still(page: Page, sign_in, mara):
    shown = run(published({"nodes": [pause("rest", "50m")]}), user=mara)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    due = page.locator(".step-due")
    expect(due).to_contain_text("in 49 min")
    item = page.get_by_role("treeitem")
    name = item.get_attribute("aria-label") or ""
    before = due.inner_text()
    expect(due).not_to_have_text(before)
    assert item.get_attribute("aria-label") == name
    assert "until" in name


def test_a_wait_whose_time_is_over_says_for_how_long(page: Page, sign_in, mara):
    shown = run(published({"nodes": [pause("rest", "5m")]}), user=mara)
    Instance.objects.filter(pk=shown.pk).update(wait_due=now() - timedelta(seconds=150))
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    expect(page.locator(".step-due")).to_have_text("due 2 min ago")


def test_a_step_that_is_tried_again_says_which_try_comes_and_when(page: Page, sign_in, mara):
    again = call("nowhere", retry={"max_retries": 5, "base_delay_ms": 600_000})
    shown = run(published({"nodes": [again]}), user=mara, patient=True)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    expect(page.locator(".step-due")).to_contain_text("retry 1 of 5 in 9 min")
    expect(page.get_by_role("treeitem", name="Nowhere, Retrying, retry 1 of 5, until")).to_have_count(1)


def test_a_loop_that_goes_on_brings_its_newest_turn_and_its_ways_by_itself(page: Page, sign_in, mara):
    body = [event("knock", timeout="1d")]
    shown = run(published({"nodes": [loop("each", *body, over=[1, 2, 3])]}), user=mara)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    number = page.get_by_role("group", name="Turns of").get_by_label("Turn", exact=True)
    expect(number).to_have_value("1")
    commands.resume(shown.pk, data={}, ports=ports())
    drive(shown.pk, ports())
    expect(number).to_have_value("2")
    expect(way(page, "each:back")).to_have_class("gone")


def test_a_round_of_what_was_done_again_can_be_looked_at(page: Page, sign_in, mara, assert_accessible):
    fails = step("hopeless", step_type="wait", until="{{ nothing.at.all }}")
    recovery = {"redo": "this_step", "stop_after": {"failures": 2, "within": "1h"}, "then": "fail"}
    nodes = [group("tries", decision("ask", "true"), fails, recovery=recovery)]
    shown = run(published({"nodes": nodes}), user=mara)
    sign_in(page, mara)
    page.goto(f"/runs/{shown.pk}/?tab=diagram")
    picker = page.get_by_role("group", name="Rounds of")
    expect(picker.get_by_label("Round", exact=True)).to_have_value("3")
    newest = page.get_by_role("treeitem", name="Hopeless, Failed")
    expect(newest).to_have_count(1)
    picker.get_by_role("button", name="Round before").click()
    expect(picker.get_by_label("Round", exact=True)).to_have_value("2")
    expect(newest).to_have_count(1)
    assert_accessible(page)
