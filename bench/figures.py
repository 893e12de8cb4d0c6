"""Many measured values as the few that are printed."""

from statistics import median, quantiles


def spread(values: list[float]) -> dict[str, float]:
    """Their ``p50`` and ``p99``, and their ``count``."""
    return {"p50": median(values), "p99": quantiles(values, n=100, method="inclusive")[98], "count": len(values)}
