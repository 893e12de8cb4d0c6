"""Workspaces, functions, HTTP functions, agents, notification targets and secrets."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from flows.admin.base import STYLES, CodeInput, JsonField, JsonObjectField, ModelAdmin, ModelForm
from flows.manifest import validate_manifest
from flows.models import Agent, HttpFunction, LibraryFunction, NotificationTarget, Secret, Workspace
from flows.text import write_json


@admin.register(Workspace)
class WorkspaceAdmin(ModelAdmin):
    """Shelves of flows. ``default`` stays: the API's paths name it."""

    list_display = ("slug", "title")
    search_fields = ("slug", "title")

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_default = obj is not None and obj.slug == "default"
        return not is_default and super().has_delete_permission(request, obj)


class FunctionForm(ModelForm):
    """Changes of a manifest: key by key over what the code declares, and valid together with it."""

    override = JsonObjectField(
        label=_("Changes"), required=False, help_text=_("JSON. Each key here replaces the same key of the manifest.")
    )

    class Meta:
        model = LibraryFunction
        fields = ["override"]

    def clean_override(self) -> dict[str, Any]:
        override: dict[str, Any] = self.cleaned_data["override"]
        problems = validate_manifest({**self.instance.manifest, **override})
        if problems:
            raise ValidationError(problems)
        return override


@admin.register(LibraryFunction)
class LibraryFunctionAdmin(ModelAdmin):
    """Functions come from the code; only what administrators put in a manifest's place is changed here."""

    form = FunctionForm
    list_display = ("path", "title", "effect", "has_manifest", "is_changed", "available")
    list_filter = ("available", "has_manifest")
    search_fields = ("path", "title")
    fields = ("path", "title", "available", "declared", "override", "together", "changed_at")
    readonly_fields = ("path", "title", "available", "declared", "together", "changed_at")

    class Media:
        css = STYLES

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(pk__in=LibraryFunction.objects.of_code())

    @admin.display(description=_("effect"))
    def effect(self, function: LibraryFunction) -> str:
        manifest = function.in_force()
        return str(manifest.get("effect", "write")) if manifest else ""

    @admin.display(description=_("changed"), boolean=True)
    def is_changed(self, function: LibraryFunction) -> bool:
        return bool(function.override)

    @admin.display(description=_("manifest of the code"))
    def declared(self, function: LibraryFunction) -> SafeString:
        return _json(function.manifest)

    @admin.display(description=_("manifest in force"))
    def together(self, function: LibraryFunction) -> SafeString:
        return _json(function.in_force())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only what is no longer installed can go: the next start would bring the others back."""
        return obj is not None and not obj.available and super().has_delete_permission(request, obj)


class HttpFunctionForm(ModelForm):
    """One request and its manifest. Secrets are named here, never written down."""

    headers = JsonObjectField(
        label=_("Headers"),
        widget=CodeInput(rows=4),
        required=False,
        help_text=_('Secrets by name: {"Authorization": "Bearer secret:shop"}.'),
    )
    query = JsonObjectField(
        label=_("Query"),
        widget=CodeInput(rows=4),
        required=False,
        help_text=_('Behind the ?, such as {"page": "{{ arguments.page }}"}.'),
    )
    body = JsonField(
        label=_("Body"),
        required=False,
        help_text=_(
            'Sent as JSON: "{{ arguments }}" sends all arguments, {"sum": "{{ arguments.amount }}"} one of them.'
        ),
    )
    unknown_statuses = JsonField(
        label=_("Statuses that leave it open"),
        widget=CodeInput(rows=2),
        required=False,
        empty=[],
        help_text=_('Answers after which nobody knows whether it took effect, such as [502, 504] or ["5xx"].'),
    )
    response_headers = JsonField(
        label=_("Headers to keep"),
        widget=CodeInput(rows=2),
        required=False,
        empty=[],
        help_text=_('Of the answer, in the output: ["ETag"].'),
    )
    manifest = JsonObjectField(
        label=_("Manifest"),
        required=False,
        help_text=_(
            "JSON: effect, idempotent, idempotency_param, errors, retry, input_schema, output_schema, compensation. "
            "Without an effect, GET and HEAD only look something up."
        ),
    )


@admin.register(HttpFunction)
class HttpFunctionAdmin(ModelAdmin):
    """Functions that send a request: made and changed here, without code."""

    form = HttpFunctionForm
    list_display = ("path", "title", "method", "url", "available", "changed_at")
    list_filter = ("available", "method")
    search_fields = ("path", "title", "url")
    fieldsets = (
        (None, {"fields": ("path", "title", "available")}),
        (_("Request"), {"fields": ("method", "url", "headers", "query", "body", "idempotency_header")}),
        (_("Answer"), {"fields": ("timeout_seconds", "response_headers", "unknown_statuses")}),
        (_("What it says of itself"), {"fields": ("manifest",)}),
    )

    class Media:
        css = STYLES

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "available":  # of code it says that it is installed
            field.label, field.help_text = _("Switched on"), _("Switched off it cannot be called.")
        return field


class AgentForm(ModelForm):
    """An agent's path begins with ``/agents/``: that is how an assignee is told from a person."""

    tools = JsonField(
        label=_("Tools"), required=False, empty=[], help_text=_('Functions it may call: ["/service/history"].')
    )
    output_schema = JsonField(
        label=_("Shape of its answers"), required=False, help_text=_("A JSON Schema; blank for text.")
    )
    script = JsonField(
        label=_("Script"),
        required=False,
        empty=[],
        help_text=_('Rules; the first that fits answers: [{"answer": "…"}].'),
    )

    def clean_path(self) -> str:
        path: str = self.cleaned_data["path"]
        if not path.startswith("/agents/") or path.endswith("/"):
            raise ValidationError(_t("A path looks like /agents/refund-clerk."))
        return path


