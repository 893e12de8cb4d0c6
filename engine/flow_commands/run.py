"""``flow run``: start a run of a published flow, and if asked, carry it on until it rests or ends."""

import json
import sys
import time
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db import DatabaseError

from engine import commands
from engine.driver import drive
from engine.errors import EngineError, InvalidInput
from engine.models import Instance
from engine.ports import Published
from engine.ports_production import ports
from engine.states import Status
from flows.models import Workspace

help = "Start a run of the newest published version of a flow."

ON_THE_WAY = (Status.PENDING, Status.RUNNING)
FINE = (*ON_THE_WAY, Status.WAITING, Status.COMPLETED, Status.STOPPED)
GLANCE_SECONDS = 0.2
"""Between two looks at a run that a worker has in its hands."""


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("path", metavar="PATH", help="the flow, such as /flows/order-approval")
    parser.add_argument("--input", default="{}", metavar="JSON", help="what the run is given; an object")
    parser.add_argument("--workspace", default="default", metavar="SLUG", help="where the flow lives")
    parser.add_argument("--wait", action="store_true", help="stay until the run rests or ends, working on it as well")


def handle(options: dict[str, Any], stdout: OutputWrapper) -> None:
    flow = _flow(options["workspace"], options["path"])
    try:
        instance = commands.start(
            flow.flow_id, flow.version_id, input=_input(options["input"]), trigger={"kind": "command"}, ports=ports()
        )
    except InvalidInput as error:
        raise CommandError("\n".join([error.message, *(each["message"] for each in error.problems[1:])])) from error
    except EngineError as error:
        raise CommandError(error.message) from error
    if options["wait"]:
        instance = _wait(instance.pk)
    stdout.write(json.dumps(_told(instance), ensure_ascii=False))
    if instance.status not in FINE:
        sys.exit(1)


def _flow(workspace: str, path: str) -> Published:
    try:
        shelf = Workspace.objects.filter(slug=workspace).first()
        found = ports().flows.published(shelf.pk, path) if shelf is not None else None
    except DatabaseError as error:
        raise CommandError(f"The database cannot be used; run manage.py migrate: {error}") from error
    if found is None:
        raise CommandError(f"There is no published flow {path} in the workspace {workspace}.")
    return found


def _input(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandError(f"--input is no JSON: {error}") from error


def _wait(instance_id: UUID) -> Instance:
    """Work on the run, or look on while a worker does, until it rests or has ended."""
    while True:
        drive(instance_id, ports())
        instance = Instance.objects.get(pk=instance_id)
        if instance.status not in ON_THE_WAY:
            return instance
        time.sleep(GLANCE_SECONDS)


def _told(instance: Instance) -> dict[str, Any]:
    return {
        "instance_id": str(instance.pk),
        "status": instance.status,
        "wait": instance.wait_kind or None,
        "step": instance.node_id or None,
        "output": instance.output,
        "error": instance.error,
    }
