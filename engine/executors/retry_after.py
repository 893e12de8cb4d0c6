"""What a server says about when it may be asked again."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from engine import moments


def retry_after(headers: Mapping[str, str]) -> float | str | None:
    """What the server asks for: seconds (RFC 9110, or milliseconds as OpenAI writes them), or a moment as RFC 3339 text."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * unit) if math.isfinite(float(text)) else None
        except ValueError:
            pass
        try:
            return moments.text_of(parsedate_to_datetime(text))
        except (ValueError, TypeError, OverflowError):
            continue
    return None
