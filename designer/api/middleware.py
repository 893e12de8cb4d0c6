"""Errors under ``/api/`` that were made outside its views: a host that is not ours, a crash before the view."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from designer.api.errors import in_our_shape

Handler = Callable[[HttpRequest], HttpResponseBase]
AsyncHandler = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def json_errors(get_response: Handler | AsyncHandler) -> Handler | AsyncHandler:
    """Outermost, so that it sees what every other middleware made of an exception."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _in_shape(request, await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        return _in_shape(request, get_response(request))  # type: ignore[arg-type]

    return answer


def _in_shape(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code < 400 or not isinstance(response, HttpResponse):
        return response
    is_ours = response.headers.get("Content-Type") == "application/json"
    return response if is_ours or not request.path_info.startswith("/api/") else in_our_shape(response)
