"""The style guide shows every component: what is accessible there is accessible on the pages."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE


def test_every_component_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, assert_accessible):
    sign_in(screen_page, mara)
    screen_page.goto("/style-guide")
    assert_accessible(screen_page)


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=lambda screen: screen.name)
def test_open_menus_and_dialogs_are_accessible(open_page, screen, sign_in, mara, assert_accessible):
    page = open_page(screen)
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_label("You: Mara Lind").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open a dialog").click()
    assert_accessible(page)


def test_a_confirmation_names_the_consequences_and_can_be_left(page: Page, sign_in, mara, assert_accessible):
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_role("button", name="Cancel run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Cancel this run of Order fulfilment?")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.url.endswith("/style-guide")


def test_a_confirmation_posts_once_the_verb_is_pressed(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_role("button", name="Cancel run", exact=True).click()
    with page.expect_request(lambda request: request.method == "POST") as posted:
        page.get_by_role("dialog").get_by_role("button", name="Cancel run").click()
    assert posted.value.url.endswith("/style-guide")


def test_the_bulk_bar_counts_what_is_selected(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_label("Select the run of Purchase approval").check()
    expect(page.get_by_text("1 run selected")).to_be_visible()
    page.get_by_label("Select all runs").check()
    expect(page.get_by_text("6 runs selected")).to_be_visible()
    page.get_by_label("Select all runs").uncheck()
    expect(page.get_by_text("runs selected")).to_be_hidden()


def test_rows_become_cards_that_name_their_cells_on_a_phone(open_page, sign_in, mara):
    page = open_page(PHONE)
    sign_in(page, mara)
    page.goto("/style-guide")
    row = page.get_by_role("row").filter(has_text="Refund triage")
    expect(row).to_have_css("display", "grid")
    expect(row.get_by_role("cell").nth(1)).to_have_attribute("data-label", "Status")
