"""Asks for pages the way a browser does, without the network, and says how long they take."""

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from designer.paging import first_id_at
from engine.models import Instance

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
LIST: Final = "/runs/"
API: Final = "/api/flows/default/instances"


@dataclass(frozen=True, slots=True)
class PageToMeasure:
    """A page under a name; its addresses are asked for in turn, so that not one row stays warm."""

    name: str
    urls: list[str]
    username: str = "olga"


@dataclass(frozen=True, slots=True)
class Result:
    """Milliseconds, and the number of queries of one request.

    ``cpu`` is the part this process worked itself: where it is far below ``p50``, the machine had something else to do.
    """

    p50: float
    p95: float
    cpu: float
    queries: int


def measure(page: PageToMeasure, requests: int) -> Result:
    """Ask for the page so many times, after twice to warm up."""
    client = _client(page)
    for url in (page.urls * 2)[:2]:
        assert client.get(url).status_code == 200, url
    with CaptureQueriesContext(connection) as asked:
        client.get(page.urls[0])
    queries, taken, worked = len(asked), [], []
    for number in range(requests):
        begun, busy = time.perf_counter(), time.process_time()
        client.get(page.urls[number % len(page.urls)])
        taken.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - busy) * 1000)
    p95 = sorted(taken)[int(len(taken) * 0.95)]
    return Result(statistics.median(taken), p95, statistics.median(worked), queries)


def plan_of_slowest(page: PageToMeasure) -> str:
    """The slowest query of a request with what the database did for it."""
    client = _client(page)
    with CaptureQueriesContext(connection) as asked:
        client.get(page.urls[0])
    slowest = max(asked.captured_queries, key=lambda each: float(each["time"]))
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + slowest["sql"].replace("%", "%%"), [])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    return f"{slowest['time']} s: {slowest['sql'][-1500:]}\n{plan}\n"


def _client(page: PageToMeasure) -> Client:
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username=page.username), backend=BACKEND)
    return client


def pages() -> Iterator[PageToMeasure]:
    """The list, each filter alone, unkind combinations, the API, and run pages."""
    middle = Instance.objects.order_by("pk")[Instance.objects.count() // 2]
    for name, query in _filters(middle).items():
        yield PageToMeasure(f"list: {name}", [f"{LIST}?{query}"])
    yield PageToMeasure("list: own runs, all of them old", [LIST], username="rare")
    yield PageToMeasure("list: nobody's runs", [LIST], username="manager")
    yield PageToMeasure("API: first page", [API])
    yield PageToMeasure("API: several statuses, a text", [f"{API}?status=failed&status=held&q=customer%2042"])
    yield from _run_pages()


def _filters(middle: Instance) -> dict[str, str]:
    order, end = "flow=/flows/order-fulfilment", str(middle.pk)[-8:]
    day = f"{middle.created_at:%Y-%m-%d}"
    return {
        "all": "",
        "from the middle on": f"before={middle.pk}",
        "above the middle": f"after={middle.pk}",
        "from the oldest on": f"before={first_id_at(Instance.objects.order_by('pk')[60].created_at)}",
        "with child runs": "children=1",
        **{f"status {name}": f"status={name}" for name in ("completed", "failed", "held", "waiting", "running")},
        "statuses failed and held": "status=failed&status=held",
        "statuses running, waiting and held": "status=running&status=waiting&status=held",
        "flow that most runs are of": order,
        "flow used little": "flow=/flows/rare",
        "flow retired long ago": "flow=/flows/retired",
        "old version": f"{order}&version=1",
        "test runs": "kind=test",
        "real runs": "kind=real",
        "by a busy person": "by=olga",
        "by somebody long gone": "by=rare",
        "today": "since=today",
        "last 30 days": "since=30d",
        "one day in the middle": f"from={day}&to={day}",
        "failed at a step": "step=charge_card",
        "text: one order": "q=A-12345",
        "text: beginning of many orders": "q=A-1",
        "text: a customer": "q=customer%2042",
        "text: what every run has": "q=lamp",
        "text: what no run has": "q=zebra",
        "text: end of an id": f"q={end}",
        "text: an id": f"q={middle.pk}",
        "flow and status": f"{order}&status=failed",
        "retired flow and status": "flow=/flows/retired&status=failed",
        "retired flow, status it never has": "flow=/flows/retired&status=running",
        "version, failed step, status": f"{order}&version=1&step=charge_card&status=failed",
        "version that never failed there": f"{order}&version=2&step=charge_card&status=held",
        "person and status": "by=rare&status=failed",
        "test runs that failed": "kind=test&status=failed",
        "text and status": "q=customer%2042&status=failed",
        "common text, rare status": "q=lamp&status=held",
        "common text, retired flow": "q=lamp&flow=/flows/retired",
        "failed in the last 30 days (none)": "status=failed&since=30d",
    }


def _run_pages() -> Iterator[PageToMeasure]:
    newest = Instance.objects.filter(parent=None).order_by("-pk")
    parent = Instance.objects.filter(parent__isnull=False).order_by("-pk")[600].parent_id
    for status in ("completed", "rolled_back", "waiting"):
        runs = newest.filter(status=status).values_list("pk", flat=True)[:50]
        for tab in ("steps", "events", "data", *(["undo"] if status == "rolled_back" else [])):
            yield PageToMeasure(f"run, {status.replace('_', ' ')}: {tab}", [f"/runs/{pk}/?tab={tab}" for pk in runs])
    yield PageToMeasure("run with thousands of children", [f"/runs/{parent}/?tab=children"])
