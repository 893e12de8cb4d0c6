"""``flow export``: write a flow out, as it was written."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper

from flows.models import Flow, FlowVersion
from flows.publishing import export_flow
from flows.text import DocumentError

help = "Write a flow's draft or one of its versions out."


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("path", metavar="PATH", help="the flow, such as /flows/order-approval")
    parser.add_argument("--workspace", default="default", metavar="SLUG", help="where the flow lives")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to; without it, to the terminal")
    parser.add_argument("--format", choices=["yaml", "json"], default="yaml")
    parser.add_argument("--version", type=int, dest="number", metavar="N", help="which; without it, the draft")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    flow = Flow.objects.in_workspace(options["workspace"]).filter(path=options["path"]).first()
    if flow is None:
        raise CommandError(f"There is no flow {options['path']} in the workspace {options['workspace']}.")
    try:
        text = export_flow(_chosen(flow, options["number"]), options["format"])
    except DocumentError as error:
        raise CommandError(f"The draft cannot be exported. {error}") from error
    if options["output"] is None:
        stdout.write(text, ending="")
        return
    try:
        options["output"].write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{options['output']}: {error.strerror}.", returncode=2) from error


def _chosen(flow: Flow, number: int | None) -> Flow | FlowVersion:
    if number is None:
        return flow
    version = flow.versions.filter(number=number).first()
    if version is None:
        raise CommandError(f"{flow.path} has no version {number}.")
    return version
