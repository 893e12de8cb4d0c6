"""The ports a worker and a web process use: the real clock, the library, the queue, Django's people, published flows."""

from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from uuid import UUID

from engine import queue
from engine.cluster.identity import worker_name
from engine.executors.agents import AgentExecutor
from engine.executors.dispatch import Dispatcher
from engine.executors.http import HttpExecutor
from engine.executors.library import LibraryExecutor
from engine.executors.mocks import MockingExecutor
from engine.people import DjangoPeople
from engine.ports import Pinned, Ports, Published
from flows.models import FlowVersion
from flows.versions import graph_of

HINT_LOST_AFTER = timedelta(seconds=30)


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class HintQueue:
    """Hints as django-q2 messages in the same database, so that they join the caller's transaction."""

    def hint(self, instance_id: UUID) -> None:
        queue.send_hint(instance_id)

    def notice(self, notice_id: UUID, *, at: datetime | None = None) -> None:
        queue.send(queue.TELL, str(notice_id), eta=at)

    def has_ready(self) -> bool:
        return queue.has_ready_messages()

    def hints_arrived_until(self) -> datetime:
        waiting_since = queue.oldest_ready() or datetime.now(UTC)
        return waiting_since - HINT_LOST_AFTER

    def is_stopping(self) -> bool:
        return queue.is_stopping()


class PublishedFlows:
    """Flows and versions out of the database. Versions never change, so their graphs are kept."""

    def published(self, workspace_id: int, path: str) -> Published | None:
        versions = FlowVersion.objects.published().of_path(workspace_id, path).newest_first()
        newest = versions.values_list("flow_id", "id", "number", "flow__path", "flow__enabled").first()
        if newest is None:
            return None
        flow_id, version_id, number, found, enabled = newest
        return Published(flow_id, version_id, number or 0, found, enabled)

    def version(self, version_id: int) -> Pinned:
        return _pinned(version_id)


@lru_cache(maxsize=256)
def _pinned(version_id: int) -> Pinned:
    path, number = FlowVersion.objects.values_list("flow__path", "number").get(pk=version_id)
    return Pinned(graph_of(version_id), path, number)


@cache
def _parts() -> tuple[SystemClock, MockingExecutor, HintQueue, DjangoPeople, PublishedFlows]:
    clock = SystemClock()
    real = Dispatcher(functions=LibraryExecutor(clock), http=HttpExecutor(clock), agents=AgentExecutor(clock))
    return clock, MockingExecutor(real, clock), HintQueue(), DjangoPeople(), PublishedFlows()


def ports() -> Ports:
    """The ports of this process."""
    clock, executor, hints, people, flows = _parts()
    return Ports(clock, executor, hints, people, flows, worker_name())
