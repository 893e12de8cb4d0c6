"""A real mail server of a few lines, which serves well or badly, as each test says."""

import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

HANGS_UP = ""
"""Instead of a reply."""


class Handler(socketserver.StreamRequestHandler):
    server: "SmtpServer"

    def handle(self) -> None:
        with suppress(ConnectionError):
            self._say("220 ready")
            while line := self.rfile.readline():
                if not self._answer(line.decode().strip()):
                    return

    def _answer(self, line: str) -> bool:
        command = line[:4].upper()
        self.server.commands.append(line)
        if command == "DATA" and "DATA" not in self.server.replies:
            self._say("354 go on")
            text = b"".join(iter(self.rfile.readline, b".\r\n"))
            return self._reply("TEXT", text)
        return self._reply(command)

    def _reply(self, command: str, text: bytes = b"") -> bool:
        reply = self.server.replies.get(command, "250 fine")
        if text and (reply.startswith("2") or command in self.server.keeps):
            self.server.mails.append(text.decode())
        if reply != HANGS_UP:
            self._say(reply)
        return reply != HANGS_UP and command != "QUIT"

    def _say(self, reply: str) -> None:
        self.wfile.write(reply.encode() + b"\r\n")


class SmtpServer(socketserver.ThreadingTCPServer):
    """``replies`` by command, ``TEXT`` for the mail itself. ``keeps`` are the commands whose text is kept whatever is replied."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, replies: Mapping[str, str], keeps: frozenset[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies, self.keeps = replies, keeps
        self.commands: list[str] = []
        self.mails: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


@contextmanager
def running(*, keeps: tuple[str, ...] = (), **replies: str) -> Iterator[SmtpServer]:
    with SmtpServer(replies, frozenset(keeps)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
