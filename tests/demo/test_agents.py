"""The demo's agents answer by their rules, as their flow needs it."""

from datetime import UTC, datetime, timedelta

import pytest

from demo.agents import AGENTS
from demo.seed import seed
from engine.executors.agents import AgentExecutor
from engine.machine.asking import structured
from engine.models import new_id
from engine.outcomes import Succeeded
from engine.ports import AGENT, Call
from flows.models import Agent

pytestmark = pytest.mark.usefixtures("seeded")


class Clock:
    def now(self):
        return datetime.now(UTC)


def ask(path, prompt, **question):
    call = Call(
        kind=AGENT,
        path=path,
        arguments={"prompt": prompt, **question},
        instance_id=new_id(),
        node_id="it",
        visit=1,
        visit_seq=1,
        attempt=1,
        idempotency_key="run:1",
        deadline_at=Clock().now() + timedelta(seconds=20),
    )
    result = AgentExecutor(Clock()).start(call)
    assert isinstance(result, Succeeded), result
    return result.output


def test_every_agent_is_set_up_as_the_admin_would_take_it():
    for path in AGENTS:
        Agent.objects.get(path=path).full_clean()


def test_the_reader_sums_up():
    text = ask("/agents/service-reader", "Sum up: The cup arrived BROKEN.")["response"]
    assert text == "The goods arrived damaged. The customer wants the money back."


@pytest.mark.parametrize(
    ("text", "earlier", "decision", "is_sure"),
    [
        ("It came broken", 0, "pay", True),
        ("It came broken", 4, "pay", False),
        ("It came damaged", None, "pay", True),
        ("I have worn it twice", 1, "refuse", True),
        ("Give me money", 0, "pay", False),
    ],
)
def test_the_clerk_decides_and_says_how_sure_it_is(text, earlier, decision, is_sure):
    task = {"data": {"text": text, "earlier_refunds": earlier}}
    answer = structured(ask("/agents/refund-clerk", "Refund?", context={"task": task}))
    assert (answer["decision"], answer["confidence"] >= 0.8) == (decision, is_sure)


def test_what_people_changed_stays():
    Agent.objects.filter(path="/agents/refund-clerk").update(model="large", script=[])
    seed()
    assert Agent.objects.get(path="/agents/refund-clerk").model == "large"
