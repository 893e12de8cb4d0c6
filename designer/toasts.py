"""Say what just happened, on the next page, with a way back where there is one (design/look.md, "Words")."""

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest

_UNDO = "undo:"


def toast(request: HttpRequest, words: str, *, level: int = messages.SUCCESS, undo: str = "") -> None:
    """``words`` are plain text. ``undo`` is the URL that takes the action back when it is posted to."""
    messages.add_message(request, level, words, extra_tags=_UNDO + undo if undo else "")


def undo_url(message: Message) -> str:
    tags = message.extra_tags or ""
    return tags.removeprefix(_UNDO) if tags.startswith(_UNDO) else ""
