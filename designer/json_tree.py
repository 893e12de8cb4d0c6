"""A JSON value as a tree a person can fold, with its types, escaped, and cut where it grows large.

A page never shows a grey blob of JSON first (design/look.md, "Look"), and a value of 20 MB must not slow it down
(reference/designer-anchors.md, report 10): what is cut says so and points to the download.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

MAX_ENTRIES = 100  # of one object or list
MAX_TEXT = 5_000  # characters of one text
LONG_TEXT = 200  # folded from here on
LONG_LIST = 25  # the same for lists and objects
MAX_LINES = 2_000  # of the whole tree
MAX_DEPTH = 30
PREVIEW = 60  # characters


@dataclass(slots=True)
class Tree:
    """Draws one value. ``download`` is the URL of the whole value, ``levels`` how many levels start unfolded."""

    download: str = ""
    levels: int = 2
    lines: int = 0

    def draw(self, value: Any) -> SafeString:
        return format_html('<div class="json"><ul class="json-tree">{}</ul></div>', self._line("", value, 0))

    def _line(self, key: str, value: Any, depth: int) -> SafeString:
        self.lines += 1
        name = format_html('<span class="json-key">{}</span> ', key) if key else mark_safe("")
        if isinstance(value, Mapping | list | tuple) and value:
            return format_html("<li>{}</li>", self._branch(name, value, depth))
        if isinstance(value, str) and len(value) > LONG_TEXT:
            return format_html("<li>{}</li>", self._long_text(name, value))
        return format_html('<li>{}{} <span class="json-type">{}</span></li>', name, self._leaf(value), _type(value))

    def _branch(self, name: SafeString, value: Any, depth: int) -> SafeString:
        if depth >= MAX_DEPTH:
            return format_html("{}{}", name, self._cut(gettext("Deeper levels are left out here.")))
        return format_html(
            '<details{}><summary>{}<span class="json-type">{}</span> <span class="json-preview">{}</span></summary>'
            "<ul>{}</ul></details>",
            mark_safe(" open") if depth < self.levels and len(value) <= LONG_LIST else "",
            name,
            _type(value),
            _preview(value),
            format_html_join("", "{}", ((line,) for line in self._entries(value, depth + 1))),
        )

    def _entries(self, value: Any, depth: int) -> Iterator[SafeString]:
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value, start=1)
        for shown, (key, entry) in enumerate(pairs):
            if shown == MAX_ENTRIES or self.lines >= MAX_LINES:
                n = len(value) - shown
                words = ngettext("%(n)d more entry is left out here.", "%(n)d more entries are left out here.", n)
                yield format_html("<li>{}</li>", self._cut(words % {"n": n}))
                return
            yield self._line(str(key), entry, depth)

    def _leaf(self, value: Any) -> SafeString:
        if value is None:
            return format_html('<span class="json-nothing">{}</span>', "null")
        if isinstance(value, bool):
            return format_html('<span class="json-truth">{}</span>', "true" if value else "false")
        if isinstance(value, int | float):
            return format_html('<span class="json-number">{}</span>', _number(value))
        if isinstance(value, Mapping | list | tuple):
            return format_html('<span class="json-nothing">{}</span>', "{}" if isinstance(value, Mapping) else "[]")
        return format_html('<span class="json-text">“{}”</span>', str(value))

    def _long_text(self, name: SafeString, text: str) -> SafeString:
        n = len(text) - MAX_TEXT
        words = ngettext("%(n)d more character is left out here.", "%(n)d more characters are left out here.", n)
        return format_html(
            '<details><summary>{}<span class="json-type">{}</span> <span class="json-preview">{}…</span></summary>'
            '<div class="json-long"><span class="json-text">“{}”</span> {}</div></details>',
            name,
            gettext("text of %(n)d characters") % {"n": len(text)},
            text[:PREVIEW],
            text[:MAX_TEXT],
            self._cut(words % {"n": n}) if n > 0 else "",
        )

    def _cut(self, words: str) -> SafeString:
        if not self.download:
            return format_html('<span class="json-cut">… {}</span>', words)
        link = format_html('<a href="{}" download>{}</a>', self.download, gettext("Download all of it"))
        return format_html('<span class="json-cut">… {} {}</span>', words, link)


def _type(value: Any) -> str:
    if isinstance(value, Mapping):
        n = len(value)
        return ngettext("object, %(n)d entry", "object, %(n)d entries", n) % {"n": n} if n else gettext("empty object")
    if isinstance(value, list | tuple):
        return gettext("list of %(n)d") % {"n": len(value)} if value else gettext("empty list")
    if value is None:
        return gettext("no value")
    if isinstance(value, bool):
        return gettext("true or false")
    return gettext("number") if isinstance(value, int | float) else gettext("text")


def _number(value: int | float) -> str:
    """As JSON writes it: a number is data, so no thousands separators. A huge integer is cut: its digits cost time."""
    if isinstance(value, int) and value.bit_length() > 10_000:
        return gettext("a number of more than 3,000 digits")
    return repr(value)


def _preview(value: Any) -> str:
    """What a folded object or list holds: its first names or plain values; nothing for a list of objects."""
    if not isinstance(value, Mapping) and any(isinstance(entry, Mapping | list | tuple) for entry in value[:8]):
        return ""
    words = ", ".join("null" if entry is None else str(entry)[:PREVIEW] for entry in islice(value, 8))
    return words if len(words) <= PREVIEW and len(value) <= 8 else words[:PREVIEW].rstrip(", ") + ", …"
