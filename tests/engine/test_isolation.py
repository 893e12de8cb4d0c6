"""A test run keeps to itself, a test for each effect there is: functions, HTTP, mail, webhooks, triggers, inbox, agents.

The real executors stand behind the mocks, as in production: whatever got through would be seen.
"""

import json
import socket
import urllib.request
from dataclasses import replace
from typing import Any

import pytest
from django.core import mail
from django.test import override_settings

from engine.executors.agents import AgentExecutor
from engine.executors.dispatch import Dispatcher
from engine.executors.http import HttpExecutor
from engine.executors.library import LibraryExecutor
from engine.executors.mocks import MockingExecutor
from engine.models import Attempt, Event, InboxTask, Instance, Notice
from engine.testruns import start_test
from flows import registry
from flows.models import Agent, FlowVersion, HttpFunction, NotificationTarget
from tests.engine.drawing import call, child_flow, container, either, group, parallel, step, task
from tests.engine.executors import http_server
from tests.engine.world import World, row
from tests.factories import FlowFactory, FlowVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)
EVERYTHING = {"default_behavior": "mock_output", "time": "compressed"}


@pytest.fixture
def done(monkeypatch) -> list[str]:
    """What really happened: by functions of the library, and on the network."""
    happened: list[str] = []

    def acts(name, effect):
        def act(arguments, ctx):
            happened.append(name)
            return effect()

        return registry.Registered(f"/lib/{name}", act, {"effect": "write"})

    functions = {
        "plain": acts("plain", dict),
        "http": acts("http", lambda: urllib.request.urlopen("http://127.0.0.1:9/", timeout=1)),
        "webhook": acts("webhook", lambda: urllib.request.urlopen("http://127.0.0.1:9/", data=b"{}", timeout=1)),
        "mail": acts("mail", lambda: mail.send_mail("subject", "text", None, ["tim@example.org"])),
        "undo": acts("undo", dict),
        "tool": acts("tool", dict),
    }
    for each in functions.values():
        monkeypatch.setitem(registry._functions, each.path, each)
    monkeypatch.setattr(socket, "create_connection", lambda *args, **more: happened.append("network"))
    return happened


@pytest.fixture
def world() -> World:
    found = World()
    clock = found.clock
    real = Dispatcher(functions=LibraryExecutor(clock), http=HttpExecutor(clock), agents=AgentExecutor(clock))
    found.ports = replace(found.ports, executor=MockingExecutor(real, found.clock))
    return found


def rehearse(world, *nodes, config=EVERYTHING, **data) -> Instance:
    flow = FlowFactory(draft=json.dumps({"nodes": list(nodes), **data}))
    run = start_test(flow, input={}, test_config=dict(config), ports=world.ports)
    world.settle()
    return row(run.pk)


@pytest.mark.parametrize("name", ["plain", "http", "webhook", "mail"])
def test_a_function_does_not_act_whatever_its_effect(name, world, done) -> None:
    assert rehearse(world, call(name)).status == "completed"
    assert (done, mail.outbox) == ([], [])


@pytest.mark.parametrize("name", ["plain", "mail"])
def test_the_same_function_acts_when_it_is_left_real(name, world, done) -> None:
    """Else the test above would prove nothing."""
    config = {**EVERYTHING, "mock_functions": {f"/lib/{name}": {"behavior": "real"}}}
    rehearse(world, call(name), config=config)
    assert done == [name]
    assert len(mail.outbox) == (name == "mail")


@pytest.mark.parametrize(("behavior", "status"), [("mock_output", "completed"), ("real", "failed")])
def test_an_http_function_sends_nothing_even_where_it_is_left_real(behavior, status, world, done, settings) -> None:
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    HttpFunction.objects.create(path="/lib/ask", url="http://127.0.0.1:9/", manifest={"effect": "write"})
    config = {**EVERYTHING, "mock_functions": {"/lib/ask": {"behavior": behavior}}}
    run = rehearse(world, call("ask", retry_strategy="none"), config=config)
    assert (run.status, done) == (status, [])
    assert status == "completed" or run.error["code"] == "not_sent_in_test"


def test_nothing_is_really_taken_back_what_was_not_really_done(world, done) -> None:
    config = {**EVERYTHING, "mock_functions": {"/lib/http": {"behavior": "mock_error"}}}
    nodes = [call("plain", compensation_ref="/lib/undo"), call("http", retry_strategy="none")]
    assert rehearse(world, *nodes, config=config).status == "rolled_back"
    assert done == []


