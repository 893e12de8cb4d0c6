"""What others' products got wrong outside the canvas (reference/designer-anchors.md, section 3), tried on ours."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from demo import models as demo
from designer.models import Editing
from engine.models import InboxTask, Instance
from flows import library
from flows.loader import load
from flows.models import Flow
from flows.publishing import import_flow, publish
from flows.text import write_yaml
from tests.designer.pages.real import go_on, run
from tests.factories import UserFactory, WorkspaceFactory

STEP = "raisin:FlowStep"
EVIL = "<img src=x onerror=alert(1)>{{7*7}}"


def step(id, **properties):
    return {"id": id, "node_type": STEP, "properties": {"action": id.capitalize(), **properties}}


@pytest.fixture
def make(mara):
    """``make(node, node, title="...")``: a flow with these nodes as its draft."""
    library.sync()
    workspace = WorkspaceFactory()

    def make_flow(*nodes, title="Example", **more) -> Flow:
        properties = {"title": title, "name": "example", "workflow_data": {"version": 1, "nodes": list(nodes)}, **more}
        text = write_yaml({"node_type": "raisin:Flow", "properties": properties})
        return import_flow(workspace, text, by=mara, draft=True).flow

    return make_flow


def rename(page: Page, id: str, name: str) -> None:
    page.locator(f'[role=treeitem][data-key="{id}"] > .card-step').click()
    page.get_by_label("Name", exact=True).fill(name)


def saved(page: Page) -> None:
    expect(page.locator(".saved")).to_have_text("Saved")


def actions(flow: Flow) -> list[str]:
    flow.refresh_from_db()
    return [node["properties"]["action"] for node in load(flow.draft).workflow_data["nodes"]]


# --- 5: two browsers -----------------------------------------------------------------------------------------------------


@pytest.fixture
def two(open_page, sign_in, mara, make):
    """The same draft in two people's browsers."""
    flow = make(step("a", step_type="wait", duration="1h"), step("b", step_type="wait", duration="1h"))
    lea = UserFactory(username="lea", first_name="Lea", is_superuser=True, is_staff=True)
    pages = []
    for who in (mara, lea):
        page = open_page()
        sign_in(page, who)
        page.goto("/flows/example/-/design")
        expect(page.get_by_role("tree")).to_be_attached()
        pages.append(page)
    return flow, *pages


def test_two_browsers_that_edit_different_steps_both_keep_their_work(two):
    flow, mine, hers = two
    rename(mine, "a", "From me")
    saved(mine)
    rename(hers, "b", "From her")
    saved(hers)
    expect(hers.locator('[data-key="a"], [data-key="from_me"]').first).to_contain_text("From me")
    assert actions(flow) == ["From me", "From her"]
    assert hers.get_by_role("dialog", name="saved this flow meanwhile").count() == 0


def test_two_browsers_that_edit_one_step_are_asked_and_neither_loses_silently(two):
    flow, mine, hers = two
    rename(mine, "a", "From me")
    saved(mine)
    rename(hers, "a", "From her")
    dialog = hers.get_by_role("dialog", name="saved this flow meanwhile")
    expect(dialog).to_be_visible()
    assert actions(flow) == ["From me", "B"]
    dialog.get_by_role("button", name="Keep mine").click()
    saved(hers)
    assert actions(flow)[0] == "From her"


def test_alone_nobody_is_told_that_somebody_else_changed_it_however_often_it_saves(page: Page, sign_in, mara, make):
    flow = make(step("a", step_type="wait", duration="1h"), step("b", step_type="wait", duration="1h"))
    sign_in(page, mara)
    page.goto("/flows/example/-/design")
    begun = flow.revision
    page.locator('[role=treeitem][data-key="a"] > .card-step').click()
    for number in range(12):
        with page.expect_response(
            lambda answer: answer.url.endswith("/design/draft") and answer.request.method == "POST"
        ) as sent:
            page.get_by_label("Name", exact=True).fill(f"Name {number}")
        assert sent.value.status == 200
        saved(page)
        assert page.get_by_role("dialog").count() == 0
    flow.refresh_from_db()
    assert flow.revision >= begun + 12
    assert actions(flow)[0] == "Name 11"
    assert [each.user for each in Editing.objects.filter(flow=flow)] == [mara]


# --- 18: names that are markup -------------------------------------------------------------------------------------------


