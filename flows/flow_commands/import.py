"""``flow import``: bring flow files in and publish them. All of them or, when one is refused, none."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db import transaction

from flows import library
from flows.doctor import check_document, errors
from flows.files import FlowFile, UnreadableFile, read_files
from flows.flow_commands.doctor import line
from flows.library import DatabaseLibrary
from flows.models import Workspace
from flows.publishing import ImportReport, import_flow
from flows.text import DocumentError

help = "Bring flow files in and publish them. All of them or, when one is refused, none."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="flow files, or folders of them")
    parser.add_argument("--workspace", default="default", metavar="SLUG", help="where they go")
    publishing = parser.add_mutually_exclusive_group()
    publishing.add_argument("--publish", action="store_true", default=True, help="publish them (this is the default)")
    publishing.add_argument("--no-publish", action="store_false", dest="publish", help="leave them as drafts")
    publishing.add_argument("--draft", action="store_true", help="leave them as drafts, and take those with errors too")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    workspace = Workspace.objects.filter(slug=options["workspace"]).first()
    if workspace is None:
        raise CommandError(f"There is no workspace {options['workspace']}.")
    library.sync()
    files = _files(options["paths"])
    known = DatabaseLibrary(workspace.pk, {each.path: each.document.workflow_data for each in files})
    _tell_findings(files, known, stdout, is_draft=options["draft"])
    try:
        with transaction.atomic():
            reports = [(each, _import(each, workspace, known, options)) for each in files]
    except DocumentError as error:
        raise CommandError(str(error), returncode=2) from error
    for each, report in reports:
        stdout.write(f"{each.file}: {_told(report)}")


def _files(paths: list[Path]) -> list[FlowFile]:
    read = list(read_files(paths))
    unreadable = [str(each) for each in read if isinstance(each, UnreadableFile)]
    if unreadable or not read:
        raise CommandError("\n".join(unreadable) or "There is no flow in these paths.", returncode=2)
    files = [each for each in read if isinstance(each, FlowFile)]
    by_path: dict[str, FlowFile] = {}
    for each in files:
        twin = by_path.setdefault(each.path, each)
        if twin is not each:
            raise CommandError(f"{twin.file} and {each.file} both are {each.path}. Rename one.", returncode=2)
    return files


def _tell_findings(files: list[FlowFile], known: DatabaseLibrary, stdout: OutputWrapper, *, is_draft: bool) -> None:
    """Print what the doctor found; raise when that keeps a flow out."""
    refused = []
    for each in files:
        found = check_document(each.document, library=known, flow_path=each.path)
        for finding in found:
            stdout.write(line(each.file, finding))
        refused += [each.path] if errors(found) and not is_draft else []
    if refused:
        raise CommandError(
            f"Nothing was imported: {', '.join(refused)} {'has' if len(refused) == 1 else 'have'} errors."
        )


def _import(each: FlowFile, workspace: Workspace, known: DatabaseLibrary, options: dict[str, Any]) -> ImportReport:
    return import_flow(
        workspace,
        each.text,
        by=None,
        publish=options["publish"] and not options["draft"],
        draft=options["draft"],
        folder=each.folder,
        name=each.name,
        library=known,
    )


def _told(report: ImportReport) -> str:
    what = "new" if report.is_new else "changed" if report.is_changed else "unchanged"
    version = f"version {report.version.number}" if report.version else "a draft"
    return f"{report.flow.path} ({what}), {version}"
