"""What the demo offers to flows: one module an area, under the paths that the flows in ``demo/flows`` use."""

from demo.functions import buying, office, people, reports, service, shifts, shop, tickets
from flows.registry import registered

__all__ = ["buying", "office", "people", "reports", "service", "shifts", "shop", "tickets", "paths"]


def paths() -> list[str]:
    """The paths of the demo's functions, in order."""
    return [each.path for each in registered() if each.call.__module__.startswith(f"{__name__}.")]