def test_an_undo_before_a_redo_is_mocked(world, done) -> None:
    config = {**EVERYTHING, "mock_functions": {"/lib/http": [{"behavior": "mock_error"}, {"behavior": "mock_output"}]}}
    undo = {"function_ref": "/lib/undo"}
    nodes = [call("plain", undo=undo), call("http", undo=undo, retry_strategy="none")]
    recovery = {"redo": "whole_group", "then": "fail", "stop_after": {"failures": 3, "within": "1h"}}
    assert rehearse(world, *nodes, config=config, recovery=recovery).status == "completed"
    assert done == []


def test_a_probe_of_an_unknown_outcome_is_mocked(world, done) -> None:
    probe = {"steps": [call("http")], "outcome": "steps.http.found == true"}
    answers = {
        "/lib/plain": {"behavior": "mock_unknown"},
        "/lib/http": {"behavior": "mock_output", "mock_output": {"found": True}},
    }
    node = call("plain", on_unknown="reconcile", reconcile=probe)
    run = rehearse(world, node, config={**EVERYTHING, "mock_functions": answers})
    assert (run.status, done) == ("completed", [])
    assert Attempt.objects.filter(instance=run, path="/lib/http").count() == 1


def test_agents_are_not_asked_nor_do_their_tools_act(world, done) -> None:
    rules = [{"use": [{"tool": "/lib/tool", "arguments": {}}]}]
    for name in ("writer", "router", "judge", "decider", "talker"):
        Agent.objects.create(path=f"/agents/{name}", title=name, provider="scripted", script=rules, tools=["/lib/tool"])

    def ask(name):
        return step(name, step_type="ai_agent", agent_ref="/agents/writer", prompt="?")

    competing = container("c", "competition", ask("x"), ask("y"), prompt="?", referee={"agent_ref": "/agents/judge"})
    routed = either("o", call("plain"), router={"agent_ref": "/agents/router", "default_branch": "plain"})
    sequence = container("s", "ai_sequence", prompt="?", ai_config={"agent_ref": "/agents/writer"})
    decided = step("t", step_type="human_task", task_type="approval", assignee="/agents/decider")
    for node in (ask("a"), competing, routed, sequence, decided):
        rehearse(world, node)
    assert done == []


def test_runs_below_keep_to_it_as_well(world, done) -> None:
    FlowVersionFactory(flow__path="/flows/inner", definition={"nodes": [call("mail")]})
    assert rehearse(world, child_flow("inner"), parallel("p", call("plain"), call("http"))).status == "completed"
    assert (done, mail.outbox) == ([], [])
    assert set(Instance.objects.values_list("is_test", flat=True)) == {True}


def test_nobody_finds_its_tasks_in_an_inbox_and_no_mail_tells_of_them(world, done) -> None:
    rehearse(world, group("g", task("look", assignee="/groups/all")))
    assert set(InboxTask.objects.values_list("is_test", flat=True)) == {True}
    assert mail.outbox == []


def targets(server: http_server.HttpServer) -> None:
    NotificationTarget.objects.create(name="support-team", addresses="ida@example.org")
    NotificationTarget.objects.create(name="night-desk", kind="webhook", url=server.url)


def gives_up(then: str, notify: str) -> dict[str, Any]:
    return {"stop_after": {"failures": 0, "within": "1h"}, "then": then, "notify": notify}


@pytest.mark.parametrize("isolated", [True, False])
def test_nobody_is_told_that_its_recovery_gave_up(isolated, world, settings) -> None:
    """In a run that is not isolated everybody is: else the test would prove nothing."""
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    failing = group("inner", call("x", retry_strategy="none"), recovery=gives_up("escalate", "night-desk"))
    inner = parallel("p", failing, recovery=gives_up("escalate", "support-team"))
    config = {**EVERYTHING, "mock_functions": {"/lib/x": {"behavior": "mock_error"}}, "isolated_branch": isolated}
    with http_server.running(http_server.gives({})) as server:
        targets(server)
        run = rehearse(world, inner, config=config, recovery=gives_up("hold", "support-team"))
        posts = len(server.requests)
    skipped = Event.objects.filter(type="notify_skipped").values_list("data", flat=True)
    assert run.status == "held"
    assert (len(mail.outbox), posts, Notice.objects.count()) == ((0, 0, 0) if isolated else (2, 1, 3))
    assert sorted(each["target"] for each in skipped) == (["night-desk", "support-team", "support-team"] * isolated)


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
def test_it_starts_no_other_flow_and_leaves_no_version_behind(world, done) -> None:
    """Triggers listen to real runs: whatever a test run comes to, no run but its own is started."""
    before = FlowVersion.objects.published().count()
    run = rehearse(world, call("plain"))
    assert list(Instance.objects.values_list("pk", flat=True)) == [run.pk]
    assert FlowVersion.objects.published().count() == before
