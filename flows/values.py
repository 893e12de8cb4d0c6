"""JSON as text, the one way this project writes it. Pure."""

import json
from typing import Any


def dumps(value: Any) -> str:
    """Compact JSON. Raises ``ValueError`` or ``TypeError`` for what JSON cannot say, NaN and infinity included."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
