"""What a first-time user does outside the canvas, with the actions counted (reference/designer-anchors.md, section 4: 5 to 8)."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from demo import models as demo
from engine import driver
from engine.models import InboxTask, Instance, Visit
from engine.ports_production import ports
from flows import library
from tests.browser.conftest import PHONE
from tests.browser.person import Person
from tests.designer.pages.real import go_on, published, run
from tests.factories import UserFactory, WorkspaceFactory

STEP = "raisin:FlowStep"


def step(id, action, **properties):
    return {"id": id, "node_type": STEP, "properties": {"action": action, **properties}}


def call(id, action, function, undo=None, **arguments):
    more = {"compensation_ref": undo, "compensation_input_mapping": {"of": "${output}"}} if undo else {}
    return step(id, action, function_ref=function, arguments=arguments, **more)


@pytest.fixture
def shop(mara):
    WorkspaceFactory()
    library.sync()
    demo.StockItem.objects.create(sku="lamp", title="Lamp", available=9)
    return mara


@pytest.fixture
def person(page: Page, sign_in, shop) -> Person:
    page.route("**/events?*", lambda route: route.fulfill(status=204))  # the server of these tests has no streams
    sign_in(page, shop)
    return Person(page)


def carry_out(page: Page) -> Instance:
    """What the workers do with the run whose page is open."""
    found = go_on(Instance.objects.get(pk=page.url.rstrip("/").rsplit("/", 1)[1]))
    page.reload()
    return found


def test_a_flow_is_tried_with_nothing_real_and_a_payment_that_fails_and_one_sees_what_is_undone(person: Person):
    published(
        {
            "nodes": [
                call("reserve", "Reserve the goods", "/shop/stock/reserve", "/shop/stock/release", order="1"),
                call("book", "Book a courier", "/shop/courier/book", "/shop/courier/cancel", order="1"),
                call("tell", "Tell the customer", "/shop/mail/send", to="tim", subject="Soon"),
                call("charge", "Charge the card", "/shop/payment/charge", "/shop/payment/refund", total=12),
                call("hand_over", "Hand over", "/shop/courier/hand-over", booking="1"),
            ]
        },
        path="/flows/five",
        title="Five steps",
    )
    page = person.page
    page.goto("/flows/five/")
    person.click(page.get_by_role("link", name="Test", exact=True))
    person.select(page.get_by_role("combobox", name="What Charge a card does"), "fails with …")
    person.click(page.get_by_role("button", name="Start test run"))
    page.wait_for_url("**/runs/*/")
    assert carry_out(page).status == "rolled_back"
    person.click(page.get_by_role("link", name="Undo"))
    expect(page.locator(".visits .visit-name")).to_have_text(["Book a courier", "Reserve the goods"])
    assert person.actions <= 5, person.actions
    for model in (demo.Reservation, demo.CourierBooking, demo.Charge, demo.Mail):
        assert not model.objects.exists()


def test_on_a_phone_a_request_is_rejected_with_a_comment_in_three_actions(open_page, sign_in, shop):
    boss = UserFactory(username="boss", first_name="Bea")
    approval = {"step_type": "human_task", "task_type": "approval", "assignee": "/users/boss"}
    facts = {"data": {"total": "${input.total}"}}
    version = published({"nodes": [step("ask", "Approve the order", **approval, **facts)]})
    run(version, user=shop, total=4711)
    page = open_page(PHONE)
    sign_in(page, boss)
    person = Person(page)
    person.follow(f"/inbox/{InboxTask.objects.get().pk}/")
    expect(page.get_by_text("4711")).to_be_visible()
    person.click(page.get_by_label("Comment"))
    page.keyboard.type("Too dear.")
    person.click(page.get_by_role("button", name="Reject"))
    expect(page.get_by_text("Answered: Approve the order.")).to_be_visible()
    assert person.actions <= 3, person.actions
    task = InboxTask.objects.get()
    assert (task.completed_by, task.response) == ("/users/boss", {"action": "reject", "comment": "Too dear."})


def test_of_ten_alike_requests_nine_are_approved_and_one_is_given_to_a_colleague_in_nine_actions(
    person: Person, shop, assert_accessible
):
    UserFactory(username="cleo", first_name="Cleo", last_name="Carr")
    approval = {"step_type": "human_task", "task_type": "approval", "assignee": "/users/mara"}
    version = published({"nodes": [step("ask", "Approve {{ input.item }}", **approval)]})
    for number in range(10):
        run(version, user=shop, item=f"request {number}")
    page = person.page
    page.goto("/inbox/")
    person.click(page.get_by_role("checkbox", name="Choose all"))
    person.click(page.get_by_role("checkbox", name="Choose Approve request 7"))
    expect(page.get_by_text("9 tasks chosen")).to_be_visible()
    assert_accessible(page)
    person.click(page.get_by_role("button", name="Approve"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer “Approve” to 9 tasks?")
    assert_accessible(page)
    person.click(page.get_by_role("button", name="Approve"))
    expect(page.get_by_text("9 tasks are answered.")).to_be_visible()
    person.click(page.get_by_role("link", name="Approve request 7"))
    person.click(page.get_by_text("Give it to a colleague"))
    assert_accessible(page)
    person.select(page.get_by_label("To whom"), "Cleo Carr")
    person.click(page.get_by_role("button", name="Give it away"))
    expect(page.get_by_text("Cleo Carr is asked now: Approve request 7.")).to_be_visible()
    assert person.actions <= 9, person.actions
    left = InboxTask.objects.get(status="pending")
    assert (left.title, left.assignee) == ("Approve request 7", "/users/cleo")
    assert InboxTask.objects.filter(status="completed", completed_by="/users/mara").count() == 9


def test_yesterdays_failed_run_is_found_understood_and_resumed_at_its_failed_step_in_five_actions(person: Person, shop):
    tell = call("tell", "Tell the customer", "/shop/mail/send", to="tim@example.org", subject="Soon")
    reserve = call(
        "reserve", "Reserve the goods", "/shop/stock/reserve", order="A-1", lines=[{"sku": "lamp", "quantity": 99}]
    )
    version = published({"nodes": [tell, reserve]}, path="/flows/order", title="Order")
    failed = run(version, user=shop)
    assert (failed.status, failed.failed_node) == ("failed", "reserve")
    day = timedelta(days=1)
    assert failed.started_at and failed.ended_at
    Instance.objects.filter(pk=failed.pk).update(
        created_at=failed.created_at - day, started_at=failed.started_at - day, ended_at=failed.ended_at - day
    )
    demo.StockItem.objects.update(available=200)
    page = person.page
    page.goto("/")
    person.click(page.get_by_role("link", name="Held and failed"))
    person.click(page.get_by_role("link", name="Failed 1"))
    card = page.get_by_role("article", name="Order")
    expect(card).to_contain_text("1 day ago")
    expect(card.get_by_text("Not enough 'lamp' in stock").first).to_be_visible()
    person.click(card.get_by_role("button", name="Resume"))
    person.click(page.get_by_role("dialog").get_by_role("button", name="Resume"))
    page.wait_for_url(f"**/runs/{failed.pk}/**")
    driver.drive(failed.pk, ports())
    failed.refresh_from_db()
    assert failed.status == "completed"
    assert person.actions <= 5, person.actions
    assert demo.Mail.objects.count() == 1 and Visit.objects.filter(instance=failed, node_id="tell").count() == 1
