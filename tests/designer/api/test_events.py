"""The event stream of a real server process: replay, resumption, many clients, and ends that are clean."""

import asyncio
import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.db import connection, transaction

from engine.history import tell_watchers
from engine.models import Event, Instance, LiveText
from engine.states import Status
from tests.conftest import database_url
from tests.designer.api.conftest import bearer
from tests.designer.server import running_server
from tests.factories import EventFactory, InstanceFactory, UserFactory, VisitFactory, now

CLIENTS = 50


@pytest.fixture(scope="module")
def server(django_db_setup, django_db_blocker):
    """One server for all tests here: it takes seconds to start, and rows that come and go are its daily work."""
    with django_db_blocker.unblock():
        environment = {**os.environ, "SULTANA_DATABASE_URL": database_url(), "SULTANA_WEB_THREADS": "3"}
    with running_server(environment) as running:
        yield running


@pytest.fixture
def alice(transactional_db):
    return UserFactory(is_superuser=True)


@pytest.fixture
def run(transactional_db):
    return InstanceFactory(status=Status.RUNNING)


def record(instance, kind, *, status=None, **fields):
    """Write an event the way the engine does: with the status, in one transaction that tells the tree's watchers."""
    with transaction.atomic():
        event = EventFactory(instance=instance, type=kind, **fields)
        if status:
            Instance.objects.filter(pk=instance.pk).update(status=status)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_notify('sultana_events', %s)", [str(instance.root_id or instance.pk)])
    return event


def complete(instance):
    return record(instance, "flow_completed", status=Status.COMPLETED, data={"output": {"ok": True}})


def url_of(server, instance):
    return f"{server.url}/api/flows/default/instances/{instance.pk}/events"


def parse(lines):
    """Server-sent events as ``(id, data)``, read as raisin's client reads them: only ``flow-event``, data as JSON."""
    number = None
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            number = int(value)
        elif name == "data":
            yield number, json.loads(value)
            number = None


def follow(server, instance, user, headers=None, **query):
    """Every event until the server ends the stream."""
    sent = bearer(user) | (headers or {})
    with httpx.stream("GET", url_of(server, instance), headers=sent, params=query, timeout=30) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"] == "text/event-stream"
        return list(parse(answer.iter_lines()))


def test_an_ended_run_is_replayed_and_the_stream_ends(server, alice, run):
    for kind in ("step_started", "step_completed"):
        record(run, kind)
    complete(run)
    events = follow(server, run, alice)
    assert [(number, data["type"]) for number, data in events] == [
        (1, "step_started"), (2, "step_completed"), (3, "flow_completed"),
    ]  # fmt: skip
    assert events[2][1]["output"] == {"ok": True}


def test_a_test_run_may_go_once_its_end_was_streamed(server, alice, run):
    Instance.objects.filter(pk=run.pk).update(auto_discard=True)
    complete(run)
    follow(server, run, alice)
    assert Instance.objects.get(pk=run.pk).delivered_at is not None


