"""The function library: manifests as the code declares them, kept in the database, where administrators change them.

:func:`sync` writes what is registered into the tables, to be seen and changed there; :func:`manifest_of` answers from
memory. A process sees what another one changed after :data:`REFRESH_SECONDS`, at the price of one small query in that time.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from flows import registry
from flows.doctor.library import Definition, Manifest
from flows.manifest import validate_manifest
from flows.models import Agent, Flow, FlowVersion, HttpFunction, LibraryFunction, NotificationTarget
from flows.registry import Registered

REFRESH_SECONDS: Final = 5.0
TAKEN_TWICE: Final = "{} is registered in the code and is an HTTP function, too. Give one of them another path."


# --- from the code into the tables -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What :func:`sync` did, by path. ``problems`` are sentences about manifests that cannot be used."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def sync() -> SyncReport:
    """Store every registered function. Safe to repeat, and by several processes at once.

    A function whose code is gone is kept and marked as not available: flows still name it. One whose manifest is not
    valid is stored without a manifest and reported. HTTP functions stay as they are; code that takes the path of one is
    reported.
    """
    report = SyncReport(problems=list(manifest_problems()))
    with transaction.atomic():
        http = set(HttpFunction.objects.values_list("path", flat=True))
        stored = {each.path: each for each in LibraryFunction.objects.of_code()}
        wanted = {each.path: _row(each) for each in registry.registered() if each.path not in http}
        changed = [row for path, row in wanted.items() if path in stored and not _is_same(row, stored[path])]
        added = [row for path, row in wanted.items() if path not in stored]
        _write([*added, *changed])
        gone = [path for path, row in stored.items() if path not in wanted and row.available]
        LibraryFunction.objects.filter(path__in=gone).update(available=False, changed_at=timezone.now())
    report.problems.extend(TAKEN_TWICE.format(each.path) for each in registry.registered() if each.path in http)
    report.added.extend(row.path for row in added)
    report.changed.extend(row.path for row in changed)
    report.gone.extend(gone)
    forget()
    return report


def manifest_problems() -> Iterator[str]:
    """A sentence for each problem of a registered manifest."""
    for each in registry.registered():
        for problem in validate_manifest(dict(each.manifest)):
            yield f"{each.path}: {problem}"


def _row(function: Registered) -> LibraryFunction:
    manifest = dict(_declared_by(function))
    return LibraryFunction(
        path=function.path,
        title=manifest.get("title", "")[:200],
        manifest=manifest,
        has_manifest=bool(manifest),
        available=True,
        changed_at=timezone.now(),
    )


_DECLARED: Final = ("title", "manifest", "has_manifest", "available")


def _is_same(row: LibraryFunction, stored: LibraryFunction) -> bool:
    return all(getattr(row, name) == getattr(stored, name) for name in _DECLARED)


def _write(rows: list[LibraryFunction]) -> None:
    LibraryFunction.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["path"], update_fields=[*_DECLARED, "changed_at"]
    )


# --- answers from memory -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Memory:
    """What administrators changed, and the manifests of HTTP functions, by path; and when this process last asked whether that is
    still so."""

    overrides: Mapping[str, Manifest] = field(default_factory=dict)
    http: Mapping[str, Manifest] = field(default_factory=dict)
    stamp: object = None
    asked_at: float = float("-inf")


_memory = _Memory()
_checked: dict[str, tuple[Registered, Manifest]] = {}


def manifest_of(path: str) -> Manifest | None:
    """The manifest of the function at ``path``: as its code declares it, key by key overruled by administrators, or that of an
    HTTP function.

    ``None`` for a function that is not installed, and for one that has no manifest or no valid one.
    """
    found, known = registry.find(path), _remembered()
    if found is None:
        return known.http.get(path)
    return {**_declared_by(found), **known.overrides.get(path, {})} or None


def is_http(path: str) -> bool:
    """Whether an HTTP function has ``path``, switched on or not."""
    return path in _remembered().http


def forget(**_signal: Any) -> None:
    """Make the next answer come from the database. Takes what a signal sends."""
    _memory.asked_at = float("-inf")


def _declared_by(function: Registered) -> Manifest:
    """The manifest of the code, empty when it is not valid; checked once."""
    known = _checked.get(function.path)
    if known is None or known[0] is not function:
        is_valid = not validate_manifest(dict(function.manifest))
        known = _checked[function.path] = (function, function.manifest if is_valid else {})
    return known[1]


def _remembered() -> _Memory:
    if monotonic() - _memory.asked_at >= REFRESH_SECONDS:
        stamp = tuple(LibraryFunction.objects.aggregate(Count("pk"), Max("changed_at")).values())
        if stamp != _memory.stamp:
            changed = LibraryFunction.objects.filter(~Q(override={}) | Q(httpfunction__isnull=False))
            rows = list(changed.values_list("path", "override", "manifest", "httpfunction"))
            _memory.overrides = {path: override for path, override, _, http in rows if http is None}
            _memory.http = {path: manifest for path, _, manifest, http in rows if http is not None}
            _memory.stamp = stamp
        _memory.asked_at = monotonic()
    return _memory


# --- the doctor's questions --------------------------------------------------------------------------------------


class DatabaseLibrary:
    """Answers the doctor out of the tables (:class:`flows.doctor.Library`), for the flows of one workspace.

    ``definitions`` are known before those of the tables: flows that are being imported together. An instance serves one
    examination or import; what it has looked up stays as it was.
    """

    def __init__(self, workspace_id: int, definitions: Mapping[str, Definition] | None = None) -> None:
        self.workspace_id = workspace_id
        self.definitions: dict[str, Definition | None] = dict(definitions or {})
        self._targets: frozenset[str] | None = None

    def has_function(self, path: str) -> bool | None:
        return registry.find(path) is not None or HttpFunction.objects.available().filter(path=path).exists()

    def manifest(self, path: str) -> Manifest | None:
        return manifest_of(path)

    def has_agent(self, path: str) -> bool | None:
        return Agent.objects.filter(path=path).exists()

    def agent_tools(self, path: str) -> Sequence[str] | None:
        found: Sequence[str] | None = Agent.objects.filter(path=path).values_list("tools", flat=True).first()
        return found

    def has_flow(self, path: str) -> bool | None:
        return (
            self.definitions.get(path) is not None
            or Flow.objects.filter(workspace=self.workspace_id, path=path).exists()
        )

    def definition(self, path: str) -> Definition | None:
        if path not in self.definitions:
            versions = FlowVersion.objects.published().of_path(self.workspace_id, path).newest_first()
            self.definitions[path] = versions.values_list("definition", flat=True).first()
        return self.definitions[path]

    def notification_targets(self) -> Collection[str] | None:
        if self._targets is None:
            self._targets = frozenset(NotificationTarget.objects.values_list("name", flat=True))
        return self._targets


class CodeLibrary:
    """Answers from the registered functions alone, where there is no database to ask."""

    def __init__(self, definitions: Mapping[str, Definition] | None = None) -> None:
        self.definitions = dict(definitions or {})

    def has_function(self, path: str) -> bool | None:
        return registry.find(path) is not None

    def manifest(self, path: str) -> Manifest | None:
        found = registry.find(path)
        return _declared_by(found) or None if found else None

    def has_agent(self, path: str) -> bool | None:
        return None

    def agent_tools(self, path: str) -> Sequence[str] | None:
        return None

    def has_flow(self, path: str) -> bool | None:
        return True if path in self.definitions else None

    def definition(self, path: str) -> Definition | None:
        return self.definitions.get(path)

    def notification_targets(self) -> Collection[str] | None:
        return None
