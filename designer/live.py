"""Wakes whoever follows a run, the moment something happened to it: one listener per web process, no thread per client.

PostgreSQL tells by ``NOTIFY`` with the id of the tree's root run, never the data; on SQLite the file's change counter is
asked ten times a second. A watcher that is woken reads what is new; that it is woken for nothing does no harm
(design/engine-notes.md, section 9).
"""

import asyncio
import logging
import signal
import sqlite3
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing, contextmanager
from contextvars import Context
from functools import partial
from types import FrameType
from typing import Any, Final, ParamSpec, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
from django.db import close_old_connections, connection
from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from engine.models import Instance, LiveText
from engine.transitions import EVENTS_CHANNEL

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

TICK: Final = 0.1
"""Seconds between two looks at SQLite's change counter."""
LOOK_EVERY: Final = 1.0
"""Seconds after which PostgreSQL is asked anyway: a run tells at its rests, not at each step it begins."""
RETRY_AFTER: Final = 1.0

_POOL: Final = ThreadPoolExecutor(max_workers=4, thread_name_prefix="live")
"""All that streams ask the database goes through these threads, so they hold four connections however many they are."""


async def in_pool(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what asks the database in one of the few threads that are there for it."""
    call = partial(_with_fresh_connection, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_POOL, call)


def _with_fresh_connection(function: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return function()
    finally:
        close_old_connections()


class Hub:
    """The listener of one event loop. It runs as long as somebody watches."""

    def __init__(self) -> None:
        self.is_closing = False
        self._watchers: defaultdict[UUID, set[asyncio.Event]] = defaultdict(set)
        self._marks: dict[UUID, tuple[int, Any]] = {}
        self._listener: asyncio.Task[None] | None = None

    @contextmanager
    def watch(self, root: UUID) -> Iterator[asyncio.Event]:
        """An event that is set whenever something may have happened in the tree of the run ``root``."""
        woken = asyncio.Event()
        self._watchers[root].add(woken)
        if self._listener is None:
            # In a context of its own: it outlives the request that happens to begin it.
            self._listener = asyncio.get_running_loop().create_task(self._listen(), context=Context())
        try:
            yield woken
        finally:
            self._watchers[root].discard(woken)
            if not self._watchers[root]:
                del self._watchers[root]
            if not self._watchers and self._listener is not None:
                self._listener.cancel()
                self._listener = None

    def close(self) -> None:
        """The server stops: let every watcher end by itself."""
        self.is_closing = True
        self._wake(self._watchers)

    def _wake(self, roots: Iterable[UUID]) -> None:
        for root in list(roots):
            for woken in self._watchers.get(root, ()):
                woken.set()

    async def _listen(self) -> None:
        source = _on_postgresql if connection.vendor == "postgresql" else _on_sqlite
        while True:
            try:
                async with aclosing(source()) as tidings:
                    async for root in tidings:
                        await self._tell(root)
            except Exception:
                # Streams outlive a database that is away for a moment; they are woken to look for themselves.
                logger.warning("Listening for events was interrupted; trying again.", exc_info=True)
                self._wake(self._watchers)
                await asyncio.sleep(RETRY_AFTER)

    async def _tell(self, root: UUID | None) -> None:
        """``None`` stands for "anything may have happened": one query finds out where."""
        if root is not None:
            self._wake([root])
            return
        marks = await in_pool(_marks, list(self._watchers))
        self._wake(root for root, mark in marks.items() if self._marks.get(root) != mark)
        self._marks = marks


async def _on_postgresql() -> AsyncGenerator[UUID | None]:
    async with await psycopg.AsyncConnection.connect(**_parameters(), autocommit=True) as listening:
        await listening.execute(f"LISTEN {EVENTS_CHANNEL}")
        while True:
            yield None
            async for notice in listening.notifies(timeout=LOOK_EVERY):
                yield UUID(notice.payload)


async def _on_sqlite() -> AsyncGenerator[UUID | None]:
    seen = None
    # The counter tells of other connections' commits only, so it has one of its own. Asking takes microseconds.
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as file:
        while True:
            changed = file.execute("PRAGMA data_version").fetchone()
            if changed != seen:
                seen = changed
                yield None
            await asyncio.sleep(TICK)


def _parameters() -> dict[str, Any]:
    """Django's own parameters for PostgreSQL, less what only suits its cursors."""
    own = {"cursor_factory", "context", "prepare_threshold"}
    return {name: value for name, value in connection.get_connection_params().items() if name not in own}


def _marks(roots: list[UUID]) -> dict[UUID, tuple[int, Any]]:
    """How many events the trees of these runs have, and when an agent in them last said something; changes with each."""
    family = Instance.objects.filter(Q(pk__in=roots) | Q(root__in=roots)).order_by()
    counts = family.annotate(tree=Coalesce(F("root_id"), F("id"))).values("tree").annotate(total=Sum("event_count"))
    said = dict(LiveText.objects.filter(root__in=roots).order_by("at").values_list("root", "at"))
    return {root: (total, said.get(root)) for root, total in counts.values_list("tree", "total")}


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop; a web process has one loop and so one hub."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
        _close_with_the_server(loop, _hubs[loop])
    return _hubs[loop]


def _close_with_the_server(loop: asyncio.AbstractEventLoop, own: Hub) -> None:
    """End the streams when the server is asked to stop: it waits for open answers, and these would never end.

    The server's own handlers, which are set by now, go on doing their work.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def close_too(got: int, frame: FrameType | None, before: Any = before) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(own.close)
            if callable(before):
                before(got, frame)

        # Without a handler that Python could call there is no server here that would stop gently.
        if callable(before):
            signal.signal(number, close_too)
