"""Somebody in front of a page whose actions are counted: a click, a drag or a chord is one, typing is free, a choice from a list
is two (reference/designer-anchors.md, section 4)."""

from typing import Any

from playwright.sync_api import Locator, Page


class Person:
    """``actions`` is what they did so far."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def click(self, target: Locator, **options: Any) -> None:
        """Once the page is there, its scripts too: before that, a form goes off without its question."""
        self.actions += 1
        self.page.wait_for_load_state()
        target.click(**options)

    def press(self, chord: str) -> None:
        self.actions += 1
        self.page.keyboard.press(chord)

    def select(self, field: Locator, option: str) -> None:
        """From a list: one action to open it and one to take the option."""
        self.actions += 2
        field.select_option(label=option)

    def follow(self, address: str) -> None:
        """A link that leads here from elsewhere, such as a mail."""
        self.actions += 1
        self.page.goto(address)
