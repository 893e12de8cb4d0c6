"""A real HTTP server with work to do, which serves well or badly, as each test says."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, TypeAlias

from tests.engine.executors.serving import LeavingServer, serving

Answer: TypeAlias = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One request; what it answers comes from the server's list, the last answer repeats."""

    server: "HttpServer"
    protocol_version = "HTTP/1.1"

    def handle_request(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.server.lock:
            self.server.requests.append(self)
            number = min(len(self.server.requests), len(self.server.answers)) - 1
        self.close_connection = True
        with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may have hung up
            self.server.answers[number](self)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def begin(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Connection": "close"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def write(self, body: str | bytes) -> None:
        self.wfile.write(body.encode() if isinstance(body, str) else body)
        self.wfile.flush()

    def give(self, body: Any, status: int = 200, **headers: str) -> None:
        text = json.dumps(body)
        self.begin(status, **{"Content_Type": "application/json", "Content_Length": str(len(text))} | headers)
        self.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class HttpServer(LeavingServer):
    request_queue_size = 64

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests: list[Handler] = []
        self.lock = threading.Lock()
        self.effects: Counter[str] = Counter()
        """How often the work was done, by what it was done for."""
        self.gone = threading.Event()
        """Set when the test is over: for answers that hang."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def work(self, name: str) -> None:
        with self.lock:
            self.effects[name] += 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@contextmanager
def running(*answers: Answer) -> Iterator[HttpServer]:
    with serving(HttpServer(list(answers))) as server:
        yield server


def gives(body: Any, status: int = 200, **headers: str) -> Answer:
    """JSON."""
    return lambda handler: handler.give(body, status, **headers)


def writes(*parts: str | bytes, status: int = 200, **headers: str) -> Answer:
    """A body of whatever the test says."""

    def answer(handler: Handler) -> None:
        handler.begin(status, **headers)
        for each in parts:
            handler.write(each)

    return answer


def raw(*parts: str | bytes) -> Answer:
    """Whatever the test says, HTTP or not."""

    def answer(handler: Handler) -> None:
        for each in parts:
            handler.write(each)

    return answer


def drops(handler: Handler) -> None:
    """Close the connection without a word."""


def hangs(*parts: str | bytes) -> Answer:
    """Some bytes, and then nothing more."""

    def answer(handler: Handler) -> None:
        raw(*parts)(handler)
        handler.server.gone.wait(30)

    return answer


def floods(piece: str, status: int = 200, pause: float = 0.0) -> Answer:
    """The same again and again, without an end."""

    def answer(handler: Handler) -> None:
        handler.begin(status)
        while not handler.server.gone.wait(pause):
            handler.write(piece)

    return answer


def works(then: Answer, name: str = "it") -> Answer:
    """Do the work, and then answer so."""

    def answer(handler: Handler) -> None:
        handler.server.work(name)
        then(handler)

    return answer
