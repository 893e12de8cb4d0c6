"""Template tags of the visual language: ``{% load look %}``. Each is shown in every state on /style-guide."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.core.paginator import Page
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from designer import code_view, toasts, words
from designer.frame import address
from designer.json_tree import Tree

register = template.Library()

TONES = {"error": ("red", "circle-x"), "warning": ("amber", "triangle-alert"), "info": ("blue", "info")}
LEVELS = {constants.ERROR: "error", constants.WARNING: "warning", constants.INFO: "info", constants.DEBUG: "info"}


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """An icon of static/icons.svg beside words that say the same; it is silent for screen readers."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        css,
        static("icons.svg"),
        name,
    )


@register.inclusion_tag("_status.html")
def status(value: Any) -> dict[str, Any]:
    """A status as word, shape and hue. Takes the stored value (``rolled_back``), a TextChoices member, or ``test``."""
    name = str(getattr(value, "value", value))
    return {"name": name.replace("_", "-"), "look": words.look_of(name)}


@register.simple_tag
def when(moment: datetime | None, empty: str = "") -> SafeString:
    """A moment in relative words, the exact one as title and for screen readers; ``empty`` where there is none."""
    if moment is None:
        return format_html('<span class="quiet">{}</span>', empty or "–")
    moment = words.aware(moment)
    exact = words.exact(moment)
    return format_html(
        '<time datetime="{}" title="{}"><span data-relative>{}</span><span class="visually-hidden">, {}</span></time>',
        moment.isoformat(),
        exact,
        words.relative(moment, timezone.now()),
        exact,
    )


@register.simple_tag
def duration(length: float | timedelta | None) -> str:
    """Seconds or a timedelta in at most two units; a dash for None."""
    return "–" if length is None else words.duration(length)


@register.simple_tag
def json_tree(value: Any, download: str = "", levels: int = 2) -> SafeString:
    """A foldable tree with types. ``download`` is the URL of the whole value, offered where the tree cuts it."""
    return Tree(download=download, levels=levels).draw(value)


@register.simple_tag
def code(text: str, language: str = "", marked: Collection[int] = (), label: str = "") -> SafeString:
    """Code with line numbers; ``language="yaml"`` sets keys and comments apart; ``marked`` lines have a problem."""
    return code_view.draw(text, yaml=language == "yaml", marked=marked, label=label)


@register.simple_tag
def short_id(value: Any) -> SafeString:
    """The last eight characters of an id (a UUIDv7 starts with the time), with a button that copies all of it."""
    full = str(value)
    return format_html(
        '<span class="short-id"><code title="{}">{}</code>'
        '<button class="copy needs-js" type="button" data-copy="{}" aria-label="{}">{}</button></span>',
        full,
        full[-8:],
        full,
        gettext("Copy the id %(id)s") % {"id": full[-8:]},
        icon("copy"),
    )


@register.simple_tag
def share(part: float, whole: float, tone: str = "red") -> SafeString:
    """How large a part of the whole is, as a small bar with the figure: the failing share of a flow's runs."""
    percent = round(100 * part / whole) if whole else 0
    return format_html(
        '<span class="share tone-{}"><svg aria-hidden="true"><rect width="{}%" height="100%"/></svg>{}&nbsp;%</span>',
        tone,
        percent,
        percent,
    )


@register.simple_tag
def page_url(url_name: str) -> str:
    """The URL of a page without arguments, or "" while nobody has built it: ``{% page_url "guide" as url %}``."""
    return address(url_name)


@register.inclusion_tag("_toast.html")
def toast(message: Message) -> dict[str, Any]:
    level = LEVELS.get(message.level, "success")
    tone, name = TONES.get(level, ("green", "circle-check"))
    stays = level in ("error", "warning")
    return {"message": message, "tone": tone, "icon": name, "stays": stays, "undo_url": toasts.undo_url(message)}


@register.inclusion_tag("_problem.html")
def problem(finding: Any) -> dict[str, Any]:
    """One finding {severity, code, node, field, message, url}; severity is error, warning or anything quieter."""
    severity = _part(finding, "severity") or "error"
    tone, name = TONES.get(str(severity), TONES["info"])
    return {"finding": finding, "tone": tone, "icon": name, "severity": severity}


def _part(finding: Any, name: str) -> Any:
    return finding.get(name) if isinstance(finding, dict) else getattr(finding, name, None)


@register.filter
def count_of(findings: Collection[Any], severity: str) -> int:
    """How many findings have this severity: ``{{ findings|count_of:"error" }}``."""
    return sum(1 for finding in findings if str(_part(finding, "severity")) == severity)


@register.filter
def page_numbers(page: Page[Any]) -> Iterator[str | int]:
    """The numbers around this page and at both ends, with the paginator's ellipsis in the gaps."""
    return page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)


@register.filter
def initials(name: str) -> str:
    """At most two letters for a person's avatar."""
    return "".join(part[0] for part in name.replace(".", " ").replace("@", " ").split()[:2])
