"""Published versions: looked at, never changed."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from flows.admin.base import STYLES, ReadOnlyAdmin
from flows.explain import as_text, explain
from flows.graph import from_json
from flows.models import FlowVersion


@admin.register(FlowVersion)
class FlowVersionAdmin(ReadOnlyAdmin):
    """What was published when and by whom, and what the engine makes of it."""

    list_display = ("flow", "number", "published_at", "published_by", "note")
    list_filter = ("flow__workspace", "published_at")
    search_fields = ("flow__path", "flow__title", "note")
    date_hierarchy = "published_at"
    list_select_related = ("flow", "published_by")
    fields = ("flow", "number", "note", "published_at", "published_by", "content_hash", "text", "explanation")
    readonly_fields = fields

    class Media:
        css = STYLES

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(number__isnull=False).defer("definition")

    @admin.display(description=_("flow"))
    def text(self, version: FlowVersion) -> SafeString:
        return _preformatted(version.source)

    @admin.display(description=_("what runs do"))
    def explanation(self, version: FlowVersion) -> SafeString:
        try:
            return _preformatted(as_text(explain(from_json(version.graph))))
        except ValueError as error:
            return _preformatted(str(error))


def _preformatted(text: str) -> SafeString:
    return format_html('<pre class="flows-code">{}</pre>', text)
