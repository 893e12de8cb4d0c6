"""Bringing folders of flows in over HTTP. An editor may; an operator may not; Charlie is a stranger."""

import json

import pytest
from django.contrib.auth.models import Permission

from flows.models import Flow
from tests.designer.api.flows import ENDS_AT_ONCE, step
from tests.factories import FlowFactory

IMPORT = "/api/flows/default/import"
GOOD = json.dumps({"nodes": [step("halt", action="Halt", step_type="stop", reason="done", odd=1)]})
BAD = json.dumps({"nodes": [step("rest", action="Rest", step_type="wait")]})
TRIGGER = "node_type: raisin:Trigger\nproperties: { name: t }\n"


@pytest.fixture
def editor(signed_in):
    return signed_in("Flow editors")


def bring(client, publish=False, draft=False, **texts):
    files = [{"path": f"shop/{name}.yaml", "text": text} for name, text in texts.items()]
    return client.post(IMPORT, {"files": files, "publish": publish, "draft": draft})


def test_a_folder_comes_in_with_what_the_doctor_says(editor):
    answer = bring(editor, publish=True, good=GOOD, trigger=TRIGGER)
    assert answer.status_code == 200
    good, trigger = answer.json()["files"]
    assert (good["flow_path"], good["state"], good["version"]) == ("/flows/shop/good", "new", 1)
    assert [each["code"] for each in good["findings"]] == ["UNKNOWN_PROPERTY"]
    assert (trigger["state"], [each["code"] for each in trigger["findings"]]) == (
        "left_out",
        ["TRIGGER_NOT_APPLICABLE"],
    )
    assert bring(editor, good=GOOD).json()["files"][0]["state"] == "unchanged"


def test_one_with_errors_keeps_all_out_unless_they_are_to_be_drafts(editor):
    answer = bring(editor, good=GOOD, bad=BAD)
    assert (answer.status_code, answer.json()["field"]) == (400, "files")
    assert [each["field"] for each in answer.json()["problems"]] == ["shop/bad.yaml: rest.duration"]
    assert not Flow.objects.exists()
    assert bring(editor, draft=True, good=GOOD, bad=BAD).status_code == 200
    assert Flow.objects.count() == 2


@pytest.mark.parametrize("text", ["a: [", "just words", ""])
def test_what_cannot_be_read_says_so(editor, text):
    answer = bring(editor, odd=text)
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "files")


def test_a_request_without_files_is_refused(editor):
    answer = editor.post(IMPORT, {"files": []})
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "files")


def test_who_may_not_make_flows_may_not_import(signed_in):
    assert bring(signed_in("Operators"), good=GOOD).status_code == 403
    assert bring(signed_in(), good=GOOD).status_code == 403
    assert not Flow.objects.exists()


def test_who_may_only_make_flows_writes_none_over_and_publishes_none(signed_in):
    client = signed_in()
    names = ["view_flow", "add_flow"]
    client.user.user_permissions.set(Permission.objects.filter(content_type__app_label="flows", codename__in=names))
    assert bring(client, publish=True, good=GOOD).status_code == 403
    FlowFactory(path="/flows/shop/good", draft=json.dumps(ENDS_AT_ONCE))
    assert bring(client, good=GOOD).status_code == 403
    assert bring(client, other=GOOD).status_code == 200
