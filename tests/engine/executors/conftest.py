"""Agents and HTTP functions of the library, asked as the driver asks them."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest

from engine.executors.agents import AgentExecutor
from engine.executors.http import HttpExecutor
from engine.models import new_id
from engine.ports import AGENT, FUNCTION, Call
from flows.models import Agent, HttpFunction
from tests.engine.executors import http_server, model_server


class Clock:
    def now(self):
        return datetime.now(UTC)


@pytest.fixture
def ask(db):
    """Ask the agent ``/agents/it`` of the library a question; keywords are the question's."""

    def ask_it(prompt="Hello", *, seconds=20.0, instance=None, **question):
        executor, clock = AgentExecutor(Clock()), Clock()
        call = Call(
            kind=AGENT,
            path="/agents/it",
            arguments={"prompt": prompt, **question},
            instance_id=instance or new_id(),
            node_id="it",
            visit=1,
            visit_seq=1,
            attempt=1,
            idempotency_key="run:1",
            deadline_at=clock.now() + timedelta(seconds=seconds),
        )
        return executor.start(call)

    return ask_it


@pytest.fixture
def model(db):
    """Make ``/agents/it`` an agent behind a server that answers like this; gives the server."""
    stack = []

    def serve(*answers, **fields):
        running = model_server.running(*answers)
        server = running.__enter__()
        stack.append(running)
        Agent.objects.create(path="/agents/it", base_url=server.url, model="small", **fields)
        return server

    yield serve
    for running in stack:
        running.__exit__(None, None, None)


@pytest.fixture
def script(db):
    """Make ``/agents/it`` an agent that answers by these rules."""

    def write(*rules, **fields):
        agent = Agent(path="/agents/it", provider="scripted", script=list(rules), **fields)
        agent.full_clean()
        agent.save()

    return write


@pytest.fixture
def send(db, settings):
    """Make ``/http/it`` a function behind a server that answers like this; keywords are the function's. Gives what calls it."""
    settings.SULTANA_HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    with ExitStack() as stack:

        def serve(*answers, path="", **fields):
            server = stack.enter_context(http_server.running(*answers))
            return Sent(server, http_function(f"{server.url}{path}", **fields))

        yield serve


def http_function(url, path="/http/it", **fields):
    function = HttpFunction(path=path, url=url, **{"manifest": {"effect": "write"}, "body": "{{ arguments }}"} | fields)
    if function.method in ("GET", "HEAD"):
        function.body = None
    function.full_clean()
    function.save()
    return function


class Sent:
    """An HTTP function and its server."""

    def __init__(self, server, function):
        self.server = server
        self.function = function

    def call(self, seconds=20.0, **more):
        now = Clock().now()
        call = Call(
            kind=FUNCTION,
            path=self.function.path,
            instance_id=new_id(),
            node_id="it",
            visit=1,
            visit_seq=1,
            attempt=1,
            deadline_at=now + timedelta(seconds=seconds),
            **{"arguments": {}, "idempotency_key": "run:1"} | more,
        )
        return HttpExecutor(Clock()).start(call)

    def __call__(self, **arguments):
        return self.call(arguments=arguments)

    @property
    def request(self):
        """What the server got last."""
        return self.server.requests[-1]
