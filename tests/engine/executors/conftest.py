"""Agents of the library, asked as the driver asks them."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.executors.agents import AgentExecutor
from engine.models import new_id
from engine.ports import AGENT, Call
from flows.models import Agent
from tests.engine.executors import model_server


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
