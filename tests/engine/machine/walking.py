"""One run without a database: decisions are applied the way a driver and PostgreSQL apply them.

Writes of one transition see the rows as they were before it; that is what one SQL statement does, and what a row that is
inserted and deleted in the same transition would stumble over.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from engine.machine import position as positions
from engine.machine.happenings import (
    Answered,
    CallEnded,
    CallParked,
    CancelAsked,
    ChildEnded,
    Happening,
    Started,
    Woke,
)
from engine.machine.machine import decide
from engine.machine.memory import take_in
from engine.machine.position import Position
from engine.machine.run import Bound, EndedChild, Facts, Outputs, Run, Undo, UndoCall, Visited, World
from engine.machine.slots import NO_LOOP
from engine.machine.turn import Decision, NewChild, Notice
from engine.machine.writes import Write
from engine.outcomes import Failed, Pending, Result, Succeeded
from engine.ports import Pinned, Published
from engine.states import Status
from flows.graph import END_INDEX, Graph
from flows.lowering import lower

START = datetime(2030, 1, 7, 9, tzinfo=UTC)
RUN_ID = UUID(int=1)
OPEN = ("registered", "running")
CALLS_BACK = ("compensation", "undo")


class Somebody:
    """Everybody exists but ``/users/nobody``; the group ``/groups/all`` has two members, ``/groups/none`` none."""

    def exists(self, path: str) -> bool:
        return path != "/users/nobody"

    def members(self, group: str) -> Sequence[str]:
        return ["/users/ana", "/users/ben"] if group == "/groups/all" else []


class AnyFlow:
    """Every flow is published, but ``/flows/missing``."""

    def published(self, workspace_id: int, path: str) -> Published | None:
        return None if path == "/flows/missing" else Published(2, 3, 1, path, True)

    def version(self, version_id: int) -> Pinned:
        raise NotImplementedError


def fails(message: str = "no", **more: Any) -> Failed:
    return Failed(message, **more)


@dataclass
class Walk:
    """A run and everything written about it. ``answers`` are what the functions give, by path, the last one for ever."""

    graph: Graph
    input: Any = None
    answers: dict[str, list[Any]] = field(default_factory=dict)
    now: datetime = START
    random: float = 0.0
    tables: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    children: list[NewChild] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    ended_children: dict[tuple[int, int], list[EndedChild]] = field(default_factory=dict)
    decision: Decision | None = None

    def __post_init__(self) -> None:
        self._ids = (UUID(int=number) for number in count(1000))
        first = END_INDEX if self.graph.first is None else self.graph.first
        self.run = self._loaded(Position(target=first))
        self.reads = 0

    # --- moving --------------------------------------------------------------------------------------------------

    def meet(self, *happenings: Happening, hand_over: bool = False) -> Decision:
        """One transition, committed."""
        self.decision = decide(self.run, happenings, self.world, lambda: next(self._ids), hand_over=hand_over)
        self.apply(self.decision)
        return self.decision

    def go(self, *happenings: Happening) -> "Walk":
        """Transitions and calls until the run rests, is held or ends."""
        self.meet(*(happenings or (Started(),)))
        while self.moves:
            self.meet(*self.carried_out())
        return self

    def carried_out(self) -> list[Happening]:
        """What comes of the last decision: of its call, if it asks for one."""
        assert self.decision is not None
        call = self.decision.call
        if call is None:
            return [Started()]
        result = self.answer(call)
        return [CallParked()] if isinstance(result, Pending) else [CallEnded(result, call.visit_seq, call.attempt)]

    def answer(self, call: Any) -> Result | Pending:
        self.calls.append(call)
        answers = self.answers.get(call.path) or [{}]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return found if isinstance(found, Result | Pending) else Succeeded(deepcopy(found))

    def wake(self) -> "Walk":
        """The earliest wake-up comes due."""
        due, key = min((row["due_at"], key) for key, row in self.rows("wakeup").items())
        row = self.rows("wakeup").pop(key)
        self.now = max(self.now, due)
        return self.go(Woke(row["kind"], row["visit_seq"], row["attempt"]))

    def answered(self, **output: Any) -> "Walk":
        assert self.run.position.leaf is not None
        return self.go(Answered(self.run.position.leaf.seq, output))

    def cancel(self, *before: Happening, roll_back: bool = False) -> "Walk":
        return self.go(*before, CancelAsked(roll_back=roll_back))

    def end_children(self, *statuses: str, compensations: int = 0) -> "Walk":
        """The child runs of the open attempt end, in the order of the branches, each with what it could be rolled back by."""
        leaf = self.run.position.leaf
        assert leaf is not None
        made = [child for child in self.children if (child.seq, child.position["made_by"]) == (leaf.seq, leaf.attempt)]
        ended = [
            EndedChild(new.id, new.branch_id, status, {"by": new.index}, {"message": "no"}, compensations, order)
            for order, (status, new) in enumerate(zip(statuses, made, strict=True))
        ]
        self.ended_children[leaf.seq, leaf.attempt] = ended
        last = ended[-1]
        told = ChildEnded(leaf.seq, last.id, last.status, last.output, dict(last.error or {}), last.compensations)
        return self.go(told)

    def restart(self) -> None:
        """All memory is lost: the run is read back from what was written."""
        self.run = self._loaded(positions.from_json(deepcopy(positions.to_json(self.run.position))))

    # --- seeing --------------------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        return World(self.now, self.random, Somebody(), AnyFlow(), call_limit_ms=600_000)

    @property
    def moves(self) -> bool:
        decision = self.decision
        return decision is not None and not (decision.wait or decision.end or decision.hold)

    @property
    def status(self) -> str:
        assert self.decision is not None
        return self.decision.status.value

    @property
    def rests(self) -> str:
        assert self.decision is not None
        return "" if self.decision.wait is None else self.decision.wait.kind

    @property
    def output(self) -> Any:
        assert self.decision is not None and self.decision.end is not None
        return self.decision.end.output

    @property
    def error(self) -> Mapping[str, Any]:
        assert self.decision is not None and self.decision.end is not None
        return self.decision.end.error or {}

    def rows(self, table: str) -> dict[tuple[Any, ...], dict[str, Any]]:
        return self.tables.setdefault(table, {})

    @property
    def visits(self) -> list[dict[str, Any]]:
        return list(self.rows("visit").values())

    def outcomes(self) -> dict[str, str]:
        """The latest outcome of each node, ``not_run`` of the run's end among them."""
        found = {row["node_id"]: row.get("outcome", "") for row in self.visits}
        ended = self.decision.end if self.decision else None
        return found | dict.fromkeys(ended.not_run if ended else (), "not_run")

    def called(self) -> list[str]:
        return [call.path.removeprefix("/lib/") for call in self.calls]

    def seen(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.events if each["type"] == kind]

    def compensations(self) -> dict[str, str]:
        return {row["node_id"]: row["state"] for row in self.rows("compensation").values()}

    # --- recording -----------------------------------------------------------------------------------------------

    def apply(self, decision: Decision) -> None:
        for each in sorted(decision.writes, key=lambda write: write.new):
            self._write(each)
        if decision.close_tasks is not None:
            seq, reason = decision.close_tasks
            new = {id(self.rows("inboxtask")[each.key]) for each in decision.writes if each.table == "inboxtask"}
            for row in self.rows("inboxtask").values():
                if (row["visit_seq"], row["status"]) == (seq, "pending") and id(row) not in new:
                    row.update(status="cancelled", cancellation_reason=reason)
        self.events += [{"type": e.type, "node_id": e.node_id, "seq": e.visit_seq, **e.data} for e in decision.events]
        self.children += decision.children
        self.notices += decision.notices
        if decision.replaced is not None:
            for row in self.visits:
                if decision.replaced.first <= row["seq"] <= decision.replaced.last and not row.get("replaced"):
                    row["replaced"] = decision.replaced.round
        take_in(self.run, decision)

    def _write(self, each: Write) -> None:
        rows, key = self.rows(each.table), dict(each.key)
        if each.gone:
            for place in [place for place in rows if set(key.items()) <= set(place)]:
                del rows[place]
        elif each.new:
            assert each.key not in rows, f"{each.table} {key} is written twice"
            assert each.table not in CALLS_BACK or "state" not in each.values
            fresh = {"state": "registered"} if each.table in CALLS_BACK else {}
            rows[each.key] = {**fresh, **key, **deepcopy(each.values)}
        elif each.key in rows:
            rows[each.key].update(deepcopy(each.values))
        elif each.table == "compensation":
            for row in rows.values():
                if key.items() <= row.items():
                    row.update(deepcopy(each.values))
        else:
            assert each.table == "attempt", f"{each.table} {key} is not there"

    def _loaded(self, place: Position) -> Run:
        facts = Facts(RUN_ID, 1, "/flows/it", 1, self.input, {"event_type": "manual"}, START.isoformat())
        bindings = {
            row["node_id"]: Bound(row["visits"], row["seq"], row["outcome"], row["completion"], tuple(row["recent"]))
            for row in self.rows("binding").values()
        }
        return Run(
            facts=facts,
            graph=self.graph,
            position=place,
            bindings=bindings,
            outputs=Outputs(lambda seqs: self._column(seqs, "output")),
            entries=Outputs(lambda seqs: self._column(seqs, "entry")),
            results=self._results,
            children=lambda seq, attempt: self.ended_children.get((seq, attempt), []),
            plan=_Plan(self),
            history=_History(self),
        )

    def _column(self, seqs: Sequence[int], name: str) -> dict[int, Any]:
        self.reads += len(seqs)
        return {seq: deepcopy(self.rows("visit")[("seq", seq),].get(name)) for seq in seqs}

    def _results(self, loop_seq: int) -> dict[int, Any]:
        return {row["iteration"]: row.get("output") for row in self.visits if row.get("loop_seq") == loop_seq}


