"""The Python functions that flows may call.

A developer registers a function in a module named ``functions.py`` of any installed app::

    @function("/shop/stock/reserve", title="Reserve goods", effect="write", idempotent=True)
    def reserve(arguments: Arguments, ctx: CallContext) -> Json:
        ...

The decorator's keywords are the function's manifest (design/semantics.md, "Manifests"). Registration is plain Python;
:mod:`flows.library` keeps the manifests in the database, where administrators see and edit them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from logging import Logger, getLogger
from typing import Any, TypeAlias

Json: TypeAlias = Any
Arguments: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a function may know about the call it serves. It cannot change the run.

    ``idempotency_key`` stays the same in every attempt of one visit, so that a repeated call can have its effect once.
    ``deadline`` is the moment (UTC) at which the call is interrupted.
    """

    instance_id: str
    node_id: str
    visit: int
    attempt: int
    idempotency_key: str
    deadline: datetime | None = None
    is_test: bool = False
    log: Logger = field(default_factory=lambda: getLogger("sultana.functions"))


Function: TypeAlias = Callable[[Arguments, CallContext], Json]


class FunctionError(Exception):
    """Raised by a function to fail its attempt in words a person can read.

    ``code`` and ``status`` are what manifests classify; ``retry_after`` (seconds, or a moment as RFC 3339 text) can only
    make the next delay longer.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retry_after: float | str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.retry_after = retry_after


class UnknownOutcome(FunctionError):
    """Raised when the request left and no answer came: nobody can say whether it took effect."""


@dataclass(frozen=True, slots=True)
class Registered:
    """One function as its module registered it."""

    path: str
    call: Function
    manifest: Mapping[str, Json]


_functions: dict[str, Registered] = {}


def function(path: str, **manifest: Json) -> Callable[[Function], Function]:
    """Register the decorated function under ``path`` with ``manifest``.

    Raises ``ValueError`` when the path is no absolute path or is already taken by another function: two functions under
    one path would make a run depend on the order of imports.
    """
    if not path.startswith("/") or path.endswith("/") or "//" in path:
        raise ValueError(f"A function's path looks like /area/name, not {path!r}.")

    def register(call: Function) -> Function:
        taken = _functions.get(path)
        if taken is not None and _origin(taken.call) != _origin(call):
            raise ValueError(f"{path} is already registered by {_origin(taken.call)}.")
        _functions[path] = Registered(path, call, dict(manifest))
        return call

    return register


def find(path: str) -> Registered | None:
    """The function registered under ``path``, or ``None``."""
    return _functions.get(path)


def registered() -> Iterator[Registered]:
    """Every registered function, by path."""
    return iter(sorted(_functions.values(), key=lambda each: each.path))


def _origin(call: Function) -> str:
    return f"{call.__module__}.{call.__qualname__}"