@admin.register(Agent)
class AgentAdmin(ModelAdmin):
    """Language models with their instructions, tools and limits."""

    form = AgentForm
    list_display = ("path", "title", "provider", "model", "enabled", "changed_at")
    list_filter = ("enabled", "provider")
    search_fields = ("path", "title", "description")
    fieldsets = (
        (None, {"fields": ("path", "title", "description", "enabled", "system_prompt")}),
        (_("Who answers"), {"fields": ("provider", "base_url", "key", "model", "temperature", "script")}),
        (_("What it may do"), {"fields": ("tools", "output_schema")}),
        (_("Limits"), {"fields": ("max_output_tokens", "max_model_calls", "answer_seconds")}),
    )

    class Media:
        css = STYLES


class NotificationTargetForm(ModelForm):
    """Who is told, and how. Secrets are named here, never written down."""

    headers = JsonObjectField(
        label=_("Headers"),
        widget=CodeInput(rows=4),
        required=False,
        help_text=_('Of the webhook. Secrets by name: {"Authorization": "Bearer secret:chat"}.'),
    )


@admin.register(NotificationTarget)
class NotificationTargetAdmin(ModelAdmin):
    """Who is told when a recovery gives up. Flows name them in ``notify``."""

    form = NotificationTargetForm
    list_display = ("name", "kind", "description", "enabled", "changed_at")
    list_filter = ("enabled", "kind")
    search_fields = ("name", "description", "addresses", "url")
    fieldsets = (
        (None, {"fields": ("name", "description", "enabled", "kind")}),
        (_("E-mail"), {"fields": ("addresses", "language")}),
        (_("Webhook"), {"fields": ("url", "headers")}),
    )

    class Media:
        css = STYLES


class SecretForm(ModelForm):
    """A value goes in and never comes out again."""

    value = forms.CharField(
        label=_("Value"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        required=False,
        help_text=_("Kept sealed, never shown. Leave it empty to keep the present one."),
    )

    class Meta:
        model = Secret
        fields = ["name", "description"]

    def clean_value(self) -> str:
        value: str = self.cleaned_data["value"]
        if not value and not self.instance.sealed:
            raise ValidationError(_t("A new secret needs a value."))
        return value


@admin.register(Secret)
class SecretAdmin(ModelAdmin):
    """Keys and passwords by name. Agents, HTTP functions and webhooks name them as ``secret:NAME``."""

    form = SecretForm
    list_display = ("name", "description", "changed_at")
    search_fields = ("name", "description")

    def save_model(self, request: HttpRequest, obj: Secret, form: Any, change: bool) -> None:
        if form.cleaned_data["value"]:
            obj.put(form.cleaned_data["value"])
        super().save_model(request, obj, form, change)


def _json(value: Any) -> SafeString:
    return format_html('<pre class="flows-code">{}</pre>', write_json(value))
