"""The Run dialog in a browser: each choice of the mock editor drives the path that it names, and nothing outside is touched."""

import subprocess
import sys

import pytest
from django.core import mail
from django.db.models import F
from playwright.sync_api import Locator, Page, expect

from demo import models as demo
from engine import driver
from engine.models import Compensation, InboxTask, Instance, Visit
from engine.ports_production import ports
from flows import library
from flows.models import Flow, HttpFunction, LibraryFunction
from flows.publishing import import_flow
from tests.browser.conftest import PHONE, PHONE_DARK
from tests.designer.pages.real import FLOWS
from tests.designer.server import ROOT
from tests.factories import UserFactory, WorkspaceFactory

URL = "/flows/order-fulfilment/-/run"
TOUCHED = (demo.Reservation, demo.CourierBooking, demo.Charge, demo.Refund, demo.Mail)


@pytest.fixture(autouse=True)
def forgotten_library():
    """A process keeps what the library says for some seconds; a test's own functions are gone by then."""
    yield
    library.forget()


@pytest.fixture
def flow(mara):
    UserFactory(username="manager", first_name="Manager")
    demo.StockItem.objects.create(sku="lamp", title="Lamp", available=9)
    return import_flow(WorkspaceFactory(), (FLOWS / "order-fulfilment.yaml").read_text(), by=mara, publish=True).flow


@pytest.fixture
def dialog(page: Page, sign_in, mara, flow) -> Page:
    """The dialog with *Test run* chosen and an order filled in."""
    sign_in(page, mara)
    page.route("**/events?*", lambda route: route.fulfill(status=204))  # the server of these tests has no streams
    page.goto("/flows/order-fulfilment/")
    page.get_by_role("link", name="Test", exact=True).click()
    expect(page.get_by_label("Test run", exact=False).first).to_be_checked()
    fill_in(page)
    courier = mock(page, "Book a courier").get_by_label("Answer as JSON")
    courier.fill('{"booking": "C-1", "abroad": false}')  # nobody has to look at an order that stays at home
    return page


def fill_in(page: Page, total: str = "120") -> None:
    for label, value in (("Order number", "A-7"), ("Customer", "tim"), ("Total", total), ("Deliver to", "CH")):
        page.get_by_label(label, exact=True).or_(page.get_by_label(f"{label} (optional)", exact=True)).fill(value)
    page.get_by_label("Article").first.fill("lamp")


def mock(page: Page, title: str) -> Locator:
    return page.get_by_role("group", name=title, exact=True)


def choose(page: Page, title: str, words: str, *, answer: int = 0) -> Locator:
    """Choose what a function does at its first, second ... call; answers with the lines of that call."""
    line = mock(page, title).locator(".answer").nth(answer)
    line.get_by_role("combobox").select_option(label=words)
    return line


def start(page: Page) -> Instance:
    """Start, and let a worker carry it out."""
    page.get_by_role("button", name="Start test run").click()
    page.wait_for_url("**/runs/*/")
    return go_on(page)


def go_on(page: Page) -> Instance:
    run = Instance.objects.get(pk=page.url.rstrip("/").rsplit("/", 1)[1])
    for _ in range(40):
        driver.drive(run.pk, ports())
        run.refresh_from_db()
        rests = run.wait_kind == "human_task" and run.signal_count == run.signals_seen
        if rests or run.status not in ("pending", "running", "waiting"):
            break
    page.reload()
    return run


def assert_untouched() -> None:
    """Nothing in the shop's tables, no mail, nobody's inbox."""
    assert [model.__name__ for model in TOUCHED if model.objects.exists()] == []
    assert demo.StockItem.objects.get().available == 9
    assert mail.outbox == []
    assert not InboxTask.objects.filter(is_test=False).exists()


def test_it_is_accessible_on_each_screen(screen_page: Page, sign_in, mara, flow, assert_accessible):
    sign_in(screen_page, mara)
    for mode in ("real", "test"):
        screen_page.goto(f"{URL}?mode={mode}")
        assert_accessible(screen_page)
    for closed in screen_page.locator(".mock-fold:not([open])").all()[::-1]:
        closed.locator("summary").click()
    for place, words in enumerate(("fails with …", "never answers", "real", "is lost: nobody knows whether it acted")):
        screen_page.locator(".mock").nth(place).get_by_role("combobox").select_option(label=words)
    assert_accessible(screen_page)


