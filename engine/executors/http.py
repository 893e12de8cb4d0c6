"""Sends the requests of HTTP functions, and tells what failed from what nobody can know (design/recovery.md, "Unknown outcomes").

Nothing is tried again here: the engine does that. Each call has a connection of its own, for one that was kept open may be
closed by the server just as it is used again, and then nobody knows whether the request arrived.
"""

import time
from collections.abc import Callable
from functools import lru_cache, partial
from ssl import SSLContext
from typing import Any, Final, TypeAlias
from urllib.parse import urljoin, urlsplit

import httpx
from django.conf import settings

from engine.executors.http_answer import Answer, output_of
from engine.executors.http_hosts import addresses_of
from engine.executors.http_request import Request, request_of
from engine.executors.library import argument_problem, carry_out
from engine.outcomes import Failed, Pending, Result
from engine.ports import Call, Clock
from engine.testconfig import is_isolated
from flows import library
from flows.http_functions import SAFE_METHODS
from flows.models import HttpFunction
from flows.registry import Arguments, CallContext, FunctionError, UnknownOutcome

CONNECT_SECONDS: Final = 10.0
MOST_REDIRECTS: Final = 5
NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
"""What the client raises before the first byte of a request has left."""

Send: TypeAlias = Callable[[Arguments, CallContext], dict[str, Any]]


class HttpExecutor:
    """Sends what a call's function says. What goes wrong becomes a result; only the death of the process is raised."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def start(self, call: Call) -> Result | Pending:
        try:
            send = sender(call)
        except FunctionError as error:
            return Failed(error.message, error.code)
        problem = argument_problem(call.path, call.arguments, library.manifest_of(call.path))
        if problem is not None:
            return Failed(problem, "invalid_arguments", error_type="validation")
        return carry_out(send, call, self._clock)


def sender(call: Call) -> Send:
    """What carries out the HTTP function that ``call`` names. Raises ``FunctionError`` when it may not be called at all."""
    function = HttpFunction.objects.filter(path=call.path).first()
    if function is None:
        raise FunctionError(f"There is no function {call.path} in the library.", code="function_not_found")
    if not function.available:
        raise FunctionError(f"The function {call.path} is switched off.", code="function_not_found")
    if call.is_test and is_isolated(call.test_config):
        raise FunctionError(
            f"An isolated test run sends nothing. Give {call.path} a mock, or set isolated_branch to false.",
            code="not_sent_in_test",
        )
    return partial(_send, function)


def _send(function: HttpFunction, arguments: Arguments, ctx: CallContext) -> dict[str, Any]:
    request = request_of(function, arguments, ctx)
    until = time.monotonic() + function.timeout_seconds
    url = request.url
    for _ in range(MOST_REDIRECTS + 1):
        answer = answered(request, url, until)
        onward = _onward(request, url, answer)
        if onward is None:
            return output_of(function, request, answer)
        url = onward
    raise FunctionError(
        f"The server redirects more than {MOST_REDIRECTS} times.", code="redirected", status=answer.status
    )


def _onward(request: Request, url: str, answer: Answer) -> str | None:
    """Where a redirect is followed to: by one that only looks, and to the same server alone: it gets the secrets again."""
    to = answer.headers.get("location")
    if request.method not in SAFE_METHODS or not 300 <= answer.status < 400 or not to:
        return None
    try:
        onward = urljoin(url, to)
        return onward if _origin(onward) == _origin(url) else None
    except ValueError:
        return None


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def answered(request: Request, url: str, until: float) -> Answer:
    """The whole answer of ``url``, to be there at the moment ``until`` of the monotonic clock. Raises ``FunctionError`` when
    nothing was sent, ``UnknownOutcome`` when it was and no answer came."""
    try:
        return _asked(request, url, until)
    except NOT_SENT as error:
        raise FunctionError(f"No connection to {_host(url)}: {error}", code="connection_failed") from error
    except (httpx.InvalidURL, httpx.LocalProtocolError) as error:
        raise FunctionError(f"{_host(url)} cannot be asked this way.", code="invalid_arguments") from error
    except httpx.TimeoutException as error:
        raise _late(url) from error
    except httpx.HTTPError as error:
        words = f"The connection to {_host(url)} broke after the request was sent: {error}"
        raise UnknownOutcome(request.masked(words), code="connection_lost") from error


def _asked(request: Request, url: str, until: float) -> Answer:
    scheme, host, port = _origin(url)
    addresses = addresses_of(host or "", port)
    limits = _limits(url, until)
    for number, address in enumerate(addresses, 1):
        try:
            with httpx.Client(verify=_tls(), timeout=limits, trust_env=False) as client:
                return _exchanged(client, request, url, address, until)
        except NOT_SENT:
            if number == len(addresses):
                raise
    raise FunctionError(f"{host} has no address.", code="connection_failed")


def _exchanged(client: httpx.Client, request: Request, url: str, address: str, until: float) -> Answer:
    """Ask at the address that was checked; the name stands in ``Host`` and is what the certificate must be for."""
    target = httpx.URL(url)
    name = target.netloc.decode()
    headers = {"user-agent": "Sultana", "accept": "*/*", **request.headers, "host": name, "accept-encoding": "identity"}
    with client.stream(
        request.method,
        target.copy_with(host=address),
        headers=headers,
        content=request.content,
        extensions={"sni_hostname": target.host},
    ) as response:
        body, is_cut = _read(response, url, until)
        return Answer(response.status_code, response.headers, body, response.encoding or "utf-8", is_cut)


def _read(response: httpx.Response, url: str, until: float) -> tuple[bytes, bool]:
    """The body up to what can be kept, and whether there is more of it."""
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > settings.SULTANA_OUTPUT_LIMIT:
            return bytes(body[: settings.SULTANA_OUTPUT_LIMIT]), True
        if time.monotonic() > until:
            raise _late(url)
    return bytes(body), False


def _limits(url: str, until: float) -> httpx.Timeout:
    left = until - time.monotonic()
    if left <= 0:
        raise _late(url)
    return httpx.Timeout(left, connect=min(left, CONNECT_SECONDS))


def _late(url: str) -> UnknownOutcome:
    return UnknownOutcome(f"{_host(url)} did not answer in the time the function has for it.", code="timeout")


def _host(url: str) -> str:
    return urlsplit(url).netloc


@lru_cache(maxsize=1)
def _tls() -> SSLContext:
    """Reading the certificates takes longer than most calls."""
    return httpx.create_ssl_context()
