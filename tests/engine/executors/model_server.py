"""A real HTTP server that speaks OpenAI's chat protocol, well or badly, as each test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, TypeAlias

from tests.engine.executors.serving import LeavingServer, serving

Answer: TypeAlias = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One request; what it answers comes from the server's list, the last answer repeats."""

    server: "ModelServer"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append({"path": self.path, "headers": self.headers, "body": json.loads(body)})
        number = min(len(self.server.requests), len(self.server.answers)) - 1
        with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may have hung up
            self.server.answers[number](self)
        self.close_connection = True

    def begin(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "text/event-stream"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def write(self, text: str | bytes) -> None:
        self.wfile.write(text.encode() if isinstance(text, str) else text)
        self.wfile.flush()

    def send(self, part: Any) -> None:
        self.write(f"data: {part if isinstance(part, str) else json.dumps(part)}\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


class ModelServer(LeavingServer):
    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests: list[dict[str, Any]] = []
        self.gone = threading.Event()
        """Set when the test is over: for answers that hang."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def running(*answers: Answer) -> Iterator[ModelServer]:
    with serving(ModelServer(list(answers))) as server:
        yield server


def part(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def says(*texts: str, finish: str | None = "stop", tokens: tuple[int, int] = (11, 3)) -> Answer:
    """A good answer in several parts, with its usage."""

    def answer(handler: Handler) -> None:
        handler.begin()
        handler.send(part(role="assistant", content=""))
        for text in texts:
            handler.send(part(content=text))
        handler.send(part(finish))
        handler.send({"id": "1", "choices": [], "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}})
        handler.send("[DONE]")

    return answer


def uses(*calls: tuple[str, str], text: str = "") -> Answer:
    """A wish to use tools: pairs of a name and the text of the arguments, which arrive in two pieces."""

    def answer(handler: Handler) -> None:
        handler.begin()
        handler.send(part(role="assistant", content=text))
        for index, (name, arguments) in enumerate(calls):
            half = len(arguments) // 2
            first = {"index": index, "id": f"call-{index}", "type": "function"}
            handler.send(part(tool_calls=[{**first, "function": {"name": name, "arguments": arguments[:half]}}]))
            handler.send(part(tool_calls=[{"index": index, "function": {"arguments": arguments[half:]}}]))
        handler.send(part("tool_calls"))
        handler.send("[DONE]")

    return answer


def refuses(status: int, body: Any = None, **headers: str) -> Answer:
    def answer(handler: Handler) -> None:
        handler.begin(status, Content_Type="application/json", **headers)
        handler.write(body if isinstance(body, str) else json.dumps(body or {"error": {"message": "no"}}))

    return answer


def sends(*parts: Any) -> Answer:
    """A stream of whatever the test says."""

    def answer(handler: Handler) -> None:
        handler.begin()
        for each in parts:
            handler.send(each)

    return answer


def writes(*texts: str | bytes, **headers: str) -> Answer:
    """A body of whatever the test says, protocol or not."""

    def answer(handler: Handler) -> None:
        handler.begin(200, **headers)
        for text in texts:
            handler.write(text)

    return answer


def hangs(*parts: Any, headers: bool = True) -> Answer:
    """Some parts, and then nothing more."""

    def answer(handler: Handler) -> None:
        if headers:
            handler.begin()
        for each in parts:
            handler.send(each)
        handler.server.gone.wait(30)

    return answer


def drips(pause: float) -> Answer:
    """A letter now and then, without an end."""

    def answer(handler: Handler) -> None:
        handler.begin()
        while not handler.server.gone.wait(pause):
            handler.send(part(content="a"))

    return answer


def floods(piece: str) -> Answer:
    """The same again and again, without an end."""

    def answer(handler: Handler) -> None:
        handler.begin()
        while not handler.server.gone.is_set():
            handler.write(piece)

    return answer
