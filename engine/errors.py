"""What the engine refuses, as typed errors. Each says in words what is wrong and what to do; ``code`` is stable."""

from collections.abc import Sequence
from typing import Any


class EngineError(Exception):
    """Base of everything the engine refuses. ``message`` is for people, ``code`` for programs, ``problems`` lists every fault
    as ``{field, message}`` where there can be several."""

    code = "refused"

    def __init__(
        self,
        message: str,
        *,
        node: str | None = None,
        field: str | None = None,
        code: str | None = None,
        problems: Sequence[dict[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.node = node
        self.field = field
        self.problems = list(problems)


class NotFound(EngineError):
    """The thing named does not exist, or the caller may not know that it does."""

    code = "not_found"


class Forbidden(EngineError):
    """The caller may see it but not do this."""

    code = "forbidden"


class Conflict(EngineError):
    """Right request, wrong moment: the run or task is not in a state that allows it. Nothing was changed."""

    code = "conflict"


class InvalidInput(EngineError):
    """What was sent does not fit."""

    code = "invalid_input"


class LeaseLost(EngineError):
    """Another worker moves the run by now. The driver rolls back and leaves quietly."""

    code = "lease_lost"
