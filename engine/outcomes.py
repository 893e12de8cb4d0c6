"""How a body ended: values, never exceptions.

Pure. An executor answers one of these for each call it is given; whatever it *raises* means that the worker died.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

from engine import moments

Json: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The body gave ``output``, a JSON value within the limits."""

    output: Json


@dataclass(frozen=True, slots=True)
class Failed:
    """The body failed. ``error_type`` is ``step_error`` or ``validation``; ``traceback`` is for administrators alone.

    ``raised`` names the exception and its bases, bare and dotted, for manifests that class failures by them. ``retry_after`` is
    when the other side may be asked again: in so many seconds, or at a moment as RFC 3339 text.
    """

    message: str
    code: str | None = None
    status: int | None = None
    retry_after: float | str | None = None
    error_type: str = "step_error"
    traceback: str = ""
    raised: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The call's deadline passed before an answer came."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The request left and no answer came: whether it took effect cannot be known."""

    message: str
    code: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The worker that made the call died before it could record the end."""


@dataclass(frozen=True, slots=True)
class Pending:
    """No answer yet: the instance rests on the call, and the result arrives as a signal."""


Result: TypeAlias = Succeeded | Failed | TimedOut | Unknown | WorkerLost


MOST_MESSAGE, MOST_TRACEBACK = 2_000, 50_000
"""Characters that are kept of a failure's message, and of the end of its traceback."""


def tidied(result: Result) -> Result:
    """The result with what an executor was told about a failure made fit to be recorded: user code raises anything.

    Texts are texts that every database takes, and bounded; a status is a number, and ``retry_after`` a finite one or a moment.
    """
    if isinstance(result, Failed):
        return replace(
            result,
            message=_text(result.message)[:MOST_MESSAGE],
            code=_code(result.code),
            status=_status(result.status),
            retry_after=_when(result.retry_after),
            traceback=_text(result.traceback)[-MOST_TRACEBACK:],
        )
    if isinstance(result, Unknown):
        message = _text(result.message)[:MOST_MESSAGE]
        return Unknown(message, _code(result.code), _status(result.status))
    return result


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _code(value: object) -> str | None:
    return None if value is None or value == "" else _text(value)[:200]


def _status(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _when(value: object) -> float | str | None:
    if isinstance(value, str):
        try:
            return moments.text_of(datetime.fromisoformat(value))
        except (ValueError, OverflowError):
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e12 else None  # type: ignore[operator, arg-type]


def to_json(result: Result) -> dict[str, Json]:
    """The result as a signal's payload; :func:`from_json` is its inverse."""
    values = {name: getattr(result, name) for name in type(result).__dataclass_fields__}
    return {"result": type(result).__name__, **values}


def from_json(data: dict[str, Json]) -> Result:
    """The result that :func:`to_json` wrote."""
    kinds: dict[str, type[Result]] = {
        each.__name__: each for each in (Succeeded, Failed, TimedOut, Unknown, WorkerLost)
    }
    values = dict(data)
    return kinds[values.pop("result")](**values)
