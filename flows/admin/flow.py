"""Flows: edited as YAML, with the doctor's findings and the steps as a table beside it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import F, Max, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from flows.admin.base import STYLES, CodeInput, ModelAdmin, ModelForm, person
from flows.doctor import check_document
from flows.errors import DefinitionRejected, RevisionConflict
from flows.library import DatabaseLibrary
from flows.loader import NAME, load
from flows.models import Flow, Workspace
from flows.overview import rows
from flows.publishing import FOLDER, publish, save_draft
from flows.text import DocumentError


class FlowForm(ModelForm):
    """The text must be a flow; what the doctor finds in it does not keep it from being saved as a draft."""

    draft = forms.CharField(label=_("Text"), widget=CodeInput(rows=32), strip=False, help_text=_("YAML or JSON."))
    revision = forms.IntegerField(widget=forms.HiddenInput, initial=1)
    path = forms.CharField(label=_("Path"), required=False, max_length=400, help_text=_("Blank: /flows/ and the name."))

    class Meta:
        model = Flow
        fields = ["workspace", "path", "enabled", "draft", "revision"]

    def clean_draft(self) -> str:
        text: str = self.cleaned_data["draft"]
        try:
            load(text)
        except DocumentError as error:
            raise ValidationError(str(error)) from error
        return text

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.instance.pk is not None:
            self._claim(self.cleaned_data.get("revision") or 0)
        elif "draft" in self.cleaned_data and "workspace" in self.cleaned_data:
            self.cleaned_data["path"] = self._new_path(self.cleaned_data["workspace"])
        return cleaned

    def _claim(self, revision: int) -> None:
        """Keep other writers waiting until the request ends: a save in between would otherwise be lost unseen."""
        claimed = Flow.objects.filter(pk=self.instance.pk, revision=revision).update(revision=F("revision"))
        if not claimed:
            raise ValidationError(RevisionConflict(Flow.objects.get(pk=self.instance.pk).revision).message)

    def _new_path(self, workspace: Workspace) -> str:
        path = self.cleaned_data.get("path") or f"{FOLDER}/{load(self.cleaned_data['draft']).name}"
        if not path.startswith("/") or not all(NAME.fullmatch(part) for part in path[1:].split("/")):
            raise ValidationError({"path": _t("A path looks like /flows/order-approval.")})
        if Flow.objects.filter(workspace=workspace, path=path).exists():
            raise ValidationError({"path": _t("There is a flow at this path already.")})
        return path


@admin.register(Flow)
class FlowAdmin(ModelAdmin):
    """Draft, findings, steps and versions of a flow on one page."""

    form = FlowForm
    change_form_template = "admin/flows/flow/change_form.html"
    list_display = ("path", "title", "workspace", "enabled", "newest", "changed_at", "changed_by")
    list_filter = ("workspace", "enabled")
    search_fields = ("path", "title", "description")
    date_hierarchy = "changed_at"
    list_select_related = ("workspace", "changed_by")
    actions = ("publish_flows", "enable_flows", "disable_flows")

    class Media:
        css = STYLES

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(newest_number=Max("versions__number"))

    @admin.display(description=_("version"), ordering="newest_number")
    def newest(self, flow: Any) -> str:
        return str(flow.newest_number or "")

    def get_fields(self, request: HttpRequest, obj: Flow | None = None) -> Any:
        names = ["title", "description"] if obj else []
        return ["workspace", "path", *names, "enabled", "draft", "revision"]

    def get_readonly_fields(self, request: HttpRequest, obj: Flow | None = None) -> list[str]:
        return ["workspace", "path", "title", "description"] if obj else []

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("flows.publish_flow")

    # --- saving ---

    def save_model(self, request: HttpRequest, obj: Flow, form: Any, change: bool) -> None:
        text, revision = form.cleaned_data["draft"], form.cleaned_data["revision"]
        if not change:
            obj.draft, obj.revision = "", 1
            obj.save()
        if not change or "draft" in form.changed_data:
            save_draft(obj, text, revision=revision, by=person(request))
        Flow.objects.filter(pk=obj.pk).update(enabled=form.cleaned_data["enabled"])

    def response_change(self, request: HttpRequest, obj: Flow) -> HttpResponse:
        if "_publish" not in request.POST or not self.has_publish_permission(request):
            return super().response_change(request, obj)
        self._publish(request, Flow.objects.get(pk=obj.pk))
        return HttpResponseRedirect(request.get_full_path())

    # --- actions ---

    @admin.action(description=_("Publish the drafts"), permissions=["publish"])
    def publish_flows(self, request: HttpRequest, flows: QuerySet[Flow]) -> None:
        for flow in flows:
            self._publish(request, flow)

    @admin.action(description=_("Enable"), permissions=["change"])
    def enable_flows(self, request: HttpRequest, flows: QuerySet[Flow]) -> None:
        self._switch(request, flows, enabled=True)

    @admin.action(description=_("Disable: no trigger and no person starts them"), permissions=["change"])
    def disable_flows(self, request: HttpRequest, flows: QuerySet[Flow]) -> None:
        self._switch(request, flows, enabled=False)

    def _switch(self, request: HttpRequest, flows: QuerySet[Flow], *, enabled: bool) -> None:
        count = Flow.objects.filter(pk__in=flows.values("pk")).update(enabled=enabled)
        self.message_user(request, ngettext("%d flow was changed.", "%d flows were changed.", count) % count)

    def _publish(self, request: HttpRequest, flow: Flow) -> None:
        try:
            version = publish(flow, by=person(request))
        except DefinitionRejected as refused:
            self.message_user(request, f"{flow.path}: {refused.message}", messages.ERROR)
        except (DocumentError, RevisionConflict) as refused:
            self.message_user(request, f"{flow.path}: {refused}", messages.ERROR)
        else:
            words = _t("%(path)s: version %(number)d is published.")
            self.message_user(request, words % {"path": flow.path, "number": version.number})

    # --- the page ---

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        obj: Flow | None = kwargs.get("obj")
        form = context["adminform"].form
        text = form["draft"].value() if form.is_bound else obj.draft if obj else ""
        context |= _examined(str(text or ""), obj)
        context["versions"] = obj.versions.published().newest_first() if obj else []
        context["can_publish"] = obj is not None and self.has_publish_permission(request)
        return super().render_change_form(request, context, *args, **kwargs)


def _examined(text: str, flow: Flow | None) -> dict[str, Any]:
    """The doctor's findings and the rows of the table for what the page shows, saved or not."""
    try:
        document = load(text)
    except DocumentError:
        return {"findings": None, "rows": []}
    library = DatabaseLibrary(flow.workspace_id if flow else 0)
    findings = check_document(document, library=library, flow_path=flow.path if flow else None)
    return {"findings": findings, "rows": rows(document.workflow_data)}
