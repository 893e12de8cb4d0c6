"""Chromium for tests of pages: real server, real browser, and a look at the accessibility of what it shows.

``page`` is a desktop; ``screen_page`` repeats a test on desktop and phone, light and dark; ``open_page(PHONE_DARK)``
opens another. ``sign_in(page, user)`` skips the form. A script error or anything the content security policy refused
fails the test that saw it. Without Chromium the tests are skipped with the reason; with CI=true they fail.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PATIENCE = 10_000  # milliseconds before a missing element fails the test


@dataclass(frozen=True)
class Screen:
    """A window and the colours its owner likes."""

    name: str
    width: int
    height: int
    dark: bool = False


DESKTOP = Screen("desktop", 1280, 800)
DESKTOP_DARK = Screen("desktop-dark", 1280, 800, dark=True)
PHONE = Screen("phone", 375, 812)
PHONE_DARK = Screen("phone-dark", 375, 812, dark=True)
SCREENS = [DESKTOP, DESKTOP_DARK, PHONE, PHONE_DARK]

OpenPage: TypeAlias = Callable[..., Page]


def chromium() -> str:
    """The path of Debian's Chromium. Missing: the test is skipped, or fails where CI promised it."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path:
        return path
    reason = "Chromium is not installed: apt-get install chromium"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium a module: while it is up an event loop runs in this thread, which other modules must not meet."""
    path = chromium()
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # the loop is Playwright's own; tests use the database beside it
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer) -> Iterator[OpenPage]:
    """``open_page(screen, **options)``: a window of its own with relative URLs; options go to Playwright's context."""
    faults: list[str] = []
    contexts = []

    def open_one(screen: Screen = DESKTOP, **options: object) -> Page:
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": screen.width, "height": screen.height},
            color_scheme="dark" if screen.dark else "light",
            reduced_motion="reduce",
            **{"locale": "en-GB", **options},  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.extend(_fault(message)))
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not faults, "the browser complained:\n" + "\n".join(faults)


def _fault(message: ConsoleMessage) -> list[str]:
    """Errors on the console; a page that answers 4xx is the test's business."""
    is_fault = message.type == "error" and "responded with a status of 4" not in message.text
    return [message.text] if is_fault else []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(DESKTOP)


@pytest.fixture(params=SCREENS, ids=lambda screen: screen.name)
def screen_page(request: pytest.FixtureRequest, open_page: OpenPage) -> Page:
    """The test runs once on each of SCREENS."""
    return open_page(request.param)


@pytest.fixture
def sign_in(live_server: LiveServer) -> Callable[[Page, User], None]:
    """``sign_in(page, user)`` gives the page's window a session, without the form."""

    def give_session(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])

    return give_session


@pytest.fixture
def mara(transactional_db: None) -> User:
    """Somebody from the staff, who may see everything."""
    return User.objects.create_superuser("mara", "mara@example.org", "mara", first_name="Mara", last_name="Lind")


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """``assert_accessible(page)``: axe finds nothing, and nothing sticks out at the right."""

    def check(page: Page) -> None:
        result = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
        assert result.violations_count == 0, result.generate_report()
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, f"{page.url} is {too_wide} px wider than the window"

    return check
