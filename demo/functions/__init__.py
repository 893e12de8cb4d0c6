"""What the demo offers to flows: one module an area, under the paths that the flows in ``demo/flows`` use."""

from demo.functions import buying, office, people, reports, service, shifts, shop, tickets

__all__ = ["buying", "office", "people", "reports", "service", "shifts", "shop", "tickets"]