def test_on_a_phone_each_function_is_one_row_that_opens(open_page, sign_in, mara, flow, assert_accessible):
    for screen in (PHONE, PHONE_DARK):
        page = open_page(screen)
        sign_in(page, mara)
        page.goto(f"{URL}?mode=test")
        line = mock(page, "Charge a card")
        expect(page.get_by_role("combobox", name="What Charge a card does")).to_be_hidden()
        expect(line.locator("summary")).to_contain_text("answers with …")
        assert_accessible(page)
        tall = page.locator("section.mocks").first.bounding_box()
        assert tall is not None and tall["height"] < 8 * 90 + 160  # eight functions
        line.locator("summary").focus()
        page.keyboard.press("Enter")
        choose(page, "Charge a card", "never answers")
        line.get_by_role("button", name="Another answer").click()
        assert_accessible(page)
        line.locator("summary").click()
        expect(line.locator("summary")).to_contain_text("never answers · answers with …")


def test_on_a_phone_what_cannot_be_read_is_open(open_page, sign_in, mara, flow):
    page = open_page(PHONE)
    sign_in(page, mara)
    page.goto(f"{URL}?mode=test")
    fill_in(page)
    mock(page, "Charge a card").locator("summary").click()
    mock(page, "Charge a card").get_by_label("Answer as JSON").fill("{")
    page.get_by_role("button", name="Start test run").click()
    expect(page.get_by_text("This is not JSON.")).to_be_visible()
    expect(page.get_by_role("combobox", name="What Send a mail does")).to_be_hidden()


def test_a_lost_call_and_a_request_of_an_isolated_test_say_what_comes_of_them(dialog: Page):
    draft = (FLOWS / "order-fulfilment.yaml").read_text().replace("/shop/courier/book", "/lib/reserve-courier")
    Flow.objects.update(draft=draft)
    LibraryFunction.objects.filter(path="/shop/mail/send").delete()
    HttpFunction.objects.create(path="/shop/mail/send", title="Write to them", url="https://mail.example.org/")
    dialog.reload()
    lost = choose(dialog, "Reserve courier", "is lost: nobody knows whether it acted")
    expect(lost.get_by_text("so this counts as a plain failure")).to_be_visible()
    sent = choose(dialog, "Write to them", "real")
    expect(sent.get_by_text("so it is refused")).to_be_visible()
    dialog.get_by_role("checkbox", name="Keep it to itself").uncheck()
    expect(sent.get_by_text("so it is refused")).to_be_hidden()
    expect(sent.get_by_text("It is really called")).to_be_visible()


def test_what_is_chosen_decides_what_is_shown(dialog: Page):
    expect(dialog.get_by_text("This is a test.")).to_be_visible()
    line = choose(dialog, "Charge a card", "fails with …")
    expect(line.get_by_label("Code")).to_be_visible()
    expect(dialog.get_by_text("Something is left real.")).to_be_hidden()
    line = choose(dialog, "Charge a card", "real")
    expect(line.get_by_text("changes things outside this test")).to_be_visible()
    expect(line.get_by_label("Code")).to_be_hidden()
    expect(dialog.get_by_text("Something is left real.")).to_be_visible()
    dialog.get_by_role("button", name="Mock everything").click()
    expect(dialog.get_by_text("Something is left real.")).to_be_hidden()
    dialog.get_by_text("Real run", exact=True).click()
    expect(dialog.get_by_text("This is a test.")).to_be_hidden()
    expect(dialog.get_by_role("button", name="Start real run")).to_be_visible()


def test_the_keyboard_alone_starts_a_test(dialog: Page):
    dialog.get_by_label("Order number", exact=True).focus()
    dialog.keyboard.press("Enter")
    dialog.wait_for_url("**/runs/*/")
    assert Instance.objects.get().is_test is True


