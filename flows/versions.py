"""Published versions as runs use them."""

from functools import lru_cache

from flows.graph import Graph, from_json
from flows.models import FlowVersion


def newest_published(workspace_id: int, path: str) -> FlowVersion | None:
    """The version that a start of the flow at ``path`` is pinned to, with its flow; ``None`` before the first one."""
    versions = FlowVersion.objects.published().of_path(workspace_id, path).newest_first()
    return versions.select_related("flow").defer("source", "definition", "graph").first()


@lru_cache(maxsize=256)
def graph_of(version_id: int) -> Graph:
    """The graph of a version, kept in this process: a version never changes. Raises ``FlowVersion.DoesNotExist``."""
    return from_json(FlowVersion.objects.only("graph").get(pk=version_id).graph)