TEMPLATE = "<img src=x onerror=alert(2)>{{ input.text }}"
"""What the author writes may be a template; what it brings in is data, which is markup, too, and is evaluated no second time."""
SAID = f"<img src=x onerror=alert(2)>{EVIL}"


@pytest.fixture
def evil(mara, make):
    """A flow in which everything that people name is markup, and a run of it that waits for an answer."""
    UserFactory(username="manager", first_name="<img src=x onerror=alert(3)>", last_name="{{7*7}}")
    options = [{"value": TEMPLATE, "label": TEMPLATE, "style": "success"}, {"value": "no", "label": "No"}]
    asked = {"task_description": TEMPLATE, "data": {TEMPLATE: TEMPLATE}, "options": options, "note": EVIL}
    mail = {"to": "tim@example.org", "subject": TEMPLATE, "because": TEMPLATE}
    goods = {"order": TEMPLATE, "lines": [{"sku": TEMPLATE, "quantity": 1}]}
    human = {"step_type": "human_task", "task_type": "approval", "assignee": "/users/mara"}
    flow = make(
        step("ask", **{**human, **asked, "action": TEMPLATE}),
        step("tell", **{"function_ref": "/shop/mail/send", "arguments": mail, "action": TEMPLATE}),
        step("reserve", **{"function_ref": "/shop/stock/reserve", "arguments": goods, "action": TEMPLATE}),
        title=EVIL,
        description=EVIL,
    )
    version = publish(flow, by=mara, note=EVIL)
    values: dict[str, Any] = {EVIL: EVIL, "text": EVIL}
    return run(version, user=mara, **values)


@pytest.fixture
def careful(page: Page, sign_in, mara, evil):
    """``careful(address)``: open it; nothing of it became an element, no script ran, nothing was evaluated."""
    sign_in(page, mara)
    page.route("**/events?*", lambda route: route.fulfill(status=204))
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))

    def look(address: str = "", *, shows: bool = True) -> None:
        if address:
            page.goto(address)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach((each) => { each.open = true })")
        page.wait_for_load_state("networkidle")
        assert page.locator("img[src=x]").count() == 0
        text = page.locator("body").inner_text()
        assert ">49" not in text + page.title()
        assert not shows or "onerror=alert(1)" in text, address or page.url

    return look


def test_markup_is_text_on_every_page_of_a_run_and_its_task(careful, page: Page, evil: Instance, mara):
    task = f"/inbox/{InboxTask.objects.get().pk}/"
    flow = ["/flows/example/", "/flows/example/?tab=outline", "/flows/example/?tab=yaml", "/flows/example/-/versions/1"]
    for address in ("/", *flow, "/flows/example/-/run?mode=test", "/runs/", "/inbox/", task):
        careful(address)
    page.get_by_label("Comment").fill(EVIL)
    page.locator("form.task-form button[name=action]").first.click()
    careful()
    assert InboxTask.objects.get().response == {"action": SAID, "comment": EVIL}
    careful(task)
    failed = go_on(evil)
    assert failed.status == "failed" and "onerror" in str(failed.error)
    for tab in ("", "?tab=data", "?tab=events", "?tab=failure", "?tab=diagram"):
        careful(f"/runs/{evil.pk}/{tab}")
    for address in (
        "/runs/?status=failed",
        "/runs/held-and-failed?kind=failed",
        f"/runs/-/bulk?action=resume&run={evil.pk}",
    ):
        careful(address)


def test_markup_is_text_in_a_question_before_something_is_deleted(careful, page: Page, evil: Instance):
    go_on(evil)
    page.goto(f"/runs/{evil.pk}/")
    page.get_by_role("button", name="Cancel", exact=False).first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    careful(shows=False)


def test_markup_is_text_in_the_saved_picture_and_in_the_mail(careful, page: Page, evil: Instance):
    page.goto("/flows/example/-/design")
    expect(page.get_by_role("tree")).to_be_attached()
    careful()
    page.get_by_label("More", exact=True).first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a picture").click()
    picture = download.value.path().read_text()
    assert "<img" not in picture and "&lt;img src=x" in picture and re.search(r">49<", picture) is None
    page.goto(f"/inbox/{InboxTask.objects.get().pk}/")
    page.locator("form.task-form button[name=action]").first.click()
    page.wait_for_url("**/inbox/")
    go_on(evil)
    mail = demo.Mail.objects.get()
    assert (mail.subject, mail.text) == (SAID, SAID)