class _History:
    """Implements :class:`engine.machine.run.History` over the rows. Child runs have none here: they are scenarios' business."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def visits(self, first: int) -> list[Visited]:
        return [_visited(row) for row in self._current() if row["seq"] >= first]

    def before(self, first: int, nodes: Iterable[str]) -> list[Visited]:
        wanted = set(nodes)
        found: dict[str, Visited] = {}
        rows = [row for row in self._current() if row["seq"] < first]
        for row in rows:
            found |= {row["node_id"]: _visited(row)} if row["node_id"] in wanted and row.get("outcome") else {}
            for node_id in row.get("not_run") or ():
                found.pop(node_id, None)
        still_open = [_visited(row) for row in rows if row["node_id"] in wanted and not row.get("outcome")]
        return [*found.values(), *still_open]

    def failures(self, first: int, since: datetime) -> int:
        counted = [row for row in self._walk.visits if row.get("counted") and row["seq"] >= first]
        return sum(row["ended_at"] > since for row in counted)

    def family(self, first: int) -> list[tuple[int, Run]]:
        return []

    def undos(self) -> list[UndoCall]:
        rows = sorted(self._walk.rows("undo").values(), key=lambda row: row["place"])
        names = ("place", "owner", "visit_seq", "node_id", "path", "arguments", "missing_ok")
        return [
            UndoCall(
                **{name: row[name] for name in names},
                attempts=row.get("attempts", 0),
                compensations=sum(each["visit_seq"] == row["visit_seq"] for each in self._registered()),
            )
            for row in rows
            if row["state"] in OPEN
        ]

    def key(self, node_id: str, slot: str) -> str | None:
        rows = [row for row in self._walk.visits if (row["node_id"], row.get("slot")) == (node_id, slot)]
        return next((row["idempotency_key"] for row in reversed(rows) if row.get("idempotency_key")), None)

    def superseded(self, node_id: str, slot: str) -> list[int]:
        replaced = {
            row["seq"]
            for row in self._walk.visits
            if row["node_id"] == node_id and row.get("replaced") and row.get("slot", NO_LOOP) == slot
        }
        return [row["position"] for row in self._registered() if row["visit_seq"] in replaced]

    def _current(self) -> list[dict[str, Any]]:
        rows = [row for row in self._walk.visits if not row.get("replaced")]
        return sorted(rows, key=lambda row: row["seq"])

    def _registered(self) -> list[dict[str, Any]]:
        return [row for row in self._walk.rows("compensation").values() if row["state"] == "registered"]


def _visited(row: Mapping[str, Any]) -> Visited:
    outcome, completion = row.get("outcome", ""), row.get("completion", 0)
    return Visited(row["seq"], row["node_id"], row["number"], outcome, completion, row.get("iterations", ""))


class _Plan:
    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._entries: list[Undo] | None = None

    def __call__(self) -> list[Undo]:
        if self._entries is None:
            self._entries = list(self._read())
        return self._entries

    def shorten(self, ended: Collection[tuple[UUID, int]]) -> None:
        if ended and self._entries is not None:
            self._entries = [each for each in self._entries if (each.instance, each.position) not in ended]

    def forget(self) -> None:
        self._entries = None

    def _read(self) -> Iterator[Undo]:
        rows = [row for row in self._walk.rows("compensation").values() if row["state"] in OPEN]
        for row in sorted(rows, key=lambda row: -row["position"]):
            if "path" in row:
                names = (
                    "instance",
                    "position",
                    "node_id",
                    "visit_seq",
                    "path",
                    "input",
                    "input_error",
                    "missing_ok",
                    "always",
                )
                yield Undo(**{name: row[name] for name in names if name in row}, attempts=row.get("attempts", 0))


def walk(*nodes: dict[str, Any], manifests: Mapping[str, Any] | None = None, **more: Any) -> Walk:
    """A run of these nodes that has not begun. What is no part of a :class:`Walk` belongs to the definition."""
    own = {name: more.pop(name) for name in ("input", "random") if name in more}
    answers = {f"/lib/{name}": found for name, found in more.pop("answers", {}).items()}
    graph = lower({"nodes": list(nodes), **more}, (manifests or {}).get)
    return Walk(graph, answers=answers, **own)


def later(found: Walk, **span: float) -> Walk:
    found.now += timedelta(**span)
    return found


__all__ = ["RUN_ID", "START", "Status", "Walk", "fails", "later", "replace", "walk"]
