"""Calls as one line of text that may be shown: secrets are replaced, and it does not get long.

Pure.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from flows.values import dumps

LONGEST: Final = 500
HIDDEN: Final = "***"
_SECRET_NAMES: Final = re.compile(r"password|secret|token|api_?key|authorization|credential", re.IGNORECASE)


def masked(value: Any, secret: Collection[str] = ()) -> Any:
    """The value with every member hidden whose name is in ``secret`` or sounds like a secret's, at any depth."""
    if isinstance(value, Mapping):
        return {
            name: HIDDEN if name in secret or _SECRET_NAMES.search(str(name)) else masked(inner, secret)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [masked(each, secret) for each in value]
    return value


def call_line(path: str, arguments: Any, manifest: Mapping[str, Any] | None) -> str:
    """``call <function> <arguments>``; what the function's manifest keeps secret is hidden."""
    secret = (manifest or {}).get("secret_arguments") or ()
    return line(f"call {path} {dumps(masked(arguments if arguments is not None else {}, secret))}")


def line(text: str) -> str:
    """The text on one line of a bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
