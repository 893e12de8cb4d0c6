"""``flow explain``: show what the engine makes of a flow."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from flows.doctor import Library, check_document, errors
from flows.explain import Explanation, as_json, as_mermaid, as_text, explain
from flows.files import FlowFile, TriggerFile, UnreadableFile, read_files
from flows.flow_commands.doctor import library_for, line
from flows.lowering import lower
from flows.models import Flow
from flows.versions import graph_of, newest_published

help = "Show what the engine makes of a flow: every step with its ways out, its retries, and what undoes it."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a flow file, or the path of a flow such as /flows/order-approval")
    parser.add_argument("--workspace", default="default", metavar="SLUG", help="where the flow lives")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--mermaid", action="store_true", help="print a Mermaid flowchart")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    file = Path(options["path"])
    found = _of_file(file, options["workspace"]) if file.exists() else _of_flow(options["path"], options["workspace"])
    if options["json"]:
        stdout.write(json.dumps(as_json(found), ensure_ascii=False, indent=2))
    else:
        stdout.write(as_mermaid(found) if options["mermaid"] else as_text(found), ending="")


def _of_file(file: Path, workspace: str) -> Explanation:
    read = next(read_files([file]), UnreadableFile(f"There is no flow in {file}."))
    if isinstance(read, UnreadableFile):
        raise CommandError(str(read), returncode=2)
    if isinstance(read, TriggerFile):
        raise CommandError(f"{file} is a trigger, not a flow.", returncode=2)
    return _explained(read, library_for(workspace, [read]))


def _explained(read: FlowFile, library: Library) -> Explanation:
    wrong = errors(check_document(read.document, library=library, flow_path=read.path))
    if wrong:
        raise CommandError("\n".join(line(read.file, each) for each in wrong))
    return explain(lower(read.document.workflow_data, library.manifest))


def _of_flow(path: str, workspace: str) -> Explanation:
    """The newest published version; runs that start now do what it says."""
    flow = Flow.objects.in_workspace(workspace).filter(path=path).first()
    if flow is None:
        raise CommandError(f"There is no file and no flow {path} in the workspace {workspace}.")
    version = newest_published(flow.workspace_id, path)
    if version is None:
        raise CommandError(f"{path} is not published. Export its draft and explain the file.")
    return explain(graph_of(version.pk))
