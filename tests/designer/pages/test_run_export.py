"""Exports: every run that fits, in a bounded memory, for those who may take them away."""

import csv
import io
import json
from contextlib import aclosing

import httpx
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer import live, run_export
from designer.presenters.run_rows import light
from designer.run_query import RunQuery
from engine.models import Instance
from engine.states import Status
from tests.designer.server import running_server
from tests.factories import FlowVersionFactory, InstanceFactory, now

pytestmark = [pytest.mark.django_db]
in_this_thread = pytest.mark.usefixtures("here")

CSV, JSON = "/runs/-/export.csv", "/runs/-/export.json"


@pytest.fixture
def here(monkeypatch):
    """Batches are read in this thread, whose connection alone sees the rows of this test."""

    async def at_once(function, *args):
        return await sync_to_async(function)(*args)

    monkeypatch.setattr(live, "in_pool", at_once)


def parts(runs, form):
    async def collect():
        return [part async for part in run_export.stream(runs, form)]

    return async_to_sync(collect)()


def text_of(runs, form):
    return b"".join(parts(runs, form)).decode()


def everything():
    return light(RunQuery().among(Instance.objects.all(), "default"))


def body(response):
    async def collect():
        return b"".join([part async for part in response.streaming_content])

    return async_to_sync(collect)().decode()


@in_this_thread
def test_a_table_has_a_head_and_a_line_a_run(bob):
    version = FlowVersionFactory(flow__path="/flows/ours")
    error = {"message": 'card "declined", twice', "step_id": "charge"}
    moment = now()
    run = InstanceFactory(
        version=version, status=Status.FAILED, error=error, failed_node="charge", started_by=bob,
        started_at=moment, ended_at=moment,
    )  # fmt: skip
    InstanceFactory(version=version)
    lines = list(csv.DictReader(io.StringIO(text_of(everything(), "csv"))))
    assert [line["status"] for line in lines] == ["pending", "failed"]
    told = lines[1]
    assert (told["id"], told["flow"], told["version"], told["started_by"]) == (str(run.pk), "/flows/ours", "1", "bob")
    assert (told["failed_step"], told["error"], told["seconds"]) == ("charge", error["message"], "0.0")
    assert told["ended_at"] == moment.isoformat()


@in_this_thread
@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\tx"])
def test_a_spreadsheet_takes_nothing_for_a_formula(text):
    InstanceFactory(error={"message": text})
    (line,) = csv.DictReader(io.StringIO(text_of(everything(), "csv")))
    assert line["error"] == f"'{text}"


@in_this_thread
def test_json_is_an_array_in_the_shape_of_the_api(bob, as_):
    InstanceFactory(status=Status.WAITING, wait_kind="timer", started_by=bob)
    (told,) = json.loads(text_of(everything(), "json"))
    assert [told] == as_(bob).get("/api/flows/default/instances").json()["instances"]


@in_this_thread
@pytest.mark.parametrize("number", [0, 1, 3, 4, 6, 7])
def test_batches_follow_each_other_without_gaps(number, monkeypatch):
    monkeypatch.setattr(run_export, "BATCH", 3)
    version = FlowVersionFactory()
    made = [str(InstanceFactory(version=version).pk) for _ in range(number)][::-1]
    assert [each["id"] for each in json.loads(text_of(everything(), "json"))] == made
    assert [line["id"] for line in csv.DictReader(io.StringIO(text_of(everything(), "csv")))] == made


@in_this_thread
def test_a_batch_is_read_when_its_turn_comes_and_costs_one_query(monkeypatch):
    monkeypatch.setattr(run_export, "BATCH", 3)
    version = FlowVersionFactory()
    for _ in range(9):
        InstanceFactory(version=version, started_by=None)
    runs = everything()

    async def first_part():
        async with aclosing(run_export.stream(runs, "csv")) as stream:
            return await anext(stream)

    with CaptureQueriesContext(connection) as asked:
        part = async_to_sync(first_part)()
    assert part.count(b"\r\n") == 4
    assert len(asked) == 1


@in_this_thread
def test_the_page_exports_what_its_filters_find(bob, as_):
    version = FlowVersionFactory()
    failed = InstanceFactory(version=version, status=Status.FAILED)
    InstanceFactory(version=version)
    response = as_(bob).get(JSON, {"status": "failed"})
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"].startswith('attachment; filename="runs-')
    assert [each["id"] for each in json.loads(body(response))] == [str(failed.pk)]


def test_seeing_runs_is_not_enough_to_take_them_away(eve, alice, as_):
    InstanceFactory(started_by=alice)
    for person in (eve, alice):
        for url in (CSV, JSON):
            assert as_(person).get(url).status_code == 403
        assert "export.csv" not in as_(person).get("/runs/").content.decode()
    assert as_(None).get(CSV)["Location"].startswith("/sign-in")


@in_this_thread
def test_other_workspaces_and_other_forms_are_not_exported(bob, as_):
    InstanceFactory()
    InstanceFactory(version__flow__workspace__slug="other")
    assert body(as_(bob).get(CSV)).count("\r\n") == 2
    assert as_(bob).get("/runs/-/export.xml").status_code == 404
    assert as_(bob).post(CSV).status_code == 405


def test_a_real_server_sends_it_part_by_part(process_environment, ada, as_):
    version = FlowVersionFactory()
    Instance.objects.bulk_create(
        InstanceFactory.build_batch(1200, version=version, flow=version.flow, workspace=version.flow.workspace)
    )
    cookies = {name: morsel.value for name, morsel in as_(ada).cookies.items()}
    with running_server(process_environment) as server, httpx.Client(cookies=cookies, timeout=60) as browser:
        with browser.stream("GET", server.url + CSV) as answer:
            assert answer.headers["transfer-encoding"] == "chunked"
            assert sum(part.count(b"\r\n") for part in answer.iter_bytes()) == 1201
        assert len(browser.get(server.url + JSON).json()) == 1200
        assert httpx.get(server.url + CSV).status_code == 302
