"""What a flow is, in tables: workspaces, flows with their draft, published versions, and the library they call."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from flows.fields import RecordedJSONField
from flows.querysets import AgentQuerySet, FlowQuerySet, FlowVersionQuerySet, LibraryFunctionQuerySet


class Workspace(models.Model):
    """A shelf of flows; its slug stands as ``{repo}`` in the API's paths. ``default`` always exists."""

    slug = models.SlugField(_("slug"), unique=True)
    title = models.CharField(_("title"), max_length=200)

    class Meta:
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title or self.slug


class Flow(models.Model):
    """What a person designs: one draft, many versions. Its path is its name to everybody else.

    ``draft`` is the text of the ``.node.yaml`` document as it was written, comments included; ``revision`` rises with
    each save, so that two people cannot overwrite each other unseen.
    """

    workspace = models.ForeignKey(
        Workspace, on_delete=models.PROTECT, related_name="flows", verbose_name=_("workspace")
    )
    path = models.CharField(_("path"), max_length=400, help_text=_("Such as /flows/order-approval."))
    title = models.CharField(_("title"), max_length=200, blank=True)
    description = models.TextField(_("description"), blank=True)
    enabled = models.BooleanField(_("enabled"), default=True, help_text=_("A disabled flow is never started."))
    draft = models.TextField(_("draft"), blank=True)
    revision = models.PositiveIntegerField(_("revision"), default=1)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = FlowQuerySet.as_manager()

    class Meta:
        verbose_name = _("flow")
        verbose_name_plural = _("flows")
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["workspace", "path"], name="flow_path_once_per_workspace")]
        permissions = [
            ("run_flow", _("Can start runs of a flow")),
            ("test_flow", _("Can start test runs of a flow")),
            ("publish_flow", _("Can publish a flow")),
        ]

    def __str__(self) -> str:
        return self.title or self.path


class FlowVersion(models.Model):
    """A published, numbered snapshot of a flow. It never changes; each run is pinned to one.

    ``graph`` is the lowered definition (:mod:`flows.graph`), so that a run goes on with it after an upgrade. ``number``
    is ``None`` for the unpublished snapshot a test run of a draft is pinned to.
    """

    flow = models.ForeignKey(Flow, on_delete=models.PROTECT, related_name="versions", verbose_name=_("flow"))
    number = models.PositiveIntegerField(_("number"), null=True)
    source = models.TextField(_("source"))
    definition = RecordedJSONField(_("definition"))
    graph = RecordedJSONField(_("graph"))
    content_hash = models.CharField(_("content hash"), max_length=64)
    note = models.TextField(_("note"), blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    published_at = models.DateTimeField(_("published"), auto_now_add=True)

    objects = FlowVersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("flow version")
        verbose_name_plural = _("flow versions")
        ordering = ["flow", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["flow", "number"], condition=Q(number__isnull=False), name="version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.flow} · {self.number or _('draft')}"


class LibraryFunction(models.Model):
    """A function flows may call: its manifest as stored, shown and edited; the code is found by its path.

    ``manifest`` is what the code declared, ``override`` what an administrator put in its place, key by key.
    """

    path = models.CharField(_("path"), max_length=400, unique=True)
    title = models.CharField(_("title"), max_length=200, blank=True)
    manifest = RecordedJSONField(_("manifest"), default=dict)
    override = RecordedJSONField(_("changed by administrators"), default=dict, blank=True)
    has_manifest = models.BooleanField(_("has a manifest"), default=False)
    available = models.BooleanField(_("code is installed"), default=True)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)

    objects = LibraryFunctionQuerySet.as_manager()

    class Meta:
        verbose_name = _("function")
        verbose_name_plural = _("functions")
        ordering = ["path"]

    def __str__(self) -> str:
        return self.path

    def in_force(self) -> dict[str, Any]:
        """The manifest with the administrators' changes over it, key by key."""
        return {**self.manifest, **self.override}


class Agent(models.Model):
    """A language model that flows may ask, with its instructions."""

    path = models.CharField(_("path"), max_length=400, unique=True)
    title = models.CharField(_("title"), max_length=200, blank=True)
    description = models.TextField(_("description"), blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    system_prompt = models.TextField(_("instructions"), blank=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["path"]

    def __str__(self) -> str:
        return self.title or self.path