def test_what_happens_while_one_listens_arrives_at_once(server, alice, run):
    record(run, "step_started")
    delays = []
    with httpx.stream("GET", url_of(server, run), headers=bearer(alice), timeout=30) as answer:
        events = parse(answer.iter_lines())
        assert next(events)[0] == 1
        for number in range(2, 7):
            written = time.monotonic()
            record(run, "log", data={"message": "x"})
            assert next(events)[0] == number
            delays.append(time.monotonic() - written)
    assert sorted(delays)[len(delays) // 2] < 0.4


def test_what_an_agent_says_arrives_while_it_says_it(server, alice, run):
    with httpx.stream("GET", url_of(server, run), headers=bearer(alice), timeout=30) as answer:
        lines = parse(answer.iter_lines())
        record(run, "step_started", node_id="ask")
        assert next(lines)[1]["type"] == "step_started"
        said = []
        for text in ("Good ", "Good morning"):
            LiveText.objects.update_or_create(
                instance=run, defaults={"root": run.pk, "node_id": "ask", "place": "1.1.0", "text": text, "at": now()}
            )
            tell_watchers(run.pk)
            number, data = next(lines)
            said.append((number, data["type"], data["node_id"], data["text"]))
        complete(run)
        assert next(lines)[1]["type"] == "flow_completed"
    assert said == [(None, "text_chunk", "ask", "Good "), (None, "text_chunk", "ask", "morning")]


def test_an_event_that_nobody_was_told_of_arrives_within_seconds(server, alice, run):
    with httpx.stream("GET", url_of(server, run), headers=bearer(alice), timeout=30) as answer:
        events = parse(answer.iter_lines())
        record(run, "log")
        next(events)
        EventFactory(instance=run)
        assert next(events)[0] == 2


@pytest.mark.postgres
def test_a_listener_that_loses_its_connection_comes_back(server, alice, run, vendor):
    if vendor != "postgresql":
        pytest.skip("SQLite has no connection to lose")
    with httpx.stream("GET", url_of(server, run), headers=bearer(alice), timeout=30) as answer:
        events = parse(answer.iter_lines())
        record(run, "log")
        next(events)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            assert cursor.fetchall() == [(True,)]
        record(run, "log")
        assert next(events)[0] == 2
        record(run, "log")
        assert next(events)[0] == 3


@pytest.mark.parametrize("how", ["header", "parameter"])
def test_a_stream_resumes_after_the_last_event_that_was_read(server, alice, run, how):
    for _ in range(3):
        record(run, "log")
    complete(run)
    if how == "header":
        events = follow(server, run, alice, {"Last-Event-ID": "2"})
    else:
        events = follow(server, run, alice, last_event_id=2)
    assert [number for number, _ in events] == [3, 4]


def test_nothing_comes_after_the_end_so_a_browser_is_told_not_to_come_back(server, alice, run):
    complete(run)
    answer = httpx.get(url_of(server, run), headers=bearer(alice) | {"Last-Event-ID": "1"}, timeout=30)
    assert answer.status_code == 204


def test_a_run_that_went_on_after_its_failure_is_followed_to_its_real_end(server, alice, run):
    record(run, "flow_failed", data={"error": {"message": "card declined"}, "status": "failed"})
    record(run, "flow_resumed")
    complete(run)
    assert [data["type"] for _, data in follow(server, run, alice)] == ["flow_failed", "flow_resumed", "flow_completed"]


def test_many_clients_share_the_threads_of_one_process(server, alice, run):
    record(run, "step_started")
    ready = threading.Barrier(2, timeout=60)

    async def read_one(client, connected):
        async with client.stream("GET", url_of(server, run), headers=headers) as answer:
            numbers = []
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    numbers.append(int(line[4:]))
                    connected.release()
            return numbers

    async def read_all():
        connected = asyncio.Semaphore(0)
        limits = httpx.Limits(max_connections=CLIENTS)
        async with httpx.AsyncClient(timeout=60, limits=limits) as client:
            readers = [asyncio.create_task(read_one(client, connected)) for _ in range(CLIENTS)]
            for _ in range(CLIENTS):
                await connected.acquire()
            await asyncio.to_thread(ready.wait)
            return await asyncio.gather(*readers)

    headers = bearer(alice)
    follow_in = ThreadPoolExecutor(1)
    before = server.threads()
    result = follow_in.submit(asyncio.run, read_all())
    ready.wait()
    assert server.threads() <= before + 3 + 4  # those that answer requests, and those that read for streams
    assert httpx.get(f"{server.url}/api/schema", headers=headers, timeout=30).status_code == 200
    complete(run)
    assert result.result(timeout=60) == [[1, 2]] * CLIENTS


def test_a_tree_is_followed_as_one(server, alice, run):
    child = InstanceFactory(parent=run, version=run.version, status=Status.RUNNING)
    other = InstanceFactory(version=run.version)
    record(run, "step_started")
    record(child, "log")
    record(other, "log")
    record(child, "flow_completed", status=Status.COMPLETED)
    complete(run)
    events = follow(server, run, alice, tree=1)
    assert [(number, data["type"]) for number, data in events] == [
        (1, "step_started"), (None, "log"), (None, "flow_completed"), (2, "flow_completed"),
    ]  # fmt: skip
    assert {data["instance_id"] for _, data in events} == {str(run.pk), str(child.pk)}
    assert [number for number, _ in follow(server, run, alice)] == [1, 2]


def test_a_tree_resumes_with_the_childrens_events_that_may_be_missing(server, alice, run):
    child = InstanceFactory(parent=run, version=run.version)
    old = record(child, "log", data={"message": "old"})
    Event.objects.filter(pk=old.pk).update(at=old.at.replace(year=2020))
    record(run, "step_started")
    record(child, "log", data={"message": "new"})
    complete(run)
    events = follow(server, run, alice, tree=1, last_event_id=1)
    assert [data.get("message") or data["type"] for _, data in events] == ["new", "flow_completed"]


def test_a_client_that_leaves_is_forgotten(server, alice, run):
    record(run, "log")
    for _ in range(10):
        with httpx.stream("GET", url_of(server, run), headers=bearer(alice), timeout=30) as answer:
            next(parse(answer.iter_lines()))
    complete(run)
    assert len(follow(server, run, alice)) == 2


def test_streams_end_when_the_server_stops(process_environment, alice, run):
    record(run, "log")
    headers = bearer(alice)
    with running_server(process_environment) as server:
        with httpx.stream("GET", url_of(server, run), headers=headers, timeout=30) as answer:
            lines = answer.iter_lines()
            next(parse(lines))
            server.process.terminate()
            assert list(parse(lines)) == []  # ended, not cut off
        assert server.process.wait(timeout=10) == -signal.SIGTERM  # uvicorn's way of saying so


def test_who_may_not_see_the_run_gets_no_stream(server, run):
    assert httpx.get(url_of(server, run), timeout=30).status_code == 401
    answer = httpx.get(url_of(server, run), headers=bearer(UserFactory()), timeout=30)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("last", ["-1", "abc", "1.5", str(2**31)])
def test_a_last_event_id_that_is_none_is_refused(signed_in, run, last):
    client = signed_in(is_superuser=True)
    path = f"/api/flows/default/instances/{run.pk}/events"
    for answer in (client.get(path, headers={"Last-Event-ID": last}), client.get(path, {"last_event_id": last})):
        assert (answer.status_code, answer.data["field"]) == (400, "last_event_id")


def test_a_completed_steps_output_is_read_from_its_visit(server, alice, run):
    VisitFactory(instance=run, output={"reservation": "R1"})
    record(run, "step_completed", node_id="greet", visit_seq=1, data={"duration_ms": 12})
    complete(run)
    data = follow(server, run, alice)[0][1]
    timestamp = data.pop("timestamp")
    assert timestamp.endswith("Z")
    assert data == {
        "type": "step_completed", "node_id": "greet", "duration_ms": 12, "output": {"reservation": "R1"},
    }  # fmt: skip


def test_an_error_is_a_text_for_raisins_client_with_details_beside_it(server, alice, run):
    error = {"message": "card declined", "error_type": "step_error", "code": "card_declined"}
    record(run, "step_failed", node_id="pay", data={"error": error, "attempt": 1, "duration_ms": 5})
    complete(run)
    data = follow(server, run, alice)[0][1]
    assert (data["error"], data["error_details"]) == ("card declined", error)
