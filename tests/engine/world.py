"""The engine on the test's database, with a clock that the test moves and functions that the test writes."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from engine import commands, driver, inbox, notices, recovery, wakeups
from engine.machine import position as positions
from engine.models import InboxTask, Instance
from engine.outcomes import Pending, Result, Succeeded
from engine.ports import Call, Ports
from engine.scenarios.definitions import ScenarioFlows
from engine.scenarios.queue import InProcessQueue
from flows import graph
from flows.lowering import lower
from tests.engine.machine.walking import Somebody
from tests.factories import FlowFactory, FlowVersionFactory

ANA = "/users/ana"


class Died(BaseException):
    """Stands for the death of the worker."""


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2030, 1, 7, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@dataclass
class Functions:
    """By path: what a call gives, or a callable that is given the call. ``made`` are the calls."""

    answers: dict[str, Any] = field(default_factory=dict)
    made: list[Call] = field(default_factory=list)

    def start(self, call: Call) -> Result | Pending:
        self.made.append(call)
        found = self.answers.get(call.path.removeprefix("/lib/"), {})
        found = found(call) if callable(found) else found
        return found if isinstance(found, Result | Pending) else Succeeded(found)


class Queue(InProcessQueue):
    """Keeps the hints about notices as well: ``notices`` are those that wait, with the moment from which they may be taken."""

    def __init__(self) -> None:
        super().__init__()
        self.notices: list[tuple[UUID, datetime | None]] = []

    def notice(self, notice_id: UUID, *, at: datetime | None = None) -> None:
        transaction.on_commit(partial(self.notices.append, (notice_id, at)))

    def take_notice(self, now: datetime) -> UUID | None:
        """The oldest hint about a notice that has come, or ``None``."""
        ready = [each for each in self.notices if each[1] is None or each[1] <= now]
        if not ready:
            return None
        self.notices.remove(ready[0])
        return ready[0][0]

    def lose(self) -> None:
        super().lose()
        self.notices.clear()


class World:
    """Everything a worker has. ``drive`` and ``fire`` are what one does; :meth:`settle` does both until nothing is left."""

    def __init__(self, **answers: Any) -> None:
        self.clock = Clock()
        self.functions = Functions({name.replace("_", "-"): found for name, found in answers.items()})
        self.queue = Queue()
        self.ports = Ports(self.clock, self.functions, self.queue, Somebody(), ScenarioFlows(), "node:1")

    def start(self, *nodes: dict[str, Any], **more: Any) -> UUID:
        version = self.version(*nodes, **{key: more.pop(key) for key in list(more) if key not in STARTS})
        return commands.start(version.flow_id, version.pk, input=more.pop("input", {}), ports=self.ports, **more).pk

    def version(
        self, *nodes: dict[str, Any], path: str = "/flows/it", manifests: dict[str, Any] | None = None, **data: Any
    ) -> Any:
        definition = {"nodes": list(nodes), **data}
        flow = FlowFactory(path=path)
        known = {f"/lib/{name}": manifest for name, manifest in (manifests or {}).items()}
        return FlowVersionFactory(flow=flow, definition=definition, graph=graph.to_json(lower(definition, known.get)))

    def worker(self, name: str) -> Ports:
        return replace(self.ports, worker=name)

    def settle(self) -> None:
        while (hint := self.queue.take()) is not None or wakeups.fire_due(self.ports):
            if hint is not None:
                driver.drive(hint, self.ports)
        while (notice := self.queue.take_notice(self.clock.now())) is not None:
            notices.deliver(notice, self.ports)

    def later(self, **span: float) -> None:
        self.clock.moment += timedelta(**span)
        self.settle()

    def answer(self, run: UUID, by: str = ANA, **response: Any) -> InboxTask:
        task = InboxTask.objects.get(instance=run, assignee=by)
        return inbox.complete(task.pk, by=by, response=response, ports=self.ports)

    def deliver(self, run: UUID, output: Any) -> None:
        """The call that a run rests on is answered."""
        leaf = positions.from_json(row(run).position).leaf
        assert leaf is not None
        result = output if isinstance(output, Result) else Succeeded(output)
        commands.deliver_result(run, visit_seq=leaf.seq, attempt=leaf.attempt, result=result, ports=self.ports)
        self.settle()

    def bury(self, worker: str = "node:1") -> None:
        """The worker is dead, and somebody noticed."""
        recovery.worker_died(worker, self.ports)
        self.settle()


STARTS = ("input", "key", "is_test", "test_config", "by")


def row(run: UUID) -> Instance:
    return Instance.objects.get(pk=run)


def called(world: World) -> list[str]:
    return [call.path.removeprefix("/lib/") for call in world.functions.made]
