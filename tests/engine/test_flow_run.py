"""``manage.py flow run``: a run started from the shell."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from engine.models import Instance
from tests.factories import FlowVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)


def flow(*steps, **definition):
    nodes = [
        {"id": name, "node_type": "raisin:FlowStep", "properties": {"action": name, **properties}}
        for name, properties in steps
    ]
    return FlowVersionFactory(flow__path="/flows/it", definition={"nodes": nodes, **definition})


def flow_run(*options):
    stdout = StringIO()
    try:
        call_command("flow", "run", "/flows/it", *options, stdout=stdout)
    except SystemExit as ended:
        return ended.code, json.loads(stdout.getvalue())
    return 0, json.loads(stdout.getvalue())


def test_a_run_is_started_and_left_to_the_workers() -> None:
    version = flow(("rest", {"step_type": "wait", "duration": "1h"}))
    code, told = flow_run("--input", '{"order": "O-1"}')
    instance = Instance.objects.get(pk=told["instance_id"])
    assert (code, told["status"]) == (0, "pending")
    assert (instance.version_id, instance.input) == (version.pk, {"order": "O-1"})


def test_with_wait_it_is_carried_on_until_it_rests() -> None:
    flow(("rest", {"step_type": "wait", "duration": "1h"}))
    code, told = flow_run("--wait")
    assert (code, told["status"], told["wait"], told["step"]) == (0, "waiting", "timer", "rest")


def test_with_wait_its_output_is_told() -> None:
    flow(("choose", {"step_type": "decision", "condition": "input.n > 1"}))
    code, told = flow_run("--wait", "--input", '{"n": 2}')
    assert (code, told["status"], told["output"]) == (0, "completed", {"decision": True, "branch_taken": "yes"})


def test_a_run_that_failed_is_no_success() -> None:
    flow(("work", {"function_ref": "/lib/nowhere", "retry_strategy": "none"}))
    code, told = flow_run("--wait")
    assert (code, told["status"], told["error"]["code"]) == (1, "failed", "function_not_found")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--input", "{"], "--input is no JSON"),
        (["--input", "[]"], "must be a JSON object"),
        (["--workspace", "elsewhere"], "no published flow /flows/it in the workspace elsewhere"),
        ([], "The input does not fit: 'order' is a required property"),
    ],
)
def test_what_cannot_start_is_told_in_words(options, told) -> None:
    flow(input_schema={"type": "object", "required": ["order"]})
    with pytest.raises(CommandError, match=told):
        flow_run(*options)
    assert not Instance.objects.exists()
