"""``GET .../instances/{id}/events``: what happens to a run, as server-sent events."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request

from designer import access, live
from designer.api.authentication import still_signed_in
from designer.api.base import ApiView, responses, valid
from designer.api.events import Line, Place, count_if_ended, read
from designer.api.serializers import EventsFilterSerializer
from engine import testruns
from engine.ports_production import ports

logger = logging.getLogger(__name__)

KEEP_ALIVE: Final = 15.0
"""Seconds of silence after which a comment is sent, so that nobody on the way takes the connection for dead."""
RECHECK: Final = 60.0
"""Seconds after which it is asked again whether they may still see the run."""


class EventsView(ApiView):
    @extend_schema(
        operation_id="follow_instance",
        tags=["runs"],
        parameters=[
            EventsFilterSerializer,
            OpenApiParameter("Last-Event-ID", int, OpenApiParameter.HEADER, description="Wins over the parameter."),
        ],
        responses=responses({})
        | {
            (200, "text/event-stream"): OpenApiResponse(OpenApiTypes.STR, "`event: flow-event` with JSON in `data:`."),
            204: OpenApiResponse(description="Nothing more will come."),
        },
    )
    def get(self, request: Request, repo: str, instance_id: UUID) -> HttpResponseBase:
        """Follow a run: first what happened after `Last-Event-ID`, then what happens, until the run has ended.

        `id:` is the event's number in the run. With `tree=1` the events of child runs come too, each with `instance_id`
        and `number`; after a resumption some of these may come twice.
        """
        instance = access.get_instance_for(self.person, repo, instance_id)
        last = request.headers.get("Last-Event-ID") or request.query_params.get("last_event_id") or 0
        asked = valid(EventsFilterSerializer(data={**request.query_params.dict(), "last_event_id": last}))
        place = Place(instance.id, instance.root_id or instance.id, asked["last_event_id"], asked["tree"])
        end = count_if_ended(instance.id) if place.last else None
        if end is not None and place.last >= end:
            return HttpResponse(status=204)  # tells a browser not to come back
        return StreamingHttpResponse(
            _stream(request._request, repo, place),
            content_type="text/event-stream",
            headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
        )


async def _stream(request: HttpRequest, repo: str, place: Place) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    hub = live.hub()
    checked = time.monotonic()
    with hub.watch(place.root_id) as woken:
        while not hub.is_closing:
            woken.clear()
            try:
                news = await live.in_pool(read, place)
                if time.monotonic() - checked >= RECHECK:
                    checked = time.monotonic()
                    if not await live.in_pool(_may_still_see, request, repo, place.instance_id):
                        return
            except DatabaseError:
                logger.warning("A stream of events was cut off; its reader will come back.", exc_info=True)
                return
            for line in news.lines:
                yield _frame(line)
            if news.over:
                await live.in_pool(testruns.delivered, place.instance_id, ports())
                return
            if not news.more and not await _something_happens(woken):
                yield b": still here\n\n"


async def _something_happens(woken: asyncio.Event) -> bool:
    """Wait for it; ``False`` after a long silence."""
    try:
        async with asyncio.timeout(KEEP_ALIVE):
            return await woken.wait()
    except TimeoutError:
        return False


def _may_still_see(request: HttpRequest, repo: str, instance_id: UUID) -> bool:
    user = still_signed_in(request)
    if user is None:
        return False
    try:
        access.get_instance_for(user, repo, instance_id)
    except Http404:
        return False
    return True


def _frame(line: Line) -> bytes:
    data = json.dumps(line.data, ensure_ascii=False, separators=(",", ":"))
    number = "" if line.id is None else f"id: {line.id}\n"
    return f"{number}event: flow-event\ndata: {data}\n\n".encode()
