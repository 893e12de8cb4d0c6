"""Code and YAML as lines with numbers. Keys and comments of YAML are set apart; everything else is shown as it is."""

import re
from collections.abc import Collection, Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

MAX_LINES = 5_000
KEY = re.compile(r"^(\s*(?:- )*)([\w$./-]+|\"[^\"]*\"|'[^']*')(:(?:\s.*|$))", re.DOTALL)


def draw(text: str, *, yaml: bool = False, marked: Collection[int] = (), label: str = "") -> SafeString:
    """``marked`` holds the numbers (from 1) of lines that have a problem. The block can be scrolled by keyboard."""
    lines = text.splitlines()
    return format_html(
        '<pre class="code-view" tabindex="0" role="region" aria-label="{}"><code>{}</code></pre>',
        label or gettext("Code"),
        format_html_join("", "{}", ((line,) for line in _lines(lines, yaml, marked))),
    )


def _lines(lines: list[str], yaml: bool, marked: Collection[int]) -> Iterator[SafeString]:
    for number, line in enumerate(lines[:MAX_LINES], start=1):
        mark = " code-line-marked" if number in marked else ""
        yield format_html('<span class="code-line{}">{}\n</span>', mark, _yaml(line) if yaml else line)
    if len(lines) > MAX_LINES:
        left_out = gettext("%(n)d more lines are left out here.") % {"n": len(lines) - MAX_LINES}
        yield format_html('<span class="code-line code-comment">… {}\n</span>', left_out)


def _yaml(line: str) -> SafeString | str:
    if line.lstrip().startswith("#"):
        return format_html('<span class="code-comment">{}</span>', line)
    if match := KEY.match(line):
        return format_html('{}<span class="code-key">{}</span>{}', *match.groups())
    return line
