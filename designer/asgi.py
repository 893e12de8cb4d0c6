"""The ASGI entry point: uvicorn serves pages, API and live events from it.

Django gives each request a thread and with it a connection to the database, and keeps both until the last byte is sent: a
page that follows a run would hold them for hours. Here requests share a fixed number of threads, whose connections last,
and an answer that streams gives its thread back before it begins (docs/decisions/, "Web threads").
"""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Final

import django
from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")


class _Loan:
    """A thread lent to one request. Giving it back is safe to repeat."""

    def __init__(self, threads: "asyncio.LifoQueue[ThreadPoolExecutor]", thread: ThreadPoolExecutor) -> None:
        self._threads = threads
        self.thread = thread
        self._is_open = True

    def give_back(self) -> None:
        if self._is_open:
            self._is_open = False
            self._threads.put_nowait(self.thread)


_loan: Final[ContextVar[_Loan]] = ContextVar("loan")


class Application(ASGIHandler):
    """Django's handler on a fixed number of threads, each of them an executor of its own."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        # Last in, first out: a quiet server keeps few connections busy and warm.
        self._threads: asyncio.LifoQueue[ThreadPoolExecutor] = asyncio.LifoQueue()
        for number in range(threads):
            self._threads.put_nowait(ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"web-{number}"))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP is spoken here, not {scope['type']}.")
        loan = _Loan(self._threads, await self._threads.get())
        _loan.set(loan)
        try:
            async with ThreadSensitiveContext(executor=loan.thread):
                await self.handle(scope, receive, send)
        finally:
            loan.give_back()

    async def send_response(self, response: HttpResponseBase, send: Any) -> None:
        """What little a stream still needs a thread for at its end waits its turn on the one it had."""
        if isinstance(response, StreamingHttpResponse) and response.is_async:
            _loan.get().give_back()
        await super().send_response(response, send)


django.setup(set_prefix=False)
application = Application(settings.SULTANA_WEB_THREADS)
