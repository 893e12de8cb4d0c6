"""Telling a program by a webhook, through the client of HTTP functions: the same hosts, secrets by name, no redirects."""

import time

from engine.executors.http import answered
from engine.executors.http_request import request_of
from engine.models import Notice
from engine.notices.result import SENT, Tried, not_now, refused, unknown
from engine.notices.words import Words
from flows.models import HttpFunction, NotificationTarget
from flows.registry import CallContext, FunctionError, UnknownOutcome

ANSWER_SECONDS = 20.0
LATER = frozenset({429, 503})
"""Statuses that say: nothing was done, come again."""


def send(target: NotificationTarget, notice: Notice) -> Tried:
    """Send one POST. What the server makes of it beyond its status is its own affair."""
    function = HttpFunction(
        method="POST",
        url=target.url,
        headers=target.headers,
        body="{{ arguments }}",
        idempotency_header="Idempotency-Key",
    )
    context = CallContext(str(notice.instance_id), notice.node_id, 1, notice.attempts, idempotency_key=str(notice.pk))
    try:
        request = request_of(function, Words(notice, target.language).document(), context)
        answer = answered(request, request.url, time.monotonic() + ANSWER_SECONDS)
    except UnknownOutcome as error:
        return unknown(error.message)
    except FunctionError as error:
        return (not_now if error.code == "connection_failed" else refused)(error.message)
    if answer.status < 300:
        return SENT
    return (not_now if answer.status in LATER else refused)(f"The server answered {answer.status}.")
