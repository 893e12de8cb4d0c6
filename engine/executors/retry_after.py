"""What a server says about when it may be asked again."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from django.utils import timezone


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the server asks for: a number or a date (RFC 9110), or milliseconds as OpenAI writes them."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * unit) if math.isfinite(float(text)) else None
        except ValueError:
            pass
        try:
            return max(0.0, (parsedate_to_datetime(text) - timezone.now()).total_seconds())
        except (ValueError, TypeError):
            continue
    return None
