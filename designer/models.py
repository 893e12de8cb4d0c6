"""What the web part keeps for itself: keys with which programs sign in, filters people come back to, who edits what."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """One sign-in of a program. Only digests are kept: the token itself is shown once and cannot be read back.

    ``session_hash`` ties it to the password it was given for, so that a new password ends it like it ends sessions.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens", verbose_name=_("person")
    )
    access_digest = models.CharField(max_length=64, unique=True, editable=False)
    refresh_digest = models.CharField(max_length=64, unique=True, editable=False)
    session_hash = models.CharField(max_length=128, editable=False)
    created_at = models.DateTimeField(_("signed in"), default=timezone.now)
    expires_at = models.DateTimeField(_("valid until"))
    refresh_expires_at = models.DateTimeField(_("can be renewed until"))
    used_at = models.DateTimeField(_("last used"), null=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} · {self.created_at:%Y-%m-%d %H:%M}"


class SavedView(models.Model):
    """Filters of the list of runs under a name. ``query`` is their address as :mod:`designer.run_filters` writes it.

    A shared one is offered to everybody; what it shows to whom is decided when it is opened.
    """

    workspace = models.ForeignKey("flows.Workspace", on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views", verbose_name=_("person")
    )
    name = models.CharField(_("name"), max_length=80)
    query = models.CharField(_("filters"), max_length=2000, blank=True)
    is_shared = models.BooleanField(_("shared"), default=False)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "user", "name"], name="saved_view_once")]

    def __str__(self) -> str:
        return self.name


class Editing(models.Model):
    """That somebody has a flow's draft open to change it: said anew every few seconds, forgotten when it is not."""

    flow = models.ForeignKey("flows.Flow", on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("person")
    )
    seen_at = models.DateTimeField(_("last seen"), db_index=True)

    class Meta:
        verbose_name = _("person at a draft")
        verbose_name_plural = _("people at drafts")
        constraints = [models.UniqueConstraint(fields=["flow", "user"], name="editing_once")]

    def __str__(self) -> str:
        return f"{self.user} · {self.flow}"
