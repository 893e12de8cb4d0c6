"""Paths as text, segments parted by ``/`` (reference/expressions.md, section 7, the methods on a path string)."""

from flows.expressions.limits import Evaluation


def parent(path: str, levels: int, run: Evaluation) -> str:
    """``path`` up to before the ``levels``-th slash from the end; 0 counts as 1. The root has no parent: ``''``.

    A negative number counts past the beginning, as it does where REL reads it as an unsigned one.
    """
    levels = levels or 1
    if path == "/" or not 0 < levels <= path.count("/"):
        return ""
    run.spend(levels)
    at = len(path)
    for _ in range(levels):
        at = path.rfind("/", 0, at)
    return path[:at] or "/"


def ancestor(path: str, level: int, run: Evaluation) -> str:
    """``path`` up to before slash number ``level`` + 1; the whole of it when it has just ``level`` segments."""
    if level <= 0:
        return ""
    if level >= path.count("/"):
        return path if depth(path) == level else ""
    run.spend(level + 1)
    at = -1
    for _ in range(level + 1):
        at = path.find("/", at + 1)
    return path[:at]


def depth(path: str) -> int:
    """How many segments of ``path`` are not empty."""
    while "//" in path:  # halves every run of slashes: quick for any text, where splitting would take memory
        path = path.replace("//", "/")
    segments = path.strip("/")
    return segments.count("/") + 1 if segments else 0


def is_below(lower: str, upper: str) -> bool:
    """Whether ``lower`` lies strictly below ``upper``. A slash at the end of ``upper`` is tolerated."""
    return lower != upper and lower.startswith(_as_folder(upper))


def is_directly_below(lower: str, upper: str) -> bool:
    """Whether ``lower`` lies below ``upper`` with no segment between them."""
    return is_below(lower, upper) and "/" not in lower[len(_as_folder(upper)) :]


def _as_folder(path: str) -> str:
    return path if path.endswith("/") else f"{path}/"
