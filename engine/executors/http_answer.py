"""What an HTTP function makes of an answer: an output, a failure, or an open question."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from django.conf import settings

from engine.executors.http_request import Request
from engine.executors.retry_after import retry_after
from flows.http_functions import SAFE_METHODS, matches
from flows.models import HttpFunction
from flows.registry import FunctionError, UnknownOutcome
from flows.values import NotKept, recorded

DONE_AND_ELSEWHERE: Final = frozenset({301, 302, 303})
"""Redirects that many a server gives after it has acted on a form; 307 and 308 say that it has not."""
MOST_WORDS: Final = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer as it came. ``is_cut`` says that its body was longer than can be kept."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    encoding: str
    is_cut: bool


def output_of(function: HttpFunction, request: Request, answer: Answer) -> dict[str, Any]:
    """``{status, headers?, body}``. Raises ``FunctionError`` for every status but 2xx, and ``UnknownOutcome`` where the server
    may have acted although nothing usable came back."""
    body = request.masked(_body(answer))
    if answer.status >= 400:
        _failed(function, answer, body)
    if answer.status >= 300:
        _redirected(request, answer)
    if answer.is_cut:
        most = f"{settings.SULTANA_OUTPUT_LIMIT:,}"
        _unusable(f"is longer than the {most} bytes that SULTANA_OUTPUT_LIMIT allows.", answer.status)
    kept = {name.lower(): request.masked(answer.headers[name]) for name in _kept(function, answer)}
    output = {"status": answer.status, **({"headers": kept} if function.response_headers else {}), "body": body}
    try:
        return dict(recorded(output, most=settings.SULTANA_OUTPUT_LIMIT))
    except NotKept as problem:
        _unusable(str(problem), answer.status)


def _kept(function: HttpFunction, answer: Answer) -> list[str]:
    return [name for name in function.response_headers if name in answer.headers]


def _failed(function: HttpFunction, answer: Answer, body: Any) -> NoReturn:
    said = _words(body)
    message = f"The server answered {answer.status}{f': {said}' if said else '.'}"
    code = _code(body) or f"http_{answer.status}"
    if matches(answer.status, function.unknown_statuses):
        raise UnknownOutcome(message, code=code, status=answer.status)
    raise FunctionError(message, code=code, status=answer.status, retry_after=retry_after(answer.headers))


def _redirected(request: Request, answer: Answer) -> NoReturn:
    to = request.masked(answer.headers.get("location", "")).split("?")[0]
    message = f"The server answered {answer.status} and sends on to {to or 'nowhere'}, where nothing is sent. Change the address."
    if request.method not in SAFE_METHODS and answer.status in DONE_AND_ELSEWHERE:
        raise UnknownOutcome(message, code="redirected", status=answer.status)
    raise FunctionError(message, code="redirected", status=answer.status)


def _unusable(why: str, status: int) -> NoReturn:
    """The server has acted: to try again as after a failure could do it twice."""
    raise UnknownOutcome(f"The server answered {status}, but its answer {why}", code="invalid_output", status=status)


def _body(answer: Answer) -> Any:
    """JSON where the server says so and it is, else text; null where there is none."""
    if not answer.body:
        return None
    text = _decoded(answer)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if (kind == "application/json" or kind.endswith("+json")) and not answer.is_cut:
        try:
            return json.loads(text, parse_constant=_no_json)
        except (ValueError, RecursionError):
            pass
    return text


def _decoded(answer: Answer) -> str:
    try:
        return answer.body.decode(answer.encoding, "replace")
    except (LookupError, UnicodeError):  # "hex" and "idna" are codecs, too
        return answer.body.decode("utf-8", "replace")


def _no_json(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _code(body: Any) -> str | None:
    """The server's own code of the failure: ``code``, or the usual places of it."""
    inner = body.get("error") if isinstance(body, dict) else None
    places = [body.get("code"), inner] if isinstance(body, dict) else []
    if isinstance(inner, dict):
        places += [inner.get("code"), inner.get("type")]
    return next((each[:100] for each in places if isinstance(each, str) and each), None)


def _words(body: Any) -> str:
    """What the server says of it, at most a few lines."""
    inner = body.get("error") if isinstance(body, dict) else None
    for each in (body, inner):
        if isinstance(each, str):
            return each.strip()[:MOST_WORDS]
        if isinstance(each, dict):
            for name in ("message", "detail", "title", "error_description"):
                if isinstance(each.get(name), str):
                    return str(each[name])[:MOST_WORDS]
    return ""
