"""A run's page keeps up with its run, on the real web server."""

from collections.abc import Iterator

import pytest
from django.test import override_settings
from playwright.sync_api import Page, expect

from demo.models import StockItem
from engine import inbox
from engine.driver import drive
from engine.models import InboxTask
from engine.ports_production import ports
from tests.designer.pages.real import LARGE, demo_flow, run
from tests.designer.server import Server, running_server
from tests.factories import UserFactory


@pytest.fixture
def live_server(process_environment: dict[str, str]) -> Iterator[Server]:
    """Streams need the server that people use, not the one that tests usually do with."""
    with running_server(process_environment) as server:
        # pytest-django switches these on for whatever has this name; the server is a process with its own
        setattr(server, "_live_server_modified_settings", override_settings())  # noqa: B010
        yield server


@pytest.fixture
def waiting(live_server, mara):
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    return run(demo_flow("order-fulfilment"), user=mara, **LARGE)


def test_an_answer_shows_without_reloading_and_what_is_open_stays_open(page: Page, sign_in, mara, waiting):
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/")
    expect(page.get_by_text("Waits for Manager to answer")).to_be_visible()
    page.get_by_text("Reserve the goods", exact=True).click()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "clear"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("Completed in")).to_be_visible()
    expect(page.get_by_text("Send the confirmation", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)


def test_a_page_whose_stream_cannot_be_had_asks_again_and_again(open_page, sign_in, mara, waiting):
    page = open_page()
    page.route("**/events?*", lambda route: route.fulfill(status=204))
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/?tab=events")
    expect(page.get_by_text("waits for a person")).to_be_visible()
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "refuse"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("The run was stopped on purpose")).to_be_visible()


def test_the_diagram_follows_the_run_and_can_be_gone_back_through(page: Page, sign_in, mara, waiting):
    sign_in(page, mara)
    page.goto(f"/runs/{waiting.pk}/?tab=diagram")
    canvas = page.get_by_label("Diagram")
    expect(canvas.get_by_text("Waiting").first).to_be_visible()
    expect(page.get_by_label("Replay")).to_have_count(0)
    task = InboxTask.objects.get(instance=waiting)
    inbox.complete(task.pk, by="/users/manager", response={"action": "clear"}, ports=ports())
    drive(waiting.pk, ports())
    expect(page.get_by_text("Completed in")).to_be_visible()
    expect(canvas.get_by_text("Waiting")).to_have_count(0)
    page.reload()
    canvas.get_by_text("Reserve the goods", exact=True).click()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()
    slider = page.get_by_label("Replay")
    slider.fill("1")
    expect(canvas.get_by_text("Running")).to_have_count(1)
    expect(canvas.get_by_text("Succeeded")).to_have_count(0)
    slider.press("End")
    expect(canvas.get_by_text("Succeeded").first).to_be_visible()
