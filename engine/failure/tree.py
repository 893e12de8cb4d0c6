"""Reads a run and its child runs as the failure document needs them: a fixed number of queries, however large the tree."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from engine.machine import position as positions
from engine.machine.position import Position
from engine.models import Attempt, Compensation, Event, InboxTask, Instance, Visit
from engine.states import Outcome, Status
from flows import graph, kinds
from flows.graph import Graph, Node
from flows.kinds import CONTAINER_KINDS
from flows.models import FlowVersion

GOOD = (Status.COMPLETED, Status.STOPPED)


@dataclass(frozen=True, slots=True)
class Done:
    """A step's visit that succeeded. ``listed`` are the completed steps; those inside a completed sub-flow stand behind it.

    ``name`` carries the iterations and the sub-flows it lies in: ``pay[1]``, ``fulfil/reserve``.
    """

    name: str
    run: "Run"
    visit: Visit
    node: Node | None
    compensation: Compensation | None
    listed: bool


@dataclass
class Run:
    """One run of the tree with its rows."""

    instance: Instance
    graph: Graph
    visits: list[Visit] = field(default_factory=list)
    compensations: dict[int, Compensation] = field(default_factory=dict)
    children: list["Run"] = field(default_factory=list)

    @cached_property
    def position(self) -> Position:
        return positions.from_json(self.instance.position or {})

    def node(self, node_id: str) -> Node | None:
        return self.graph.find(node_id)

    def children_of(self, visit: Visit) -> list["Run"]:
        return [each for each in self.children if each.instance.parent_visit == visit.seq]

    def family(self) -> Iterator["Run"]:
        """This run and all below it."""
        yield self
        for child in self.children:
            yield from child.family()


def read(instance: Instance) -> Run:
    """The tree below ``instance``, which has its flow and version."""
    rows = {row.pk: row for row in _descendants(instance)} | {instance.pk: instance}
    graphs = {
        pk: graph.from_json(data)
        for pk, data in FlowVersion.objects.filter(pk__in={row.version_id for row in rows.values()}).values_list(
            "pk", "graph"
        )
    }
    runs = {pk: Run(row, graphs[row.version_id]) for pk, row in sorted(rows.items())}
    for run in runs.values():
        if run.instance.parent_id in runs and run.instance.pk != instance.pk:
            runs[run.instance.parent_id].children.append(run)
    for visit in Visit.objects.filter(instance__in=runs).defer("output", "entry", "not_run").order_by("seq"):
        runs[visit.instance_id].visits.append(visit)
    for row in Compensation.objects.filter(instance__in=runs, child=None).defer("result"):
        runs[row.instance_id].compensations[row.visit_seq] = row
    return runs[instance.pk]


def _descendants(instance: Instance) -> Iterator[Instance]:
    root = instance.root_id or instance.pk
    found = Instance.objects.filter(root=root).defer("input", "output", "not_run", "trigger", "test_config")
    known = {instance.pk}
    for row in found.order_by("id"):  # a child's id is above its parent's
        if row.parent_id in known:
            known.add(row.pk)
            yield row


def done_steps(run: Run, prefix: str = "", indexes: str = "", *, listed: bool = True) -> Iterator[Done]:
    """Every visit of a step that succeeded, in order of completion; child runs in the place of the visit that waited for them."""
    for visit in sorted(run.visits, key=lambda each: (each.completion is None, each.completion, each.seq)):
        node, succeeded = run.node(visit.node_id), visit.outcome == Outcome.SUCCEEDED
        if node is not None and node.owner is not None:
            continue  # a probe of a reconcile exists there alone
        inner = f"{indexes}{indexes_of(visit)}"
        name = f"{prefix}{visit.node_id}{inner}"
        is_flow = visit.kind == kinds.SUB_FLOW
        for child in sorted(run.children_of(visit), key=lambda each: -(each.instance.join_order or 0)):
            if is_flow:
                yield from done_steps(child, f"{name}/", listed=listed and not succeeded)
            else:
                yield from done_steps(child, prefix, inner + fan_index(child, node), listed=listed)
        if succeeded and visit.kind not in CONTAINER_KINDS:
            yield Done(name, run, visit, node, run.compensations.get(visit.seq), listed and not visit.replaced)


def indexes_of(visit: Visit) -> str:
    """The iterations a visit lies in, the outermost first: ``[1]`` or ``[1][0]``."""
    return "".join(f"[{each.partition(':')[2]}]" for each in visit.iterations.split("/") if each)


def fan_index(child: Run, node: Node | None) -> str:
    """What a branch adds to the names of its steps: its number in a fan-out, nothing where the branches differ."""
    fans_out = node is not None and node.settings.get("fan_out") is not None
    return f"[{child.instance.branch}]" if fans_out else ""


def last_attempt(run: Run, visit: Visit) -> Attempt | None:
    """The visit's newest attempt."""
    found = Attempt.objects.filter(instance=run.instance.pk, visit_seq=visit.seq).defer("traceback")
    return found.order_by("-number").first()


def task_of(run: Run, visit: Visit) -> InboxTask | None:
    """The first inbox task that the visit gave out."""
    return InboxTask.objects.filter(instance=run.instance.pk, visit_seq=visit.seq).order_by("id").first()


def entry_of(run: Run, visit: Visit) -> Any:
    """What the visit keeps: the decision of a gate."""
    return Visit.objects.values_list("entry", flat=True).get(pk=visit.pk)


def failed_undo(run: Run) -> Event | None:
    """The undo of a redo that failed, where that is what the run failed of."""
    if (run.instance.error or {}).get("code") != "undo_failed":
        return None
    events = Event.objects.filter(instance=run.instance.pk, type="undo_completed").order_by("-number")
    return next((each for each in events if (each.data or {}).get("status") == "failed"), None)


def names_of(steps: Iterable[Done]) -> dict[tuple[UUID, int], str]:
    """What the steps were called when they began, by run and visit."""
    wanted: dict[UUID, set[int]] = defaultdict(set)
    for each in steps:
        wanted[each.run.instance.pk].add(each.visit.seq)
    found: dict[tuple[UUID, int], str] = {}
    for pk, seqs in wanted.items():
        events = Event.objects.filter(instance=pk, type="step_started", visit_seq__in=seqs)
        for seq, data in events.values_list("visit_seq", "data"):
            found[pk, seq or 0] = str((data or {}).get("step_name") or "")
    return found
