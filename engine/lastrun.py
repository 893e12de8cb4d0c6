"""What the newest finished run of a flow knew, read as a condition or template of that flow would read it.

For whoever writes expressions: samples to look at and to try them on. Secrets are hidden as the failure document hides
them, before anything is evaluated, so that no expression can spell one out. Test runs count: they are what the author tried
last.
"""

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from engine.failure.masking import masked
from engine.machine.context import MISSING, Context
from engine.machine.position import Position
from engine.machine.run import Bound, Facts, Outputs
from engine.models import Binding, Instance, Visit
from engine.states import TERMINAL, Outcome
from flows.kinds import secret_arguments

MOST_BRANCHES: Final = 40
"""Branches are runs of their own; a fan-out over thousands shows the first ones."""
MOST_STEPS: Final = 500
LARGEST: Final = 2_000_000
"""Characters of recorded JSON that are read in all; a step whose output does not fit is left out."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """``outputs`` by step; ``left_out`` are steps whose output is too large to be a sample."""

    id: UUID
    is_test: bool
    ended_at: datetime | None
    facts: Facts
    error: Mapping[str, Any] | None
    outputs: Mapping[str, Any]
    visits: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def context(self, step: str = "", given: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """The names that can be read: those of the run, its latest outputs, and before them those ``given``.

        ``output`` is what ``step`` gave, for the fields that are read once a step has succeeded.
        """
        bound = {
            node: Bound(self.visits.get(node, 1), seq, Outcome.SUCCEEDED.value, seq, (seq,))
            for seq, node in enumerate(self.outputs, start=1)
        }
        outputs = Outputs(lambda seqs: {}, dict(enumerate(self.outputs.values(), start=1)))
        output = self.outputs.get(step, MISSING)
        known = Context(self.facts, Position(error=self.error), bound, outputs, {}, outputs, output)
        return ChainMap(dict(given or {}), known)  # type: ignore[arg-type] # only read


def last_run(runs: QuerySet[Instance]) -> LastRun | None:
    """The newest of ``runs`` that has ended, without its children; ``None`` without one. A fixed number of queries."""
    ended = runs.filter(parent=None, status__in=TERMINAL).select_related("version", "flow").order_by("-pk")
    run = ended.first()
    if run is None:
        return None
    secret = frozenset(_secret_names(run.version.graph, run.version.definition))
    outputs, visits, left_out = _outputs(run)
    facts = Facts(
        id=run.pk,
        workspace_id=run.workspace_id,
        flow_path=run.flow.path,
        version=run.version.number,
        input=masked(run.input, secret),
        trigger=masked(run.trigger, secret),
        started_at=run.started_at.isoformat() if run.started_at else "",
    )
    return LastRun(
        id=run.pk,
        is_test=run.is_test,
        ended_at=run.ended_at,
        facts=facts,
        error=masked(run.error, secret),
        outputs={node: masked(output, secret) for node, output in outputs.items()},
        visits=visits,
        left_out=left_out,
    )


def _secret_names(graph: Any, definition: Any) -> Iterator[str]:
    """Every name that a schema of the flow or of a function it calls marks as not to be shown."""
    manifests = graph.get("manifests") if isinstance(graph, Mapping) else None
    for manifest in manifests.values() if isinstance(manifests, Mapping) else ():
        yield from manifest.get("secret_arguments") or ()
        yield from secret_arguments(manifest.get("output_schema"))
    yield from secret_arguments(definition.get("input_schema") if isinstance(definition, Mapping) else None)


def _outputs(run: Instance) -> tuple[dict[str, Any], dict[str, int], tuple[str, ...]]:
    """The latest output of each step that succeeded, in order of completion; a branch's steps before those behind it."""
    branches = Instance.objects.filter(root=run.pk, flow=run.flow_id, branch__isnull=False).order_by("pk")
    family = [*branches.values_list("pk", flat=True)[:MOST_BRANCHES], run.pk]
    rows = Binding.objects.filter(instance__in=family, outcome=Outcome.SUCCEEDED, seq__gt=0)
    bound = list(rows.order_by("completion").values_list("instance_id", "node_id", "seq", "visits")[:MOST_STEPS])
    bound.sort(key=lambda row: family.index(row[0]))
    visits = {node: count for _run, node, _seq, count in bound}
    wanted = {node: (owner, seq) for owner, node, seq, _count in bound}
    sizes = _sizes(wanted)
    taken: dict[str, tuple[UUID, int]] = {}
    left = LARGEST
    for node, place in wanted.items():
        if sizes.get(place, 0) <= left:
            left -= sizes.get(place, 0)
            taken[node] = place
    found = {
        (visit.instance_id, visit.seq): visit.output
        for visit in Visit.objects.filter(_at(taken)).only("instance_id", "seq", "output")
    }
    outputs = {node: found.get(place) for node, place in taken.items()}
    return outputs, visits, tuple(node for node in wanted if node not in taken)


def _sizes(wanted: Mapping[str, tuple[UUID, int]]) -> dict[tuple[UUID, int], int]:
    rows = Visit.objects.filter(_at(wanted)).annotate(size=Length("output"))
    return {(owner, seq): size or 0 for owner, seq, size in rows.values_list("instance_id", "seq", "size")}


def _at(places: Mapping[str, tuple[UUID, int]]) -> Q:
    """The visits at these places; each run is asked for once."""
    by_run: dict[UUID, list[int]] = {}
    for owner, seq in places.values():
        by_run.setdefault(owner, []).append(seq)
    wanted = Q(pk__in=[])
    for owner, seqs in by_run.items():
        wanted |= Q(instance=owner, seq__in=seqs)
    return wanted
