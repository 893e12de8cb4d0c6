"""The measured figures as a table: each beside what the machine or the other engine does, and beside its goal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Figures: TypeAlias = dict[str, Any]

TITLES = {"sqlite": "SQLite (WAL, synchronous=FULL)", "postgres": "PostgreSQL"}


@dataclass(frozen=True, slots=True)
class Goal:
    """``limit`` is the most that ``value`` may be, or the least with ``at_least``."""

    text: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def is_reached(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit


@dataclass(frozen=True, slots=True)
class Line:
    """One figure with its unit, and what stands beside it."""

    label: str
    figure: str
    beside: str = ""
    goal: Goal | None = None


def render(vendor: str, figures: Figures) -> str:
    """The table for one database; ``figures`` holds what :mod:`bench.ours` answers, and under ``dbos`` the other engine's."""
    return table(TITLES[vendor], list(_lines(vendor, figures)))


def table(title: str, lines: list[Line]) -> str:
    """Lines below each other under a title, each with its goal."""
    widths = [max(len(getattr(line, name)) for line in lines) for name in ("label", "figure", "beside")]
    return "\n".join([title, "=" * len(title), "", *(_row(line, widths) for line in lines), ""])


def unreached(vendor: str, figures: Figures) -> int:
    """How many goals were not reached."""
    return sum(not line.goal.is_reached for line in _lines(vendor, figures) if line.goal is not None)


def _row(line: Line, widths: list[int]) -> str:
    verdict = ""
    if line.goal is not None:
        verdict = f"goal {line.goal.text}: {'reached' if line.goal.is_reached else 'NOT REACHED'}"
    texts = (line.label.ljust(widths[0]), line.figure.rjust(widths[1]), line.beside.ljust(widths[2]), verdict)
    return "   ".join(texts).rstrip()


def _lines(vendor: str, figures: Figures) -> Iterator[Line]:
    goals = vendor == "postgres"
    yield from _machine(figures)
    if "counts" in figures:
        yield from _counts(figures["counts"])
    yield from _rates(figures)
    yield from _waits(figures, goals)
    yield from _growth(figures, goals)
    yield from _checks(figures["checks"])


def _machine(figures: Figures) -> Iterator[Line]:
    raw = figures["raw"]
    yield Line("The machine: one synced write of 8 kB", _ms(raw["fsync_ms"]))
    yield Line(
        "The machine: one statement and its commit", _ms(raw["commit_ms"]), f"{raw['commits_per_s']:,.0f} a second"
    )


def _counts(counts: Figures) -> Iterator[Line]:
    for name, label, limit in (("drive", "one long run", 1.1), ("flow", "runs of ten steps", 1.5)):
        commits, reads = counts[f"{name}_commits"], counts[f"{name}_reads"]
        written = f"{counts[f'{name}_writes']:.2f} that write, {counts[f'{name}_fsyncs']:.2f} syncs"
        yield Line(f"Commits a step, {label}", f"{commits:.2f}", written, Goal(f"at most {limit}", commits, limit))
        none = Goal("none", round(reads, 1), 0.0) if name == "drive" else None
        yield Line(f"Read transactions a step, {label}", f"{reads:.2f}", goal=none)


def _rates(figures: Figures) -> Iterator[Line]:
    raw, dbos = figures["raw"]["commits_per_s"], figures["dbos"]
    for key, workers in (("one_worker", "one worker"), ("two_workers", "two workers")):
        for name, label in (("drive", "long runs"), ("flow", "runs of ten steps")):
            ours = figures[key][f"{name}_steps_per_s"]
            theirs = dbos[key].get(f"{name}_steps_per_s")
            beside = f"{ours / raw:.2f} of the raw commits"
            goal = None
            if theirs is not None:
                beside += f", {ours / theirs:.1f} x DBOS ({theirs:,.0f})"
                goal = Goal("2 x DBOS", ours / theirs, 2.0, at_least=True)
            yield Line(f"Steps a second, {workers}, {label}", f"{ours:,.0f}", beside, goal)


def _waits(figures: Figures, goals: bool) -> Iterator[Line]:
    dbos = figures["dbos"]
    yield from _spread(
        figures, "latency", "Ten steps, from start to completed", _if(goals, (50, None)), theirs=dbos["latency"]
    )
    yield from _spread(figures, "event", "From an event to the next call", _if(goals, (20, None)))
    yield from _spread(figures, "answer", "From a person's answer to the next call", _if(goals, (20, None)))
    yield from _spread(
        figures, "lateness", "From a timer's moment to the next call", _if(goals, (20, 100)), theirs=dbos["lateness"]
    )


def _if(goals: bool, limits: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    return limits if goals else (None, None)


def _spread(
    figures: Figures,
    name: str,
    label: str,
    limits: tuple[float | None, float | None],
    theirs: Figures | None = None,
) -> Iterator[Line]:
    commit = figures["raw"]["commit_ms"]
    for part, limit in zip(("p50", "p99"), limits, strict=True):
        value = figures[name][part]
        beside = f"{value / commit:.0f} raw commits"
        if theirs is not None:
            beside += f", DBOS {_ms(theirs[part])}"
        goal = None if limit is None else Goal(f"below {limit:.0f} ms", value, limit)
        yield Line(f"{label}, {part}", _ms(value), beside, goal)


def _growth(figures: Figures, goals: bool) -> Iterator[Line]:
    shapes = figures["shapes"]
    yield _grown("A step at the end of {:,} in child runs", figures["growth"], figures, goals)
    yield _grown("A step at the end of a loop of {:,}", shapes["loop"], figures, goals)
    yield _grown("A step at the end of a chain of {:,}", shapes["chain"], figures, goals)
    yield _grown("A step at the end of {:,} branches", shapes["fan_out"], figures, goals)
    one = figures["one_worker"]
    beside = f"{one['memory_before_mb']:.0f} MB when it had just begun, {shapes['memory_mb']:.0f} MB after these shapes"
    yield Line("Memory of a worker afterwards", f"{one['memory_after_mb']:.0f} MB", beside)


def _grown(label: str, growth: Figures, figures: Figures, goals: bool) -> Line:
    first, last = growth["first_ms"], growth["last_ms"]
    beside = f"{_ms(first)} at the beginning, {last / figures['raw']['commit_ms']:.1f} raw commits, all {_s(growth)}"
    goal = Goal("within 1.5 x", last / first, 1.5) if goals else None
    return Line(label.format(growth["steps"]), _ms(last), beside, goal)


def _checks(checks: Figures) -> Iterator[Line]:
    label = f"The doctor on a flow of {checks['nodes']:,} nodes"
    yield Line(label, _ms(checks["doctor_ms"]), goal=Goal("below 500 ms", checks["doctor_ms"], 500))
    slowest = checks["vector_ms"]
    yield Line("The slowest expression that is allowed", _ms(slowest), goal=Goal("below 1 s", slowest, 1000))


def _s(growth: Figures) -> str:
    return f"{growth['seconds']:.1f} s"


def _ms(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"
