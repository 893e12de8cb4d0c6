"""Real runs for pages to show: a definition is published, started and driven by this process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse

from demo import functions as demo_functions
from engine import commands, wakeups
from engine.driver import drive
from engine.models import Instance, Wakeup
from engine.ports_production import ports
from flows import graph, library
from flows.loader import load
from flows.lowering import lower
from flows.models import FlowVersion
from tests.factories import FlowFactory, FlowVersionFactory, now

FLOWS = Path(demo_functions.__file__).parents[1] / "flows"
ORDER: dict[str, Any] = {
    "order_id": "A-7",
    "customer": "tim",
    "total": 120,
    "country": "CH",
    "lines": [{"sku": "lamp", "quantity": 1}],
}
DECLINED: dict[str, Any] = {**ORDER, "order_id": "A-8-DECLINED", "total": 90}
LARGE: dict[str, Any] = {**ORDER, "order_id": "A-9", "total": 900, "review_seconds": 14400}


def published(definition: Mapping[str, Any], *, path: str = "/flows/example", title: str = "Example") -> FlowVersion:
    """A flow with one published version of this definition."""
    flow = FlowFactory(path=path, title=title)
    lowered = graph.to_json(lower(definition, library.manifest_of))
    return FlowVersionFactory(flow=flow, definition=definition, graph=lowered)


def demo_flow(name: str) -> FlowVersion:
    """One of the demo's flows, published."""
    document = load((FLOWS / f"{name}.yaml").read_text())
    return published(document.workflow_data, path=f"/flows/{name}", title=document.title)


def run(version: FlowVersion, *, user: User | None = None, patient: bool = False, **values: Any) -> Instance:
    """A run, driven as far as it goes by itself. ``patient``: it rests at its first retry, others retry at once."""
    by = f"/users/{user}" if user else None
    started = commands.start(version.flow_id, version.pk, input=values, by=by, user=user, ports=ports())
    if not patient:
        return go_on(started)
    drive(started.pk, ports())
    started.refresh_from_db()
    return started


def go_on(instance: Instance) -> Instance:
    """Drive a run, its retries at once, until it waits for something else or ends."""
    while True:
        drive(instance.pk, ports())
        instance.refresh_from_db()
        if instance.wait_kind != "retry":
            return instance
        Wakeup.objects.filter(instance=instance).update(due_at=now())
        wakeups.fire_due(ports())


def text_of(response: HttpResponse) -> str:
    """A page's HTML with its blanks as single ones, so that a test can look for a sentence."""
    return " ".join(response.content.decode().split())
