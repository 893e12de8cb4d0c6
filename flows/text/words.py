"""Values in messages."""

import json
from typing import Any


def short(value: Any) -> str:
    """``value`` for a message: as JSON, cut to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else f"{text[:57]}..."
