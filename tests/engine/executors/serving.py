"""Letting a test's server answer while the test runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import TypeVar


class LeavingServer(ThreadingHTTPServer):
    """``gone`` is set when the test is over: for answers that hang."""

    daemon_threads = True
    gone: threading.Event


Served = TypeVar("Served", bound=LeavingServer)


@contextmanager
def serving(made: Served) -> Iterator[Served]:
    """``made`` answers in a thread of its own, and is gone afterwards."""
    with made as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.gone.set()
            server.shutdown()
            thread.join()
