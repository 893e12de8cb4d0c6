"""What one examination of a definition knows, and the register of checks that it runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

from flows import kinds
from flows.doctor.codes import CODES, Severity
from flows.doctor.findings import Finding
from flows.doctor.library import Library
from flows.doctor.outline import Outline, Place
from flows.text import Path

Made = TypeVar("Made")
LineOf: TypeAlias = Callable[[Path], int | None]
"""The line of a value by its path in ``workflow_data``."""


@dataclass(frozen=True, slots=True)
class Found:
    """A problem as a check reports it; ``field`` is relative to the node, ``properties`` left out."""

    code: str
    place: Place | None
    field: Path
    message: str
    severity: Severity | None = None
    """Where it differs from the code's own."""


class Examination:
    """One definition under examination. Every check gets it; what several checks need is worked out once."""

    def __init__(self, data: Mapping[str, Any], library: Library, flow_path: str | None) -> None:
        self.data = data
        self.library = library
        self.flow_path = flow_path
        self.outline = Outline(data)
        self._guesses_left = 20
        self._made: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What ``make`` gives, worked out at the first call with this ``name``."""
        if name not in self._made:
            self._made[name] = make()
        found: Made = self._made[name]
        return found

    def did_you_mean(self, name: str, known: Iterable[str]) -> str:
        """A sentence with the known name closest to ``name``, or nothing. Only the first few are looked for: it costs."""
        self._guesses_left -= 1
        close = get_close_matches(name[:100], islice(known, 500), n=1) if self._guesses_left >= 0 else []
        return f" Did you mean '{close[0]}'?" if close else ""

    @cached_property
    def continues(self) -> bool:
        """Whether ``error_strategy`` is ``continue``."""
        return self.data.get("error_strategy") == "continue"

    def manifest(self, reference: Any) -> Mapping[str, Any] | None:
        """The manifest of the function that ``reference`` names, ``None`` where there is none."""
        path = kinds.reference_path(reference)
        return self.library.manifest(path) if path else None

    def is_known(self, reference: Any) -> bool:
        """Whether the library can say what lies at ``reference``."""
        path = kinds.reference_path(reference)
        return path is not None and self.library.has_function(path) is not None


FlowCheck: TypeAlias = Callable[[Examination], Iterator[Found]]
NodeCheck: TypeAlias = Callable[[Place, Examination], Iterator[Found]]

_flow_checks: Final[list[FlowCheck]] = []
_node_checks: Final[list[tuple[NodeCheck, frozenset[str]]]] = []


def checks_flow(check: FlowCheck) -> FlowCheck:
    """Register a check of the flow as a whole."""
    _flow_checks.append(check)
    return check


def checks_nodes(*of_kinds: str) -> Callable[[NodeCheck], NodeCheck]:
    """Register a check that runs for each node of ``of_kinds``; for every node when none are named."""

    def register(check: NodeCheck) -> NodeCheck:
        _node_checks.append((check, frozenset(of_kinds)))
        return check

    return register


def examine(exam: Examination, line_of: LineOf) -> list[Finding]:
    """Run every registered check; the findings stand in document order."""
    found = [each for check in _flow_checks for each in check(exam)]
    for place in exam.outline.places:
        for check in _checks_of(place.kind):
            found += check(place, exam)
    found.sort(key=lambda each: each.place.index if each.place else -1)
    return [_finding(each, line_of) for each in found]


@lru_cache(maxsize=64)
def _checks_of(kind: str) -> tuple[NodeCheck, ...]:
    return tuple(check for check, of_kinds in _node_checks if not of_kinds or kind in of_kinds)


def _finding(found: Found, line_of: LineOf) -> Finding:
    node = found.place.id if found.place else ""
    severity = found.severity or CODES[found.code].severity
    return Finding(found.code, severity, node, ".".join(map(str, found.field)), found.message, line_of(_path(found)))


def _path(found: Found) -> Path:
    """Where the field stands in the definition: on the node itself or in its ``properties``."""
    place, field = found.place, found.field
    if place is None or not field:
        return (*(place.path if place else ()), *field)
    inside = place.raw.get(str(field[0])) is None and field[0] in place.properties
    return (*place.path, *(("properties",) if inside else ()), *field)