PATHS = {
    "answers with what it is given": ("rolled_back", "failed"),  # that is no charge, which the function promises
    "answers with …": ("completed", "succeeded"),
    "fails with …": ("rolled_back", "failed"),
    "never answers": ("rolled_back", "failed"),
    "is lost: nobody knows whether it acted": ("completed", "succeeded"),
}


@pytest.mark.parametrize(("words", "comes"), PATHS.items())
def test_each_behaviour_drives_its_path(words, comes, dialog: Page):
    lost = words.startswith("is lost")
    choose(dialog, "Charge a card", words)
    if lost:  # it may be called again, for it takes a key: the second call answers
        mock(dialog, "Charge a card").get_by_role("button", name="Another answer").click()
    run = start(dialog)
    status = (run.status, Visit.objects.get(instance=run, node_id="charge_card").outcome)
    assert status == comes
    assert_untouched()


def test_a_real_function_among_mocks_is_really_called(dialog: Page):
    choose(dialog, "Reserve goods", "real")
    run = start(dialog)
    assert run.status == "completed"
    assert demo.Reservation.objects.count() == 1
    assert not demo.Charge.objects.exists()


def test_a_task_is_answered_in_advance_or_on_the_runs_page(dialog: Page, mara):
    dialog.get_by_label("Total", exact=True).fill("900")
    run = start(dialog)
    assert run.wait_kind == "human_task"
    dialog.get_by_role("link", name="Open the task").click()
    dialog.get_by_role("button", name="Refuse the order").click()
    dialog.wait_for_url("**/runs/*/")
    assert go_on(dialog).status == "stopped"
    dialog.goto(f"{URL}?from={run.pk}&mode=test")
    dialog.get_by_role("combobox", name="What is answered to").select_option(label="answers “clear”")
    assert start(dialog).status == "completed"
    assert_untouched()


def test_a_charge_that_times_out_then_succeeds_then_a_courier_that_fails_is_rolled_back(dialog: Page, tmp_path):
    choose(dialog, "Charge a card", "never answers")
    mock(dialog, "Charge a card").get_by_role("button", name="Another answer").click()
    choose(dialog, "Charge a card", "answers with …", answer=1).get_by_label("Answer as JSON").fill('{"charge": "P-1"}')
    handed = choose(dialog, "Hand over to the courier", "fails with …")
    handed.get_by_label("Message").fill("The courier did not come.")
    handed.get_by_label("Code").fill("no_courier")
    run = start(dialog)
    assert run.status == "rolled_back"
    assert Visit.objects.get(instance=run, node_id="charge_card").attempts == 2
    undone = Compensation.objects.filter(instance=run, state="done").order_by("started_at", F("position").desc())
    assert list(undone.values_list("path", flat=True)) == [
        "/shop/payment/refund",
        "/shop/courier/cancel",
        "/shop/stock/release",
    ]
    assert_untouched()
    expect(dialog.get_by_text("The courier did not come.").first).to_be_visible()
    dialog.get_by_label("More", exact=True).click()
    with dialog.expect_download() as copied:
        dialog.get_by_role("link", name="Copy as scenario").click()
    file = tmp_path / copied.value.suggested_filename
    copied.value.save_as(file)
    assert "/shop/payment/refund" in file.read_text()
    played = subprocess.run(
        [sys.executable, "manage.py", "flow", "test", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (played.returncode, played.stdout.strip().splitlines()[-1]) == (0, "1 passed, 0 failed"), played.stdout


def test_a_sample_is_kept_and_taken_again(dialog: Page):
    choose(dialog, "Charge a card", "never answers")
    dialog.get_by_text("Keep this as a sample").click()
    dialog.get_by_label("Name of the sample").fill("Never paid")
    dialog.get_by_role("button", name="Keep", exact=True).click()
    expect(dialog.get_by_text("Kept as Never paid.")).to_be_visible()
    dialog.goto(URL)
    dialog.get_by_role("link", name="Never paid").click()
    expect(dialog.get_by_label("Order number", exact=True)).to_have_value("A-7")
