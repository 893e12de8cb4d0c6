"""The questions that are asked of the tables, in words."""

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Exists, OuterRef

if TYPE_CHECKING:
    from flows.models import Agent, Flow, FlowVersion, HttpFunction, LibraryFunction  # noqa: F401 - named in strings below


class FlowQuerySet(models.QuerySet["Flow"]):
    """Flows of any workspace."""

    def enabled(self) -> Self:
        """Those that may be started."""
        return self.filter(enabled=True)

    def published(self) -> Self:
        """Those with at least one numbered version."""
        versions: Any = self.model._meta.get_field("versions").related_model
        return self.filter(Exists(versions.objects.published().filter(flow=OuterRef("pk"))))

    def runnable(self) -> Self:
        """Those that a person or a trigger can start."""
        return self.enabled().published()

    def in_workspace(self, slug: str) -> Self:
        return self.filter(workspace__slug=slug)


class FlowVersionQuerySet(models.QuerySet["FlowVersion"]):
    """Versions: published ones with a number, snapshots for test runs without."""

    def published(self) -> Self:
        return self.filter(number__isnull=False)

    def snapshots(self) -> Self:
        return self.filter(number__isnull=True)

    def newest_first(self) -> Self:
        return self.order_by("-number")

    def of_path(self, workspace_id: int, path: str) -> Self:
        """The versions of the flow that lives at ``path``."""
        return self.filter(flow__workspace=workspace_id, flow__path=path)


class LibraryFunctionQuerySet(models.QuerySet["LibraryFunction"]):
    """Functions that are or were installed."""

    def available(self) -> Self:
        """Those whose code is installed."""
        return self.filter(available=True)

    def of_code(self) -> Self:
        """Those that are written in Python."""
        return self.filter(httpfunction__isnull=True)


class HttpFunctionQuerySet(models.QuerySet["HttpFunction"]):
    """HTTP functions."""

    def available(self) -> Self:
        """Those that are switched on."""
        return self.filter(available=True)


class AgentQuerySet(models.QuerySet["Agent"]):
    """Agents."""

    def enabled(self) -> Self:
        return self.filter(enabled=True)
