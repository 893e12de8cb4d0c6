"""What a person at the designer waits for, on one flow in one browser window."""

from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser, Page

PROBES = Path(__file__).with_name("probes.js").read_text()
LETTERS = "Send a reminder letter to them"
FRAMES = 120


class Visit:
    """A page that is open on a flow."""

    def __init__(self, page: Page, opened: dict[str, float]) -> None:
        self.page, self.opened = page, opened

    def baseline(self, rounds: int = 7) -> float:
        return median(float(self.page.evaluate("bench.baseline()")) for _ in range(rounds))

    def inserts(self, rounds: int) -> list[dict[str, float]]:
        """A step put in by the list at a ``+``, at places spread over the flow."""
        slots: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('.slot-line')].map((slot) => slot.dataset.slot)"
        )
        return [self._insert(slots[(at * 2 + 1) * len(slots) // (2 * rounds)]) for at in range(rounds)]

    def _insert(self, slot: str) -> dict[str, float]:
        self.page.evaluate("name => document.querySelector(`[data-slot='${name}']`).click()", slot)
        self.page.get_by_role("combobox", name="Find").first.fill("wait")
        found = self._timed("keydown", lambda: self.page.keyboard.press("Enter"))
        self._settle()
        return found

    def typed(self) -> list[dict[str, float]]:
        """Letter by letter into the name of a step in the middle of the flow."""
        self.page.evaluate("[...document.querySelectorAll('.item')].at(-2).click()")
        self.page.locator('[data-field="action"] input').first.focus()
        return [self._timed("keydown", partial(self.page.keyboard.type, each)) for each in LETTERS]

    def saving(self) -> float:
        """The longest time the page stands still while a change is saved, after it was typed."""
        self.page.locator('[data-field="action"] input').first.focus()
        self.page.keyboard.type("x")
        longest = self.page.evaluate_handle("bench.longest()")
        self._settle()
        return float(longest.evaluate("each => each.stop()"))

    def selects(self, rounds: int) -> list[dict[str, float]]:
        """From one step to the next by the arrow key."""
        self.page.evaluate("document.querySelector('.item').focus()")
        return [self._timed("keydown", lambda: self.page.keyboard.press("ArrowDown")) for _ in range(rounds)]

    def pan(self) -> list[float]:
        return list(self.page.evaluate("frames => bench.pan(frames)", FRAMES))

    def _timed(self, event: str, act: Any) -> dict[str, float]:
        self.page.evaluate("type => { window.benched = bench.after(type); }", event)
        act()
        return dict(self.page.evaluate("window.benched"))

    def _settle(self) -> None:
        """Nothing is left to do: the change is stored and the form drawn."""
        self.page.wait_for_timeout(800)
        self.page.wait_for_function("document.querySelector('.saved').textContent === 'Saved'")


def visit(browser: Browser, url: str, cookie: Any) -> Visit:
    """A window of its own on the designer's page at ``url``, with the session of ``cookie``."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB", bypass_csp=True)
    context.set_default_timeout(60_000)
    context.add_cookies([cookie])
    page = context.new_page()
    page.add_init_script(PROBES)
    page.goto(url)
    return Visit(page, page.evaluate("bench.opened"))


def spread(values: list[float]) -> tuple[float, float]:
    """The middle value and the one that one of twenty exceeds."""
    return median(values), quantiles(values, n=20, method="inclusive")[-1]
