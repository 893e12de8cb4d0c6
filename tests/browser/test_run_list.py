"""The list of runs in a browser: accessible on each screen, and usable with the keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from demo.models import StockItem
from designer import bulk_errands, saved_views
from engine import errands
from engine.models import Instance
from flows.publishing import import_flow
from flows.versions import newest_published
from tests.designer.pages.real import DECLINED, FLOWS, LARGE, ORDER, run
from tests.factories import InstanceFactory, UserFactory, WorkspaceFactory


@pytest.fixture
def runs(mara):
    """Runs that completed, were rolled back, and wait; and two saved views."""
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    text = (FLOWS / "order-fulfilment.yaml").read_text()
    flow = import_flow(WorkspaceFactory(), text, by=mara, publish=True).flow
    version = newest_published(flow.workspace_id, flow.path)
    assert version is not None
    made = [run(version, user=mara, **values) for values in (ORDER, DECLINED, LARGE, LARGE)]
    saved_views.save(mara, "default", name="Failed orders of today", query="status=failed&since=today", is_shared=False)
    saved_views.save(mara, "default", name="Waiting", query="status=waiting", is_shared=True)
    return made


def test_every_page_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, runs, assert_accessible):
    sign_in(screen_page, mara)
    chosen = "&".join(f"run={each.pk}" for each in runs)
    for url in (
        "/runs/",
        "/runs/?flow=/flows/order-fulfilment&version=1&step=charge_card&status=failed&status=rolled_back&from=2026-01-01&q=A",
        f"/runs/-/bulk?action=cancel&{chosen}",
        f"/runs/-/bulk?action=delete&{chosen}",
        "/runs/-/views?status=failed",
    ):
        screen_page.goto(url)
        assert_accessible(screen_page)


def test_menus_dialog_and_what_is_chosen_are_accessible_too(screen_page: Page, sign_in, mara, runs, assert_accessible):
    page = screen_page
    sign_in(page, mara)
    page.goto("/runs/")
    page.get_by_role("checkbox", name="Choose the run").first.check()
    expect(page.get_by_text("1 run chosen")).to_be_visible()
    assert_accessible(page)
    page.locator("summary", has_text="Export").click()
    assert_accessible(page)
    page.locator("summary", has_text="Views").click()
    assert_accessible(page)
    page.get_by_role("link", name="Save these filters").click()
    expect(page.get_by_role("dialog", name="Save these filters")).to_be_visible()
    assert_accessible(page)


def test_several_runs_are_cancelled_with_the_keyboard_alone(page: Page, sign_in, mara, runs):
    sign_in(page, mara)
    page.goto("/runs/?status=waiting")
    page.get_by_role("checkbox", name="Choose all runs").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("2 runs chosen")).to_be_visible()
    page.get_by_role("button", name="Cancel runs").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancel 2 runs?")
    page.get_by_role("button", name="Cancel 2 runs").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 runs are being cancelled.")).to_be_visible()
    assert Instance.objects.filter(status="cancelled").count() == 2


def test_without_scripts_runs_are_chosen_and_views_saved_all_the_same(open_page, sign_in, mara, runs):
    page = open_page(java_script_enabled=False)
    sign_in(page, mara)
    page.goto("/runs/?status=waiting")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Cancel runs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancel 1 run?")
    page.get_by_role("link", name="Go back").click()
    page.locator("summary", has_text="Views").click()
    page.get_by_role("link", name="Save these filters").click()
    page.get_by_label("Name of the view").fill("Mine")
    page.get_by_role("button", name="Save view").click()
    expect(page.get_by_text("The view “Mine” is saved.")).to_be_visible()
    assert page.url.endswith("/runs/?status=waiting")


def test_another_flow_begins_without_the_versions_of_this_one(page: Page, sign_in, mara, runs):
    sign_in(page, mara)
    page.goto("/runs/?flow=/flows/order-fulfilment&version=1")
    page.get_by_label("Flow", exact=True).select_option("")
    page.wait_for_url(lambda url: "version=1" not in url)
    expect(page.get_by_role("row", name="Order fulfilment")).to_have_count(4)


def test_all_runs_that_fit_the_filters_are_cancelled_and_the_page_follows(
    screen_page: Page, sign_in, mara, runs, assert_accessible
):
    page = screen_page
    InstanceFactory.create_batch(60, version=runs[0].version, status="waiting", started_by=mara)
    sign_in(page, mara)
    page.goto("/runs/?status=waiting")
    everything = page.get_by_role("checkbox", name="All that fit the filters: 62 runs")
    expect(everything).to_be_hidden()
    for each in page.get_by_role("checkbox", name="Choose the run").all():
        each.check()
    everything.check()
    expect(page.locator("[data-bulk-count]")).to_have_text("62 runs")
    page.get_by_role("navigation", name="Pages").scroll_into_view_if_needed()  # else the bar lies on a row
    assert_accessible(page)
    page.get_by_role("button", name="Cancel runs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancel all runs that fit?")
    assert_accessible(page)
    page.get_by_role("button", name="Cancel runs").click()
    expect(page.get_by_text("Going on")).to_be_visible()
    assert_accessible(page)
    [errand] = errands.latest(bulk_errands.FUNCTION, most=2)
    bulk_errands.carry_on(str(errand.id))
    expect(page.get_by_text("50 runs looked at")).to_be_visible()
    bulk_errands.carry_on(str(errand.id))
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert_accessible(page)
    page.get_by_role("link", name="Actions on many runs").click()
    expect(page.get_by_role("link", name="Cancel runs")).to_be_visible()
    assert_accessible(page)
    assert set(Instance.objects.filter(started_by=mara, parent=None).values_list("status", flat=True)).isdisjoint(
        {"waiting"}
    )
