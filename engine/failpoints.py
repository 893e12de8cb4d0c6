"""Named moments at which a test may let a worker die, sleep or raise. In production nothing listens."""

from collections.abc import Callable

_listener: Callable[[str], None] | None = None


def reach(name: str) -> None:
    """The code has come to the moment ``name``: ``claimed``, ``decided``, ``committed``, ``called`` or ``posted``; of a notice
    ``telling`` or ``told``; of an errand ``noting`` or ``noted``."""
    if _listener is not None:
        _listener(name)


def listen(listener: Callable[[str], None] | None) -> None:
    """Let ``listener`` be called at each moment; ``None`` takes it away."""
    global _listener
    _listener = listener
