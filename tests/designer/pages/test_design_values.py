"""Values of the last run in the designer: who sees them, what is hidden, what an expression makes of them; who else edits."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from designer import editing
from designer.models import Editing
from engine import lastrun
from engine.models import Binding
from engine.states import Outcome, Status
from tests.designer.pages.real import published
from tests.factories import FlowVersionFactory, InstanceFactory, UserFactory, VisitFactory, now

pytestmark = pytest.mark.django_db
URL = "/flows/example/-/design"


def post(client: Any, what: str, **sent: Any) -> Any:
    return client.post(f"{URL}/{what}", json.dumps(sent), content_type="application/json")


@pytest.fixture
def version():
    node = {"id": "charge", "node_type": "raisin:FlowStep", "properties": {"function_ref": "/lib/charge"}}
    secret = {"type": "object", "properties": {"pin": {"type": "string", "format": "password"}}}
    made = published({"version": 1, "input_schema": secret, "nodes": [node]})
    made.graph = {**made.graph, "manifests": {"/lib/charge": {"secret_arguments": ["card"]}}}
    made.save()
    return made


@pytest.fixture
def make_run(version):
    """``make_run(charge={...})``: a run that has ended, with these outputs."""

    def make(input: Any = None, of: Any = None, status: str = Status.COMPLETED, **outputs: Any):
        parent = {"parent": of, "parent_visit": 1, "branch": 0} if of else {}
        run = InstanceFactory(version=version, status=status, input=input or {}, ended_at=now(), **parent)
        for seq, (node, output) in enumerate(outputs.items(), start=1):
            VisitFactory(instance=run, seq=seq, node_id=node, output=output)
            Binding.objects.create(
                instance=run, node_id=node, visits=1, seq=seq, outcome=Outcome.SUCCEEDED, completion=seq, recent=[seq]
            )
        return run

    return make


@pytest.fixture
def ed(db):
    return UserFactory(username="ed", first_name="Ed", groups=["Flow editors"])


@pytest.fixture
def try_(ed, as_):
    """``try_("condition", "input.total > 5")``: what the preview answers."""
    return lambda kind, value, **more: post(as_(ed), "preview", kind=kind, value=value, **more).json()


# --- samples ----------------------------------------------------------------------------------------------------------


def test_samples_are_of_the_newest_run_that_has_ended(make_run, ed, as_):
    make_run({"total": 1}, charge={"id": "old"})
    newest = make_run({"total": 2}, charge={"id": "new"})
    make_run({"total": 3}, status=Status.WAITING)
    found = as_(ed).get(URL + "/samples").json()
    assert found["run"]["url"] == f"/runs/{newest.pk}/"
    assert (found["values"]["input"], found["values"]["steps"]) == ({"total": 2}, {"charge": {"id": "new"}})


def test_a_step_in_a_branch_is_among_them(make_run, ed, as_):
    root = make_run(charge={"id": 1})
    make_run(of=root, parcel={"weight": 3})
    steps = as_(ed).get(URL + "/samples").json()["values"]["steps"]
    assert steps == {"parcel": {"weight": 3}, "charge": {"id": 1}}


def test_secrets_are_hidden_and_cannot_be_spelled_out(make_run, ed, as_, try_):
    make_run({"pin": "1234", "api_token": "t-1"}, charge={"card": "4111", "deep": [{"password": "p"}]})
    answer = as_(ed).get(URL + "/samples").content.decode()
    assert not any(secret in answer for secret in ("1234", "t-1", "4111", '"p"'))
    assert try_("template", "${steps.charge | tojson}")["value"] == '{"card":"***","deep":[{"password":"***"}]}'
    assert try_("condition", "input.pin == '1234'")["value"] == "false"


def test_long_values_are_cut_and_too_large_ones_left_out(make_run, ed, as_, monkeypatch):
    monkeypatch.setattr(lastrun, "LARGEST", 5000)
    make_run(note={"text": "x" * 1000, "list": list(range(500))}, huge="y" * 6000)
    steps = as_(ed).get(URL + "/samples").json()["values"]["steps"]
    assert steps["note"] == {"text": "x" * 199 + "…", "list": list(range(20))}
    assert "huge" not in steps


def test_without_a_run_there_are_none(version, ed, as_):
    assert as_(ed).get(URL + "/samples").json() == {"run": None, "values": {}}


@pytest.mark.parametrize(("who", "status"), [("eve", 200), ("charlie", 404)])
def test_whoever_sees_runs_sees_samples(make_run, as_, who, status, request):
    make_run()
    client = as_(request.getfixturevalue(who))
    assert client.get(URL + "/samples").status_code == status
    assert post(client, "preview", kind="condition", value="true").status_code == status


def test_signed_out_is_said_in_json(version, as_):
    assert as_(None).get(URL + "/samples").status_code == 401
    assert post(as_(None), "preview", kind="condition", value="true").status_code == 401


def test_samples_cost_a_fixed_number_of_queries(make_run, ed, as_, queries):
    root = make_run(**{f"s{n}": {"n": n} for n in range(3)})
    few = queries(as_(ed), URL + "/samples")
    for n in range(5):
        make_run(of=root, **{f"b{n}": {"n": n}})
    assert queries(as_(ed), URL + "/samples") == few


# --- previews ---------------------------------------------------------------------------------------------------------


def test_a_template_gives_its_value_and_type(make_run, try_):
    make_run({"total": 12.5}, charge={"lines": [1, 2]})
    assert try_("template", "Total: {{ input.total }}") == {"type": "string", "value": "Total: 12.5"}
    assert try_("template", "${steps.charge.lines}") == {"type": "array", "value": "[1,2]"}


def test_a_condition_is_true_or_false(make_run, try_):
    make_run({"total": 12})
    assert try_("condition", "input.total > 10") == {"type": "boolean", "value": "true"}


def test_what_does_not_parse_names_its_place_without_any_run(version, try_):
    error = try_("condition", "input.total >> 3")["error"]
    assert (error["kind"], error["line"], error["column"]) == ("parse", 1, 14)


def test_what_fails_on_the_values_names_its_place(make_run, try_):
    make_run({"total": 12})
    error = try_("template", "Hello {{ nosuch.name }}")["error"]
    assert (error["kind"], error["column"]) == ("evaluation", 10)


def test_names_of_the_loops_around_are_those_of_their_first_round(make_run, try_):
    make_run({"lines": [{"sku": "lamp", "parts": ["bulb"]}]})
    outer = {"over": "${input.lines}", "item": "line", "index": "n"}
    inner = {"over": "${line.parts}", "item": "part"}
    assert try_("template", "{{ n }} {{ line.sku }} {{ part }}", loops=[outer, inner])["value"] == "0 lamp bulb"
    assert try_("template", "${iteration}", loops=[{"times": 3}])["value"] == "0"
    fan_out = {"over": "${input.lines}", "is_fan_out": True}
    assert try_("template", "${input.item.sku}", loops=[fan_out])["value"] == "lamp"


def test_loops_that_say_nothing_give_no_names(make_run, try_):
    make_run()
    nonsense: list[Any] = ["x", [1], [{"over": "${nosuch}"}], [{"over": 5}], {"over": []}]
    for loops in nonsense:
        assert try_("template", "${item}", loops=loops)["error"]["kind"] == "evaluation"


def test_output_is_what_the_step_itself_gave(make_run, try_):
    make_run(charge={"id": "c-1"})
    assert try_("template", "${output.id}", step="charge")["value"] == "c-1"


def test_a_result_is_cut_and_a_field_may_be_too_long(make_run, try_, ed, as_):
    make_run({"text": "x" * 9000})
    assert len(try_("template", "${input.text}")["value"]) == 2000
    assert post(as_(ed), "preview", kind="template", value="x" * 300_000).status_code == 400


# --- who edits now ----------------------------------------------------------------------------------------------------


@pytest.fixture
def flow(db):
    return FlowVersionFactory(flow__path="/flows/example").flow


def test_two_people_at_one_draft_hear_of_each_other(flow, ed, ada, as_):
    assert post(as_(ed), "editing", here=True).json() == {"others": []}
    assert post(as_(ada), "editing", here=True).json() == {"others": ["Ed"]}
    assert post(as_(ed), "editing", here=True).json() == {"others": ["Ada"]}
    assert Editing.objects.count() == 2


def test_whoever_leaves_or_falls_silent_is_gone(flow, ed, ada, as_):
    post(as_(ed), "editing", here=True)
    post(as_(ed), "editing", here=False)
    assert post(as_(ada), "editing", here=True).json() == {"others": []}
    post(as_(ed), "editing", here=True)
    Editing.objects.filter(user=ed).update(seen_at=timezone.now() - editing.GONE_AFTER - timedelta(seconds=1))
    assert post(as_(ada), "editing", here=True).json() == {"others": []}
    assert not Editing.objects.filter(user=ed).exists()


def test_at_another_flow_nobody_is_seen(flow, ed, ada, as_):
    other = FlowVersionFactory(flow__path="/flows/other").flow
    editing.is_here(other, ed)
    assert post(as_(ada), "editing", here=True).json() == {"others": []}


@pytest.mark.parametrize(("who", "status"), [("eve", 403), ("charlie", 404)])
def test_who_may_not_change_a_flow_is_not_at_its_draft(flow, as_, who, status, request):
    assert post(as_(request.getfixturevalue(who)), "editing", here=True).status_code == status
    assert not Editing.objects.exists()
