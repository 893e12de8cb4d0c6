"""Template tags of the product's pages: ``{% load pages %}``. What every page may use is in ``look``."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import RequestContext
from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext

from designer import words
from designer.run_query import Count

register = template.Library()


@register.filter
def tone(status: str) -> str:
    """The hue of a status, for what is painted like it."""
    return words.look_of(str(status)).tone


@register.filter
def shape(status: str) -> str:
    """The icon of a status."""
    return words.look_of(str(status)).icon


@register.filter
def short(value: Any) -> str:
    """An id's last eight characters, as ``{% short_id %}`` shows it."""
    return str(value)[-8:]


@register.filter
def at(mapping: Mapping[Any, Any], key: Any) -> Any:
    """``mapping[key]``, empty where there is nothing."""
    return mapping.get(key, "")


@register.simple_tag
def clock(moment: datetime | None) -> SafeString | str:
    """A moment to the second, where several are to be compared: the time alone for one of today."""
    if moment is None:
        return "–"
    local = timezone.localtime(words.aware(moment))
    today = local.date() == timezone.localdate()
    shown = format_date(local, pgettext("date", "H:i:s") if today else pgettext("date", "D j M, H:i:s"))
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(), words.exact(local), shown)


@register.simple_tag
def bounded(count: Count) -> str:
    """A count that may end early: ``17``, ``1,000+``."""
    return number_format(count.number, use_l10n=True, force_grouping=True) + ("+" if count.more else "")


@register.simple_tag
def bounded_runs(count: Count) -> str:
    """The same as a phrase: ``17 runs``, ``more than 1,000 runs``."""
    if count.more:
        return gettext("more than %(n)s runs") % {"n": number_format(count.number, force_grouping=True)}
    return ngettext("%(n)d run", "%(n)d runs", count.number) % {"n": count.number}


@register.simple_tag(takes_context=True)
def querystring_without(context: RequestContext, name: str) -> str:
    """The address of this page without one filter, and from the first page on."""
    query = context["request"].GET.copy()
    for each in (name, "before", "after", "page"):
        query.pop(each, None)
    return f"?{query.urlencode()}"
