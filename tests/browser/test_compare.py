"""Two versions of a flow on one diagram, as people look at them: on its own page, and from the designer."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from flows import library
from flows.loader import load
from flows.models import Flow
from flows.publishing import import_flow, publish, save_draft
from flows.text import write_yaml
from tests.browser.test_designer import box, step, wait
from tests.factories import WorkspaceFactory


def text_of(*nodes: dict[str, Any]) -> str:
    data = {"version": 1, "nodes": list(nodes)}
    properties = {"title": "Example", "name": "example", "workflow_data": data}
    return write_yaml({"node_type": "raisin:Flow", "properties": properties})


@pytest.fixture
def flow(mara) -> Flow:
    """Version 1, and a draft in which a step is new, one is gone, one is changed, one is moved, and one is as it was."""
    library.sync()
    ask = step("ask", step_type="human_task", task_type="action", assignee="/users/mara", due_in_seconds=86400)
    before = text_of(ask, box("parallel", "together", wait("pack"), wait("bill")), wait("rest"), wait("tidy"))
    flow = import_flow(WorkspaceFactory(), before, by=mara, publish=True).flow
    ask = step("ask", step_type="human_task", task_type="action", assignee="/users/mara", due_in_seconds=172800)
    after = text_of(ask, wait("send"), box("parallel", "together", wait("pack"), wait("tidy")), wait("rest"))
    return save_draft(flow, after, revision=flow.revision, by=mara)


URL = "/flows/example/-/compare"
WORDS = {"ask": "Changed", "send": "Added", "bill": "Removed", "tidy": "Moved"}


def card(page: Page, id: str) -> Locator:
    return page.locator(f'[role=treeitem][data-key="{id}"] > .card-step')


def differences(page: Page) -> Locator:
    return page.get_by_role("region", name="Differences")


def test_each_difference_has_its_word_on_the_diagram_and_the_rest_has_none(page: Page, sign_in, mara, flow):
    sign_in(page, mara)
    page.goto(URL)
    for id, word in WORDS.items():
        expect(card(page, id).locator(".step-badge")).to_have_text(word)
        expect(page.get_by_role("treeitem", name=f", {word},")).to_have_count(1)
    for id in ("together", "pack", "rest"):
        expect(card(page, id).locator(".step-badge")).to_have_count(0)
    looks = {id: card(page, id).evaluate("card => getComputedStyle(card).borderTopStyle") for id in WORDS}
    colours = {card(page, id).evaluate("card => getComputedStyle(card).borderTopColor") for id in WORDS}
    assert looks == {"ask": "solid", "send": "solid", "bill": "dashed", "tidy": "dotted"}
    assert len(colours) == 4


def test_the_list_tells_what_was_and_what_is_and_leads_to_the_step(page: Page, sign_in, mara, flow):
    sign_in(page, mara)
    page.goto(URL)
    beside = differences(page)
    expect(beside).to_contain_text("4 differences")
    asked = beside.get_by_role("listitem").filter(has_text="Ask")
    expect(asked).to_contain_text("Time to answer")
    expect(asked.locator("del")).to_have_text("1 day")
    expect(asked.locator("ins")).to_have_text("2 days")
    expect(beside).to_contain_text("It was in This flow, after “Rest”.")
    beside.get_by_role("button", name="Bill").click()
    expect(page.locator('[role=treeitem][data-key="bill"]')).to_have_attribute("aria-selected", "true")
    expect(card(page, "bill")).to_be_in_viewport()
    card(page, "send").click()
    expect(beside.locator('[aria-current="true"]')).to_have_text("Send")


def test_a_difference_leads_into_the_diagram_and_from_there_the_keys_go_on(page: Page, sign_in, mara, flow):
    sign_in(page, mara)
    page.goto(URL)
    page.locator('[data-drag="together"] .fold').click()
    expect(card(page, "tidy")).to_have_count(0)
    differences(page).get_by_role("button", name="Tidy").focus()
    page.keyboard.press("Enter")
    expect(page.locator('[role=treeitem][data-key="tidy"]')).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[role=treeitem][data-key="tidy"]')).not_to_be_focused()


def test_from_difference_to_difference_the_focus_stays_and_each_is_told(page: Page, sign_in, mara, flow):
    sign_in(page, mara)
    page.goto(URL)
    onwards = differences(page).get_by_role("button", name="Next difference")
    onwards.focus()
    chosen = page.locator('[role=treeitem][aria-selected="true"]')
    for id in ("ask", "send", "bill", "tidy", "ask"):
        page.keyboard.press("Enter")
        expect(chosen).to_have_attribute("data-key", id)
        expect(differences(page).get_by_role("status")).to_have_text(f"{WORDS[id]}: {id.capitalize()}")
    differences(page).get_by_role("button", name="Previous difference").click()
    expect(chosen).to_have_attribute("data-key", "tidy")


def test_a_way_that_came_or_went_has_its_word(page: Page, sign_in, mara, flow):
    nodes = load(flow.draft).workflow_data["nodes"]
    nodes[0]["properties"]["error_edge"] = "rest"
    save_draft(flow, text_of(*nodes), revision=flow.revision, by=mara)
    sign_in(page, mara)
    words = page.locator(".jump-marked .jump-word")
    for query, word in (("", "error · Added"), ("?before=draft&after=1", "error · Removed")):
        page.goto(URL + query)
        expect(words).to_have_text(word)
        expect(differences(page).get_by_role("listitem").filter(has_text="Ask")).to_contain_text("On an error, go to")


def test_nothing_of_it_can_be_changed(page: Page, sign_in, mara, flow):
    sign_in(page, mara)
    page.goto(URL)
    expect(card(page, "ask")).to_be_visible()
    assert page.locator(".slot").count() == 0
    page.locator('[data-key="ask"]').focus()
    page.keyboard.press("Delete")
    expect(card(page, "ask")).to_be_visible()


def test_other_versions_are_chosen_by_keyboard(page: Page, sign_in, mara, flow):
    publish(flow, by=mara)
    sign_in(page, mara)
    page.goto(URL)
    expect(page.get_by_text("Both say the same")).to_be_visible()
    page.get_by_label("Before").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(differences(page)).to_contain_text("4 differences")
    assert page.url.endswith("?before=1&after=draft")
    first = differences(page).get_by_role("button", name="Ask")
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator('[role=treeitem][aria-selected="true"]')).to_have_attribute("data-key", "ask")


def test_the_page_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, flow, assert_accessible):
    sign_in(screen_page, mara)
    screen_page.goto(URL)
    expect(differences(screen_page)).to_contain_text("4 differences")
    assert_accessible(screen_page)
    differences(screen_page).get_by_role("button", name="Send").click()
    expect(card(screen_page, "send")).to_be_in_viewport()
    assert_accessible(screen_page)
    wide = screen_page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def test_the_designer_compares_what_is_on_the_screen(screen_page: Page, sign_in, mara, flow, assert_accessible):
    page = screen_page
    sign_in(page, mara)
    page.goto("/flows/example/-/design")
    page.get_by_label("More", exact=True).first.click()
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("dialog").get_by_role("button", name="Version 1").click()
    expect(page.get_by_role("dialog")).to_contain_text("4 differences")
    assert_accessible(page)
    page.get_by_role("button", name="Show on the diagram").click()
    dialog = page.get_by_role("dialog", name="Version 1 → The draft")
    expect(dialog.locator('[data-key="bill"] > .card-step .step-badge')).to_have_text("Removed")
    expect(dialog.get_by_role("region", name="Differences")).to_contain_text("4 differences")
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Versions")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.locator('[role=treeitem][data-key="send"]')).to_have_attribute("aria-selected", "true")
