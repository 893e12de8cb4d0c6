"""What the scripts of the frame do, seen from outside."""

from datetime import timedelta

from playwright.sync_api import Page, expect

OPEN_TOAST = "import('/static/js/toasts.js').then(({ toast }) => toast('Saved <b>.'))"


def test_relative_times_stay_true_while_the_page_is_open(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.clock.install()
    page.goto("/style-guide")
    first = page.locator("#tables time [data-relative]").first
    expect(first).to_have_text("just now")
    page.clock.fast_forward(timedelta(minutes=5).seconds * 1000)
    expect(first).to_have_text("6 minutes ago")


def test_server_and_browser_say_a_moment_alike(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/style-guide")
    texts = page.locator("time [data-relative]")
    said = texts.all_inner_texts()
    page.evaluate("import('/static/js/times.js').then(({ refreshTimes }) => refreshTimes())")
    assert texts.all_inner_texts() == said


def test_a_toast_is_plain_text_and_fades(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.clock.install()
    page.goto("/style-guide")
    page.evaluate(OPEN_TOAST)
    messages = page.get_by_role("region", name="Messages")
    expect(messages.get_by_text("Saved <b>.")).to_be_visible()
    page.clock.fast_forward(8_000)
    expect(messages.get_by_text("Saved <b>.")).to_have_count(0)


def test_the_copy_button_copies_the_whole_id(open_page, sign_in, mara):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    sign_in(page, mara)
    page.goto("/style-guide")
    page.get_by_role("button", name="Copy the id c3d4e5f6").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "01976a2e-7c1f-7d3a-9b1e-0000c3d4e5f6"


def test_a_second_click_does_not_send_a_form_twice(page: Page, sign_in, mara):
    sign_in(page, mara)
    page.goto("/style-guide")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.route("**/sign-out", lambda route: None)  # never answered: the person has time to click again
    page.get_by_label("You: Mara Lind").click()
    twice = "button => { button.click(); setTimeout(() => button.click(), 100); }"
    page.get_by_role("button", name="Sign out").evaluate(twice)
    page.wait_for_timeout(400)
    assert len(sent) == 1
