"""Which workspace a page is about."""

from typing import Final

from django.http import HttpRequest

DEFAULT: Final = "default"


def current(request: HttpRequest) -> str:
    """The slug of the workspace this person works in: pages know the one that always exists."""
    return DEFAULT
