"""``flow doctor``: say what is wrong with flow files. Exit code 1: errors (``--strict``: warnings too); 2: unreadable."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser, OutputWrapper
from django.db import DatabaseError

from flows.doctor import Finding, Library, check_document
from flows.files import FlowFile, TriggerFile, UnreadableFile, read_files
from flows.library import CodeLibrary, DatabaseLibrary
from flows.models import LibraryFunction, Workspace

Examined = list[tuple[FlowFile | TriggerFile, list[Finding]]]

help = "Say what is wrong with flow files, where, and what to do about it."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="flow files, or folders of them")
    parser.add_argument("--strict", action="store_true", help="let warnings fail too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--workspace", default="default", metavar="SLUG", help="whose flows a sub-flow may call")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    read = list(read_files(options["paths"]))
    files = [each for each in read if isinstance(each, FlowFile)]
    unreadable = [str(each) for each in read if isinstance(each, UnreadableFile)]
    if not read:
        unreadable = [f"There is no flow in {', '.join(map(str, options['paths']))}."]
    library = library_for(options["workspace"], files)
    found = [(each, _findings(each, library)) for each in read if not isinstance(each, UnreadableFile)]
    counts: Counter[str] = Counter(finding.severity for _, findings in found for finding in findings)
    if options["json"]:
        stdout.write(_as_json(found, unreadable, counts))
    else:
        _tell(found, unreadable, counts, stdout)
    sys.exit(2 if unreadable else 1 if counts["error"] or (options["strict"] and counts["warning"]) else 0)


def _findings(each: FlowFile | TriggerFile, library: Library) -> list[Finding]:
    if isinstance(each, TriggerFile):
        return each.findings
    return check_document(each.document, library=library, flow_path=each.path)


def library_for(workspace: str, files: list[FlowFile]) -> Library:
    """The library of the database with these files' flows; without a database that of the code."""
    definitions = {each.path: each.document.workflow_data for each in files}
    try:
        shelf = Workspace.objects.filter(slug=workspace).first()
        LibraryFunction.objects.exists()
    except DatabaseError:
        return CodeLibrary(definitions)
    return DatabaseLibrary(shelf.pk if shelf else 0, definitions)


def line(file: Path | str, finding: Finding) -> str:
    """``flow.yaml:12: error INVALID_ERROR_EDGE [charge error_edge]: ...``"""
    return f"{file}:{finding.line or 1}: {finding}"


def _tell(found: Examined, unreadable: list[str], counts: Counter[str], stdout: OutputWrapper) -> None:
    for each, findings in found:
        for finding in findings:
            stdout.write(line(each.file, finding))
    for problem in unreadable:
        stdout.write(problem)
    words = ", ".join(f"{counts[severity]} {severity}s" for severity in ("error", "warning", "suggestion"))
    flows = sum(1 for each, _ in found if isinstance(each, FlowFile))
    stdout.write(f"{flows} flows checked, {len(unreadable)} unreadable: {words}")


def _as_json(found: Examined, unreadable: list[str], counts: Counter[str]) -> str:
    files = [
        {
            "file": str(each.file),
            "flow": each.path if isinstance(each, FlowFile) else None,
            "findings": [finding.as_json() for finding in findings],
        }
        for each, findings in found
    ]
    return json.dumps({"files": files, "unreadable": unreadable, "counts": dict(counts)}, ensure_ascii=False, indent=2)
