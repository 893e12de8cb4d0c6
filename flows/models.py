"""What a flow is, in tables: workspaces, flows with their draft, published versions, and the library they call."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from flows import agents, http_functions, notifications
from flows.fields import RecordedJSONField
from flows.querysets import (
    AgentQuerySet,
    FlowQuerySet,
    FlowVersionQuerySet,
    HttpFunctionQuerySet,
    LibraryFunctionQuerySet,
)


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


class InputSample(models.Model):
    """An input that somebody kept to start the flow with again; ``test_config`` is how a test run with it is to behave."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="samples", verbose_name=_("flow"))
    title = models.CharField(_("title"), max_length=120)
    input = RecordedJSONField(_("input"))
    test_config = RecordedJSONField(_("test configuration"), null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("input sample")
        verbose_name_plural = _("input samples")
        ordering = ["title"]
        constraints = [models.UniqueConstraint(fields=["flow", "title"], name="sample_title_once_per_flow")]

    def __str__(self) -> str:
        return self.title


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


METHODS = [(each, each) for each in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")]


class HttpFunction(LibraryFunction):
    """A function that sends one request and gives ``{status, headers?, body}``; set up by administrators, without code.

    Its row in the library is its own, so that no path names two functions. ``headers`` name secrets (``secret:name``,
    ``env:NAME``) and never hold them. ``unknown_statuses`` are answers after which nobody knows whether it took effect.
    """

    method = models.CharField(_("method"), max_length=6, choices=METHODS, default="POST")
    url = models.CharField(
        _("address"),
        max_length=2000,
        validators=[http_functions.check_url],
        help_text=_("Such as https://shop.example.org/orders/{{ arguments.order_id }}. What is filled in is escaped."),
    )
    headers = RecordedJSONField(_("headers"), default=dict, blank=True, validators=[http_functions.check_headers])
    query = RecordedJSONField(_("query"), default=dict, blank=True, validators=[http_functions.check_query])
    body = RecordedJSONField(_("body"), null=True, blank=True, validators=[http_functions.check_body])
    idempotency_header = models.CharField(
        _("idempotency header"),
        max_length=100,
        blank=True,
        validators=[http_functions.check_header_name],
        help_text=_(
            "Such as Idempotency-Key: carries the step's idempotency key, where the server acts once for each."
        ),
    )
    unknown_statuses = RecordedJSONField(
        _("statuses that leave it open"), default=list, blank=True, validators=[http_functions.check_statuses]
    )
    response_headers = RecordedJSONField(
        _("headers to keep"), default=list, blank=True, validators=[http_functions.check_header_names]
    )
    timeout_seconds = models.FloatField(
        _("seconds an answer may take"),
        default=30.0,
        validators=[MinValueValidator(0.1), MaxValueValidator(600.0)],
    )

    objects = HttpFunctionQuerySet.as_manager()  # type: ignore[assignment, misc]  # another model's, as Django makes it

    class Meta:
        verbose_name = _("HTTP function")
        verbose_name_plural = _("HTTP functions")

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.has_manifest = True
        super().save(*args, **kwargs)

    def clean(self) -> None:
        """What the fields say together. A manifest that is silent about the effect gets that of the method."""
        http_functions.check_path(self.path)
        effect = "read" if self.method in http_functions.SAFE_METHODS else "write"
        self.manifest = {"effect": effect, **self.manifest}
        found = http_functions.problems_together(self.method, self.body, self.idempotency_header, self.manifest)
        if problems := dict(found):
            raise ValidationError(problems)


class Provider(models.TextChoices):
    """Who answers for an agent."""

    OPENAI = "openai", _("a server that speaks OpenAI's protocol")
    SCRIPTED = "scripted", _("its own script, without a model")


class Agent(models.Model):
    """A language model that flows may ask, with its instructions, tools and limits.

    ``key`` names where the key is (``env:NAME`` or ``secret:name``) and never holds it. ``tools`` are functions the agent may
    call by itself. ``script`` are the rules of the scripted provider (:data:`flows.agents.SCRIPT_SCHEMA`).
    """

    path = models.CharField(_("path"), max_length=400, unique=True, help_text=_("Such as /agents/reader."))
    title = models.CharField(_("title"), max_length=200, blank=True)
    description = models.TextField(_("description"), blank=True)
    provider = models.CharField(_("answered by"), max_length=20, choices=Provider.choices, default=Provider.OPENAI)
    base_url = models.CharField(
        _("address of the server"),
        max_length=400,
        blank=True,
        validators=[agents.check_address],
        help_text=_("Such as http://localhost:11434/v1. Empty for OpenAI's own."),
    )
    key = models.CharField(
        _("key"),
        max_length=200,
        blank=True,
        validators=[agents.check_key],
        help_text=_("Where the key is: env:OPENAI_API_KEY or secret:openai. Never the key itself."),
    )
    model = models.CharField(_("model"), max_length=200, blank=True)
    system_prompt = models.TextField(_("instructions"), blank=True)
    temperature = models.FloatField(
        _("temperature"), null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(2.0)]
    )
    tools = RecordedJSONField(_("tools"), default=list, blank=True, validators=[agents.check_tools])
    output_schema = RecordedJSONField(
        _("shape of its answers"), null=True, blank=True, validators=[agents.check_output_schema]
    )
    script = RecordedJSONField(_("script"), default=list, blank=True, validators=[agents.check_script])
    max_output_tokens = models.PositiveIntegerField(
        _("tokens an answer may have"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    max_model_calls = models.PositiveIntegerField(
        _("calls of the model in one run"), default=25, validators=[MinValueValidator(1)]
    )
    answer_seconds = models.FloatField(
        _("seconds one answer may take"), default=120.0, validators=[MinValueValidator(1.0)]
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["path"]

    def __str__(self) -> str:
        return self.title or self.path


class Secret(models.Model):
    """A value nobody may see again, such as a key: kept sealed (:mod:`flows.secrets`) and known by its name."""

    name = models.CharField(_("name"), max_length=63, unique=True, validators=[agents.check_secret_name])
    description = models.TextField(_("description"), blank=True)
    sealed = models.TextField(_("value, sealed"), editable=False)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("secret")
        verbose_name_plural = _("secrets")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def put(self, value: str) -> None:
        """Take ``value``, sealed; the row still has to be saved."""
        from flows.secrets import seal  # which reads this model

        self.sealed = seal(value)


def languages() -> list[tuple[str, Any]]:
    """Those that Sultana speaks: asked for when it is needed, so that another one needs no migration."""
    return list(settings.LANGUAGES)


def own_language() -> str:
    return settings.LANGUAGE_CODE


class NotificationKind(models.TextChoices):
    """How a notification target is told."""

    EMAIL = "email", _("e-mail")
    WEBHOOK = "webhook", _("webhook")


class NotificationTarget(models.Model):
    """Who is told when a ``recovery`` gives up (its ``notify``): people by mail, or another program by a webhook.

    Flows know it by its ``name``. ``addresses`` are those of an e-mail, one in a line. ``headers`` of a webhook name secrets
    (``secret:name``, ``env:NAME``) and never hold them.
    """

    name = models.CharField(
        _("name"),
        max_length=63,
        unique=True,
        validators=[notifications.check_name],
        help_text=_("Flows say it in notify, such as support-team. A flow that says another one tells nobody."),
    )
    description = models.TextField(_("description"), blank=True)
    kind = models.CharField(
        _("told by"), max_length=10, choices=NotificationKind.choices, default=NotificationKind.EMAIL
    )
    addresses = models.TextField(
        _("mail addresses"),
        blank=True,
        validators=[notifications.check_addresses],
        help_text=_("One in a line. Whoever reads the mail sees the others."),
    )
    language = models.CharField(_("language"), max_length=10, choices=languages, default=own_language)
    url = models.CharField(
        _("address of the webhook"),
        max_length=2000,
        blank=True,
        validators=[notifications.check_url],
        help_text=_("Gets a POST with a small JSON document. Such as https://chat.example.org/hooks/support."),
    )
    headers = RecordedJSONField(
        _("headers"), default=dict, blank=True, validators=[notifications.check_webhook_headers]
    )
    enabled = models.BooleanField(_("enabled"), default=True, help_text=_("Switched off, nobody is told."))
    changed_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("notification target")
        verbose_name_plural = _("notification targets")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """What the fields say together."""
        found = notifications.problems_together(self.kind, self.addresses, self.url, self.headers)
        if problems := dict(found):
            raise ValidationError(problems)

    @property
    def recipients(self) -> list[str]:
        return notifications.addresses_in(self.addresses)
