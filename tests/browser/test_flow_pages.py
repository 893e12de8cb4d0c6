"""Flows and ended runs in a browser: accessible on each screen, and what scripts add."""

import pytest
from playwright.sync_api import Page, expect

from demo.models import StockItem
from engine.states import Status
from flows.publishing import import_flow
from flows.versions import newest_published
from tests.designer.pages.real import DECLINED, FLOWS, ORDER, run
from tests.factories import UserFactory, WorkspaceFactory

TEXT = (FLOWS / "order-fulfilment.yaml").read_text()


@pytest.fixture
def declined(mara):
    """A run that was rolled back, of a flow that is published."""
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    flow = import_flow(WorkspaceFactory(), TEXT, by=mara, publish=True).flow
    version = newest_published(flow.workspace_id, flow.path)
    assert version is not None
    return run(version, user=mara, **DECLINED)


PAGES = {
    "flows": "/flows/",
    "new flow": "/flows/-/new",
    "outline": "/flows/order-fulfilment/",
    "text": "/flows/order-fulfilment/?tab=yaml",
    "versions": "/flows/order-fulfilment/?tab=versions",
    "runs of a flow": "/flows/order-fulfilment/?tab=runs",
    "a version": "/flows/order-fulfilment/-/versions/1",
    "run form": "/flows/order-fulfilment/-/run",
    "runs": "/runs/?since=7d&status=rolled_back",
    "run": "/runs/{run}/",
    "undo": "/runs/{run}/?tab=undo",
    "events": "/runs/{run}/?tab=events",
    "data": "/runs/{run}/?tab=data",
    "diagram": "/runs/{run}/?tab=diagram",
    "failure": "/runs/{run}/?tab=failure",
    "step": "/runs/{run}/steps/7/",
    "if it fails": "/flows/order-fulfilment/-/if-it-fails/hand_over",
    "held and failed": "/runs/held-and-failed?kind=failed",
}


def test_every_page_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, declined, assert_accessible):
    undecided = run(declined.version, user=mara, **{**ORDER, "lines": [{"sku": "moon", "quantity": 1}]})
    assert undecided.status == Status.FAILED
    sign_in(screen_page, mara)
    for url in PAGES.values():
        screen_page.goto(url.format(run=declined.pk))
        assert_accessible(screen_page)


def test_a_step_unfolds_with_what_lies_below(page: Page, sign_in, mara, declined, assert_accessible):
    sign_in(page, mara)
    page.goto(f"/runs/{declined.pk}/")
    page.get_by_text("Charge 90", exact=True).click()
    expect(page.get_by_role("heading", name="What it was given")).to_be_visible()
    expect(page.locator(".step-detail").get_by_text("A-8-DECLINED")).to_be_visible()
    assert_accessible(page)


def test_without_scripts_a_step_has_a_page_of_its_own(open_page, sign_in, mara, declined):
    page = open_page(java_script_enabled=False)
    sign_in(page, mara)
    page.goto(f"/runs/{declined.pk}/")
    page.get_by_text("Charge 90", exact=True).click()
    page.get_by_role("link", name="Attempts, input and output").locator("visible=true").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Charge 90")


def test_deleting_asks_first_and_names_what_is_lost(page: Page, sign_in, mara, declined):
    sign_in(page, mara)
    page.goto(f"/runs/{declined.pk}/")
    page.get_by_label("More", exact=True).click()
    page.get_by_role("button", name="Delete run").click()
    dialog = page.get_by_role("dialog", name="Delete this run of Order fulfilment?")
    expect(dialog.get_by_text("are lost")).to_be_visible()
    dialog.get_by_role("button", name="Delete run").click()
    page.wait_for_url("**/runs/")
    expect(page.get_by_text("No runs yet")).to_be_visible()


def test_a_line_is_added_to_the_run_form_and_started(page: Page, sign_in, mara, declined):
    sign_in(page, mara)
    page.goto("/flows/order-fulfilment/-/run")
    for label, value in (("Order number", "A-1"), ("Customer", "tim"), ("Total", "20")):
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Article").first.fill("lamp")
    page.get_by_role("button", name="Add a line").click()
    page.get_by_label("Article").nth(1).fill("lamp")
    expect(page.get_by_role("button", name="Start")).to_be_enabled()


def test_the_text_has_line_numbers_and_findings_lead_to_their_line(page: Page, sign_in, mara, declined):
    sign_in(page, mara)
    page.goto("/flows/order-fulfilment/?tab=yaml")
    editor = page.get_by_label("Order fulfilment as YAML")
    editor.fill(TEXT.replace("next_step: refuse }", "next_step: nowhere }"))
    page.get_by_role("button", name="Check without saving").click()
    expect(page.get_by_text("1 error", exact=True)).to_be_visible()
    page.locator('a[href^="#L"]').first.click()
    chosen = editor.evaluate("text => text.value.slice(text.selectionStart, text.selectionEnd)")
    assert chosen.strip()
    expect(page.locator("[data-editor-lines]")).to_contain_text("100")


def test_publishing_asks_what_changed(page: Page, sign_in, mara, declined, assert_accessible):
    sign_in(page, mara)
    page.goto("/flows/order-fulfilment/?tab=yaml")
    page.get_by_label("Order fulfilment as YAML").fill(TEXT.replace("Reserve the goods", "Set the goods aside"))
    page.keyboard.press("Control+s")
    expect(page.get_by_text("is saved")).to_be_visible()
    page.get_by_role("link", name="Publish version 2").click()
    assert_accessible(page)
    page.get_by_role("dialog").get_by_label("What changed").fill("Clearer words")
    page.get_by_role("dialog").get_by_role("button", name="Publish version 2").click()
    expect(page.get_by_role("cell", name="Clearer words")).to_be_visible()
