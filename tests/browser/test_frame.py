"""The frame of every page: rail, top bar, taste, keys; with stand-ins for pages that have tests of their own."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE

pytestmark = pytest.mark.urls("tests.browser.urls")


def test_the_frame_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, assert_accessible):
    sign_in(screen_page, mara)
    screen_page.goto("/inbox/")
    expect(screen_page.get_by_role("navigation", name="Main").get_by_text("Inbox")).to_be_visible()
    assert_accessible(screen_page)


def test_the_rail_shows_where_you_are(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    current = page.get_by_role("navigation", name="Main").locator("[aria-current=page]")
    expect(current).to_have_count(1)
    expect(current).to_contain_text("Inbox")
    expect(current).to_contain_text("3 open tasks")


def test_the_rail_stays_narrow_on_the_next_page(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_role("button", name="Narrow menu").click()
    page.goto("/library/")
    box = page.get_by_role("navigation", name="Main").bounding_box()
    assert box is not None
    assert box["width"] == 60
    expect(page.get_by_role("button", name="Wide menu")).to_be_visible()


def test_the_theme_stays_on_the_next_page(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_label("You: Mara Lind").click()
    page.get_by_role("button", name="Dark").click()
    page.goto("/library/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_phone_keeps_the_late_pages_behind_more(open_page, sign_in, mara):
    page = open_page(PHONE)
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Triggers").click()
    page.wait_for_url("**/trigger-list/")


def test_control_k_goes_to_the_search(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_a_question_mark_lists_the_shortcuts_but_not_while_typing(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_role("searchbox").press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_escape_closes_a_menu_and_gives_the_focus_back(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_label("Help").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Keyboard shortcuts")).to_be_hidden()
    expect(page.get_by_label("Help")).to_be_focused()


def test_the_skip_link_is_the_first_stop(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/inbox/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_browser_tells_the_time_zone(open_page, sign_in, mara):
    page = open_page(timezone_id="Asia/Tokyo")
    sign_in(page, mara)
    page.goto("/inbox/")
    page.goto("/style-guide")
    assert "(your time)" in (page.locator("time").first.get_attribute("title") or "")


def test_menus_taste_and_language_work_without_scripts(open_page, sign_in, mara):
    page = open_page(java_script_enabled=False)
    sign_in(page, mara)
    page.goto("/inbox/")
    page.get_by_label("You: Mara Lind").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_label("You: Mara Lind").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.url.endswith("/inbox/")
