"""How a draft becomes a version: save, import, export, publish. Each is one transaction; nothing is left half-done.

Two rules hold everywhere. A save says which revision it changes and is refused when that is no longer the newest. A
definition with errors is never published; a draft may have them, so that no work is lost (design/engine-notes.md, 11).
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, ProtectedError
from django.utils import timezone

from flows.doctor import Finding, check_document, errors
from flows.errors import DefinitionRejected, RevisionConflict
from flows.graph import Graph, to_json
from flows.library import DatabaseLibrary
from flows.loader import NAME, Document, dump, load
from flows.lowering import lower
from flows.models import Flow, FlowVersion, Workspace
from flows.text import DocumentError, Format
from flows.values import dumps

FOLDER: Final = "/flows"
"""Where flows live that name no other place."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. ``version`` is the newest one, ``None`` when nothing was published."""

    flow: Flow
    version: FlowVersion | None
    is_new: bool
    is_changed: bool
    findings: list[Finding] = field(default_factory=list)


def save_draft(flow: Flow, text: str, *, revision: int, by: User | None) -> Flow:
    """Make ``text`` the flow's draft; answers the flow as it is now. ``revision`` is the one that was changed.

    The title and description follow the document; the path and whether the flow is enabled do not.
    Raises :class:`~flows.text.DocumentError` for text that is no flow and :class:`RevisionConflict`.
    """
    document = load(text)
    with transaction.atomic():
        _store(flow, _lines(text), document, revision, by)
    flow.refresh_from_db()
    return flow


def import_flow(
    workspace: Workspace,
    text: str,
    *,
    by: User | None,
    publish: bool = False,
    draft: bool = False,
    folder: str = FOLDER,
    name: str = "",
    library: DatabaseLibrary | None = None,
) -> ImportReport:
    """Create or overwrite the flow that ``text`` describes, at ``folder`` and the name it gives, else ``name``.

    ``publish`` also publishes it. ``draft`` takes a definition with errors, as a draft. The same text again changes
    nothing. ``library`` is that of the workspace, with the flows that come along.
    Raises :class:`~flows.text.DocumentError` and :class:`DefinitionRejected`; then nothing is stored.
    """
    document = load(text)
    path = f"{folder}/{_name(document, name)}"
    known = library or DatabaseLibrary(workspace.pk)
    findings = check_document(document, library=known, flow_path=path)
    if errors(findings) and not draft:
        raise DefinitionRejected(findings)
    with transaction.atomic():
        flow, is_new = Flow.objects.get_or_create(workspace=workspace, path=path, defaults={"changed_by": by})
        _lock(flow)
        source = _lines(text)
        is_changed = flow.draft != source
        if is_changed:
            _store(flow, source, document, flow.revision, by)
        if document.enabled is not None:
            Flow.objects.filter(pk=flow.pk).update(enabled=document.enabled)
        flow.refresh_from_db()
        version = _publish(flow, document, known, by, "") if publish and not errors(findings) else None
    return ImportReport(flow, version, is_new, is_changed, findings)


def findings_of(flow: Flow) -> list[Finding]:
    """What the doctor says to the flow's draft. Raises :class:`~flows.text.DocumentError` for one that is no flow."""
    return check_document(load(flow.draft), library=DatabaseLibrary(flow.workspace_id), flow_path=flow.path)


def publish(flow: Flow, *, by: User | None, note: str = "") -> FlowVersion:
    """Publish the draft that ``flow`` holds in memory as its next version.

    A draft that says what the newest version says (the definition, and the manifests it was checked with) is not
    published twice: the newest version is the answer, so publishing is safe to repeat.
    Raises :class:`~flows.text.DocumentError`, :class:`DefinitionRejected`, and :class:`RevisionConflict` when the draft
    was saved by somebody else since ``flow`` was read.
    """
    document, library = _sound(flow, flow.draft)
    with transaction.atomic():
        _lock(flow, revision=flow.revision)
        return _publish(flow, document, library, by, note)


def draft_graph(flow: Flow) -> tuple[Mapping[str, Any], Graph]:
    """The definition of the flow's draft, and the graph that it would be published as.

    Raises :class:`~flows.text.DocumentError` and :class:`DefinitionRejected`.
    """
    document, library = _sound(flow, flow.draft)
    return document.workflow_data, lower(document.workflow_data, library.manifest)


def snapshot(flow: Flow, text: str) -> FlowVersion:
    """An unpublished version of ``text`` for a test run to be pinned to; the same content gives the same one.

    Raises :class:`~flows.text.DocumentError` and :class:`DefinitionRejected`.
    """
    document, library = _sound(flow, text)
    made = _version(flow, _lines(text), document, library)
    with transaction.atomic():
        _lock(flow)
        same = flow.versions.snapshots().filter(content_hash=made.content_hash).first()
        if same is None:
            made.save()
    return same or made


