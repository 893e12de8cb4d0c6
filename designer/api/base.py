"""What every view of the API has in common."""

from collections.abc import Iterable
from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from designer.api.serializers import ErrorSerializer


class OneFormat(BaseContentNegotiation):
    """The API speaks JSON, whatever a client says it accepts: an error must be readable on an event stream too."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


class ApiView(APIView):
    """JSON in, JSON out, for somebody who is signed in."""

    content_negotiation_class = OneFormat

    @property
    def person(self) -> User:
        """Who asks; signed in, as every view but the public ones demands."""
        return cast("User", self.request.user)

    def sent(self, serializer: type[Serializer[Any]]) -> dict[str, Any]:
        """The request's body as ``serializer`` reads it; raises ``ValidationError`` with every fault."""
        return valid(serializer(data=self.request.data))

    def asked(self, serializer: type[Serializer[Any]]) -> dict[str, Any]:
        """The query string as ``serializer`` reads it."""
        return valid(serializer(data=self.request.query_params))


def valid(serializer: Serializer[Any]) -> dict[str, Any]:
    """The values of what fits; raises ``ValidationError`` with every fault."""
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


def responses(good: dict[int, Any], *refusals: int) -> dict[int, Any]:
    """An operation's answers for the schema: the good ones, its own refusals, and those that all operations share."""
    shared = (400, 401, 404)
    return good | {status: OpenApiResponse(ErrorSerializer, _REFUSALS[status]) for status in (*shared, *refusals)}


_REFUSALS = {
    400: "The request cannot be read or does not fit.",
    401: "Not signed in, or the token has run out.",
    403: "They may see it but not do this.",
    404: "It does not exist, or they may not know that it does.",
    409: "Not possible as things stand; nothing was changed.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many failed attempts; see `Retry-After`.",
}
