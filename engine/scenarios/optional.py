"""Commands that an engine may not have yet: a scenario that asks for one fails, and says which."""

from collections.abc import Callable
from typing import Any

from engine import commands, inbox
from engine.scenarios.errors import Unrunnable


def command(name: str) -> Callable[..., Any]:
    """The engine's command of that name. Raises :class:`Unrunnable` where it has none."""
    found = getattr(commands, name, None) or getattr(inbox, name, None)
    if found is None:
        raise Unrunnable(f"the engine has no command {name}")
    return found  # type: ignore[no-any-return]