def drop_snapshot(flow_id: int, version_id: int) -> None:
    """Delete that version if it is the snapshot of a draft and nothing is pinned to it any more.

    The flow is locked as in :func:`snapshot`: whoever is about to pin a run to it in that transaction comes before or after.
    """
    with transaction.atomic():
        version = FlowVersion.objects.snapshots().filter(pk=version_id).first()
        if version is None:
            return
        Flow.objects.filter(pk=flow_id).update(revision=F("revision"))
        with suppress(ProtectedError):
            version.delete()


def export_flow(exported: Flow | FlowVersion, format: Format = "yaml") -> str:
    """The draft of a flow, or the source of a version, in the ``.node.yaml`` form or as JSON.

    What was written in that form comes out as it was written, comments included, unless the flow was renamed, moved,
    enabled or disabled since.
    """
    flow, text = (exported, exported.draft) if isinstance(exported, Flow) else (exported.flow, exported.source)
    document = load(text)
    wanted = _as_stored(document, flow, is_draft=isinstance(exported, Flow))
    is_json = text.lstrip().startswith("{")
    if wanted.content == document.content and is_json == (format == "json"):
        return text
    return dump(wanted, format=format)


# --- parts of the above; all run inside the caller's transaction -------------------------------------------------


def _sound(flow: Flow, text: str) -> tuple[Document, DatabaseLibrary]:
    """A text without errors, and the library it was checked against."""
    document, library = load(text), DatabaseLibrary(flow.workspace_id)
    findings = check_document(document, library=library, flow_path=flow.path)
    if errors(findings):
        raise DefinitionRejected(findings)
    return document, library


def _lock(flow: Flow, *, revision: int | None = None) -> None:
    """Keep every other writer of ``flow`` waiting until the transaction ends. A write locks on every database."""
    rows = Flow.objects.filter(pk=flow.pk)
    if revision is not None:
        rows = rows.filter(revision=revision)
    if not rows.update(revision=F("revision")):
        raise RevisionConflict(_current(flow))
    if revision is None:
        flow.refresh_from_db()


def _store(flow: Flow, source: str, document: Document, revision: int, by: User | None) -> None:
    names = {} if document.is_bare else {"title": document.title[:200], "description": document.description}
    changed = Flow.objects.filter(pk=flow.pk, revision=revision).update(
        draft=source, revision=revision + 1, changed_by=by, changed_at=timezone.now(), **names
    )
    if not changed:
        raise RevisionConflict(_current(flow))


def _publish(flow: Flow, document: Document, library: DatabaseLibrary, by: User | None, note: str) -> FlowVersion:
    """The next version, or the newest one if it says the same. The flow is locked: numbers have no gaps."""
    made = _version(flow, flow.draft, document, library)
    newest = flow.versions.published().newest_first().first()
    if newest is not None and newest.content_hash == made.content_hash:
        return newest
    made.number = newest.number + 1 if newest is not None and newest.number else 1
    made.published_by, made.note = by, note
    made.save()
    return made


def _version(flow: Flow, source: str, document: Document, library: DatabaseLibrary) -> FlowVersion:
    definition = document.workflow_data
    graph = to_json(lower(definition, library.manifest))
    digest = hashlib.sha256(dumps([definition, graph]).encode()).hexdigest()
    return FlowVersion(flow=flow, source=source, definition=definition, graph=graph, content_hash=digest)


def _current(flow: Flow) -> int:
    return Flow.objects.values_list("revision", flat=True).get(pk=flow.pk)


def _name(document: Document, fallback: str) -> str:
    name = document.name or fallback
    if not NAME.fullmatch(name):
        line = document.lines.get(("properties", "name"))
        words = f"{name!r} is no name for a flow." if name else "The flow has no name."
        raise DocumentError(f"{words} Give it one of letters, digits, -, _ and dots.", line, code="no_name")
    return name


def _lines(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _as_stored(document: Document, flow: Flow, *, is_draft: bool) -> Document:
    """The document with what the flow's row says: where it lives, and for a draft whether it is enabled."""
    name = flow.path.rpartition("/")[2]
    whole = document
    if document.is_bare:
        whole = document.enveloped(title=flow.title, name=name, description=flow.description, enabled=flow.enabled)
    changed: dict[str, object] = {} if whole.name == name else {"name": name}
    is_enabled = whole.enabled is not False
    if is_draft and is_enabled != flow.enabled:
        changed |= {"enabled": flow.enabled}
    return Document({**whole.content, "properties": {**whole.properties, **changed}}) if changed else whole
