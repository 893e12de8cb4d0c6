"""Middleware of the pages."""

from collections.abc import Callable
from functools import cache
from zoneinfo import available_timezones

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

TIMEZONE_COOKIE = "timezone"
_known_zones = cache(available_timezones)


def reader_time_zone(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Show times in the reader's zone: static/js/app.js notes its name in a cookie. Unknown names are ignored."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        zone = request.COOKIES.get(TIMEZONE_COOKIE, "")
        with timezone.override(zone if zone in _known_zones() else None):
            return get_response(request)

    return middleware
