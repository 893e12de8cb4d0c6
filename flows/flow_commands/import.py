"""``flow import``: bring flow files in and publish them. All of them or, when one is refused, none."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from flows import library
from flows.files import read_files
from flows.flow_commands.doctor import line
from flows.imports import FileReport, ImportRefused, import_files
from flows.models import Workspace
from flows.publishing import ImportReport

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
    is_draft = options["draft"]
    try:
        reports = import_files(
            workspace,
            read_files(options["paths"]),
            by=None,
            publish=options["publish"] and not is_draft,
            draft=is_draft,
        )
    except ImportRefused as refused:
        _tell_findings(refused.reports, stdout)
        raise CommandError(refused.message, returncode=2 if refused.is_unreadable else 1) from refused
    _tell_findings(reports, stdout)
    for each in reports:
        if each.imported is not None:
            stdout.write(f"{each.file}: {_told(each.imported)}")


def _tell_findings(reports: list[FileReport], stdout: OutputWrapper) -> None:
    for each in reports:
        for finding in each.findings:
            stdout.write(line(each.file, finding))


def _told(report: ImportReport) -> str:
    what = "new" if report.is_new else "changed" if report.is_changed else "unchanged"
    version = f"version {report.version.number}" if report.version else "a draft"
    return f"{report.flow.path} ({what}), {version}"
