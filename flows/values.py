"""JSON as text, the one way this project writes it. Pure."""

import json
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dumps(value: Any) -> str:
    """Compact JSON. Raises ``ValueError`` or ``TypeError`` for what JSON cannot say, NaN and infinity included."""
    return _encode(value)
