"""The first page anybody sees."""

from playwright.sync_api import Page, expect


def test_sign_in_is_accessible_on_each_screen(screen_page: Page, assert_accessible):
    screen_page.goto("/sign-in")
    assert_accessible(screen_page)


def test_a_person_signs_in_and_lands_where_they_wanted(page: Page, mara):
    page.goto("/sign-in?next=/style-guide")
    page.get_by_label("User name").fill("mara")
    page.get_by_label("Password", exact=True).fill("mara")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Style guide")).to_be_visible()


def test_a_wrong_password_is_said_kindly_and_the_name_is_kept(page: Page, mara, assert_accessible):
    page.goto("/sign-in")
    page.get_by_label("User name").fill("mara")
    page.get_by_label("Password", exact=True).fill("tomato")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    expect(page.get_by_label("User name")).to_have_value("mara")
    assert_accessible(page)


def test_the_password_can_be_looked_at(page: Page, transactional_db):
    page.goto("/sign-in")
    field = page.get_by_label("Password", exact=True)
    page.get_by_role("button", name="Show the password").click()
    expect(field).to_have_attribute("type", "text")
    page.get_by_role("button", name="Show the password").click()
    expect(field).to_have_attribute("type", "password")


def test_signing_out_leads_back_to_the_sign_in(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_label("You: Mara Lind").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
