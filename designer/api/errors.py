"""Every error of the API in one shape: ``{code, message, node?, field?, problems?}``.

``message`` says in words what is wrong and what to do, ``code`` is stable for programs, ``problems`` lists every fault
of a request as ``{field, message}``. What the engine refuses becomes a status here and nowhere else.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpResponse, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from engine.errors import Conflict, EngineError, Forbidden, InvalidInput, NotFound

logger = logging.getLogger(__name__)

Body = dict[str, Any]

STATUS: Final[Mapping[type[EngineError], int]] = {InvalidInput: 400, Forbidden: 403, NotFound: 404, Conflict: 409}

_RENAMED: Final = {
    "authentication_failed": "invalid_token",
    "invalid": "invalid_input",
    "not_authenticated": "not_signed_in",
    "parse_error": "malformed_json",
    "permission_denied": "forbidden",
}
"""The framework's codes in our words; the others stay as they are."""

_BY_STATUS: Final = {400: "bad_request", 403: "forbidden", 404: "not_found", 413: "too_large", 429: "throttled"}
"""For answers that were made outside the API's own views."""


class InvalidCredentials(exceptions.APIException):
    """The name or the password is wrong; which of them is not said."""

    status_code = 401
    default_code = "invalid_credentials"
    default_detail = "The name or the password is wrong, or the account is not active."


class InvalidRefreshToken(exceptions.APIException):
    """Unknown, expired, revoked or already used."""

    status_code = 401
    default_code = "invalid_token"
    default_detail = "The refresh token is unknown, expired, revoked or already used. Sign in again."


class TooLarge(exceptions.APIException):
    """The body is larger than anything that is asked for here."""

    status_code = 413
    default_code = "too_large"


def handle(exc: Exception, context: Mapping[str, Any]) -> Response:
    """The answer to an exception in one of the API's views; one that nobody foresaw is logged and says nothing."""
    if isinstance(exc, EngineError):
        return _refused(exc)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(*exc.args)
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied(*exc.args)
    elif isinstance(exc, SuspiciousOperation):
        exc = exceptions.ParseError("The request is not one that can be read.")
    if isinstance(exc, exceptions.APIException):
        return _framework(exc)
    logger.error("An API request failed.", exc_info=exc, extra={"path": context["request"].path})
    return Response(internal_error(), status=500)


def body(
    code: str, message: str, *, node: str | None = None, field: str | None = None, problems: Sequence[Any] = ()
) -> Body:
    """The one shape. Members that have nothing to say are left out."""
    optional = {"node": node, "field": field, "problems": list(problems)}
    return {"code": code, "message": message} | {name: value for name, value in optional.items() if value}


def internal_error() -> Body:
    return body("internal_error", "Something went wrong here. It was recorded; please try again later.")


def in_our_shape(response: HttpResponse) -> JsonResponse:
    """An error that Django or a middleware answered with a page, in the API's shape, with the headers that matter."""
    status = response.status_code
    phrase = HTTPStatus(status).phrase
    data = internal_error() if status >= 500 else body(_BY_STATUS.get(status, "refused"), f"{phrase}.")
    kept = {name: response[name] for name in ("Allow", "Retry-After", "WWW-Authenticate") if name in response}
    return JsonResponse(data, status=status, headers=kept)


def _refused(exc: EngineError) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(exc, kind)), 500)
    data = body(exc.code, exc.message, node=exc.node, field=exc.field, problems=exc.problems)
    return Response(data, status=status)


def _framework(exc: exceptions.APIException) -> Response:
    headers = {}
    if challenge := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(exc, "wait", None):
        headers["Retry-After"] = str(round(wait))
    if isinstance(exc, exceptions.ValidationError):
        data = _invalid(list(_flatten(exc.detail)))
    else:
        code = str(getattr(exc.detail, "code", exc.default_code))
        data = body(_RENAMED.get(code, code), str(exc.detail))
    return Response(data, status=exc.status_code, headers=headers)


def _invalid(problems: list[Body]) -> Body:
    first = problems[0]
    message = f"{first['field']}: {first['message']}" if first.get("field") else first["message"]
    return body("invalid_input", message, field=first.get("field"), problems=problems)


def _flatten(detail: Any, field: str = "") -> Iterator[Body]:
    """The framework's nested lists and maps of messages as ``{field, message}``, one a message."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from _flatten(inner, ".".join(part for part in (field, own) if part))
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from _flatten(inner, field)
    else:
        yield {"field": field, "message": str(detail)} if field else {"message": str(detail)}
