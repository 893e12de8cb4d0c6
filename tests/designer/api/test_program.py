"""A JavaScript program starts a run, follows it and answers its task, over a real server, as raisin's client would."""

import json
import subprocess
import time
from pathlib import Path

import playwright
import pytest

from engine.models import Instance
from engine.states import TERMINAL
from tests.designer.api.flows import ASKS_THE_MANAGER, driven, published
from tests.designer.server import running_server
from tests.factories import PASSWORD, UserFactory

NODE = Path(playwright.__file__).parent / "driver" / "node"
PROGRAM = Path(__file__).with_name("program.mjs")


def work_until_ended(process):
    """Be the worker for as long as the program runs."""
    deadline = time.monotonic() + 90
    while process.poll() is None and time.monotonic() < deadline:
        for instance in Instance.objects.exclude(status__in=TERMINAL):
            driven(instance.pk)
        time.sleep(0.05)
    process.kill()


@pytest.fixture
def story(process_environment):
    """What the program printed."""
    published(ASKS_THE_MANAGER)
    UserFactory(username="manager", groups=[], is_superuser=True)
    with running_server(process_environment) as server:
        command = [str(NODE), str(PROGRAM), server.url, "manager", PASSWORD]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        work_until_ended(process)
        out, err = process.communicate()
    assert process.returncode == 0, err
    return json.loads(out)


def test_a_javascript_program_signs_in_starts_follows_and_answers(story):
    assert "wrong" in story["refused"]
    assert set(story["signedIn"]) == {"access_token", "refresh_token", "token_type", "expires_in"}
    assert story["started"]["status"] == "queued"
    kinds = [event["type"] for event in story["events"]]
    assert kinds == ["step_started", "flow_waiting", "flow_resumed", "step_completed", "flow_completed"]
    waiting, done = story["events"][1], story["events"][3]
    assert (waiting["node_id"], waiting["wait_type"], waiting["reason"]) == ("approve", "human_task", "human_task")
    assert done["output"]["completed_by"] == "/users/manager"
    assert all(event["timestamp"].endswith("Z") for event in story["events"])
    assert (story["completed"]["status"], story["instance"]["status"]) == ("completed", "completed")
    assert story["completed"]["flow"]["instance_id"] == story["started"]["instance_id"]
