"""Bringing in several flow files at once: all of them, or none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction

from flows.doctor import Finding, check_document, errors
from flows.errors import FlowsError
from flows.files import FlowFile, Found, TriggerFile, UnreadableFile
from flows.library import DatabaseLibrary
from flows.models import Workspace
from flows.publishing import ImportReport, import_flow
from flows.text import DocumentError


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of an import: what the doctor found in it, and what became of it, ``None`` for one that was left where it is."""

    file: str
    path: str = ""
    findings: list[Finding] = field(default_factory=list)
    imported: ImportReport | None = None


class ImportRefused(FlowsError):
    """Nothing was imported. ``is_unreadable``: because of the files themselves; else because of what the doctor found."""

    def __init__(self, problems: Sequence[str], reports: Sequence[FileReport] = (), *, is_unreadable: bool) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)
        self.reports = list(reports)
        self.is_unreadable = is_unreadable


def import_files(
    workspace: Workspace, found: Iterable[Found], *, by: User | None, publish: bool = False, draft: bool = False
) -> list[FileReport]:
    """Create or overwrite every flow of these files; ``publish`` and ``draft`` are those of
    :func:`flows.publishing.import_flow`. The flows know each other. Raises :class:`ImportRefused`; then nothing is stored."""
    read = list(found)
    files = _readable(read)
    known = DatabaseLibrary(workspace.pk, {each.path: each.document.workflow_data for each in files})
    checked = [_checked(each, known) for each in read if not isinstance(each, UnreadableFile)]
    refused = [each.path for each in checked if errors(each.findings)]
    if refused and not draft:
        words = f"Nothing was imported: {', '.join(refused)} {'has' if len(refused) == 1 else 'have'} errors."
        raise ImportRefused([words], checked, is_unreadable=False)
    try:
        with transaction.atomic():
            done = {str(each.file): _import(each, workspace, known, by, publish, draft) for each in files}
    except DocumentError as error:
        raise ImportRefused([str(error)], checked, is_unreadable=True) from error
    return [FileReport(each.file, each.path, each.findings, done.get(each.file)) for each in checked]


def _readable(read: list[Found]) -> list[FlowFile]:
    unreadable = [str(each) for each in read if isinstance(each, UnreadableFile)]
    files = [each for each in read if isinstance(each, FlowFile)]
    if unreadable or not files:
        raise ImportRefused(unreadable or ["There is no flow among these files."], is_unreadable=True)
    by_path: dict[str, FlowFile] = {}
    for each in files:
        twin = by_path.setdefault(each.path, each)
        if twin is not each:
            words = f"{twin.file} and {each.file} both are {each.path}. Rename one."
            raise ImportRefused([words], is_unreadable=True)
    return files


def _checked(each: FlowFile | TriggerFile, known: DatabaseLibrary) -> FileReport:
    if isinstance(each, TriggerFile):
        return FileReport(str(each.file), findings=each.findings)
    return FileReport(str(each.file), each.path, check_document(each.document, library=known, flow_path=each.path))


def _import(
    each: FlowFile, workspace: Workspace, known: DatabaseLibrary, by: User | None, publish: bool, draft: bool
) -> ImportReport:
    return import_flow(
        workspace,
        each.text,
        by=by,
        publish=publish,
        draft=draft,
        folder=each.folder,
        name=each.name,
        library=known,
    )
