"""Agents by rules, their tools and their limits: everything but the network."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from engine.executors import mocks
from engine.executors.dispatch import Dispatcher
from engine.models import Event
from engine.outcomes import Failed, Succeeded
from engine.ports import AGENT, COMPENSATION, FUNCTION
from flows import registry
from flows.models import Agent
from flows.registry import FunctionError, Registered
from tests.engine.executors.test_model_server import code_of
from tests.factories import InstanceFactory

LOOK = {"use": [{"tool": "/test/look", "arguments": {"n": 2}}]}
THEN = {"when": "results.length() > 0", "answer": "{{ results[0].n }}"}


@pytest.fixture
def tool(monkeypatch):
    """Install a function; gives the list of its calls."""

    def install(body, path="/test/look", **manifest):
        calls = []

        def function(arguments, ctx):
            calls.append((arguments, ctx.idempotency_key))
            return body(arguments)

        monkeypatch.setitem(registry._functions, path, Registered(path, function, manifest))
        return calls

    return install


def double(arguments):
    return {"n": arguments["n"] * 2}


def test_the_first_rule_that_fits_answers(ask, script):
    script(
        {"when": "context.n > 5", "answer": "many"},
        {"when": "prompt == 'how many'", "answer": "few: {{ context.n }}"},
        {"answer": "what?"},
    )
    assert ask("how many", context={"n": 9}).output["response"] == "many"
    assert ask("how many", context={"n": 1}).output["response"] == "few: 1"
    assert ask("hello", context={"n": 1}).output["response"] == "what?"


def test_an_answer_that_is_data_is_given_as_json(ask, script):
    script({"answer": {"decision": "pay", "confidence": 0.9}})
    output = ask().output
    assert json.loads(output["response"]) == {"decision": "pay", "confidence": 0.9}
    assert output["usage"] is None


def test_a_rule_may_fail_as_a_server_would(ask, script):
    script({"fail": {"message": "busy", "code": "overloaded", "status": 529, "retry_after": 3}})
    assert ask() == Failed("busy", "overloaded", 529, 3, raised=ask().raised)


def test_a_script_that_has_no_rule_or_a_faulty_one_says_so(ask, script):
    script({"when": "prompt == 'a'", "answer": "{{ 1 / 0 }}"})
    assert (code_of(ask("b")), code_of(ask("a"))) == ("no_rule", "script_fault")


def test_tools_are_used_until_there_is_an_answer(ask, script, tool):
    calls = tool(double)
    script(THEN, LOOK, tools=["/test/look"])
    output = ask().output
    assert (output["response"], output["iterations"], output["message_count"]) == ("4", 2, 4)
    assert [arguments for arguments, _ in calls] == [{"n": 2}]


def test_a_tools_key_is_the_same_for_the_same_call_in_another_attempt(ask, script, tool):
    calls = tool(double)
    script(
        {"when": "results.length() > 2", "answer": "done"},
        {"when": "results.length() > 1", "use": [{"tool": "/test/look", "arguments": {"n": 3}}]},
        LOOK,
        tools=["/test/look"],
    )
    ask()
    ask()
    keys = [key for _, key in calls]
    assert keys[:3] == keys[3:]
    assert len(set(keys)) == 3
    assert all(key.startswith("run:1:") for key in keys)


def test_the_use_of_a_tool_is_told_while_the_agent_works(ask, script, tool):
    tool(double)
    script(THEN, LOOK, tools=["/test/look"])
    run = InstanceFactory()
    ask(instance=run.pk)
    began, ended = Event.objects.filter(instance=run).order_by("number")
    assert (began.type, began.number, began.visit_seq) == ("tool_call_started", 1, 1)
    assert began.data == {"tool_call_id": "use-1-0", "function_name": "/test/look", "arguments": {"n": 2}}
    assert (ended.type, ended.data["result"]) == ("tool_call_completed", {"n": 4})
    run.refresh_from_db()
    assert run.event_count == 2


def test_a_tool_that_failed_is_told_as_failed(ask, script, tool):
    tool(refuse)
    script({"when": "results.length() > 0", "answer": "sorry"}, LOOK, tools=["/test/look"])
    run = InstanceFactory()
    ask(instance=run.pk)
    assert Event.objects.filter(instance=run).order_by("number").last().data["error"] == "sold out"


def refuse(arguments):
    raise FunctionError("sold out", code="sold_out")


def stumble(arguments):
    return 1 / 0


@pytest.mark.django_db(transaction=True)  # an exception out of a function may close the connection
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (refuse, "sold out"),
        (stumble, "error of its own"),
        (lambda _: "a" * 70_000, "70,002 bytes"),
        (lambda _: {1, 2}, "not JSON"),
    ],
    ids=["refuses", "stumbles", "too long", "no JSON"],
)
def test_what_goes_wrong_in_a_tool_is_told_to_the_model(ask, script, tool, body, told):
    tool(body)
    script({"when": "results.length() > 0", "answer": "{{ results[0].error }}"}, LOOK, tools=["/test/look"])
    assert told in ask().output["response"]


@pytest.mark.parametrize("path", ["/test/look", "/test/other"])
def test_a_tool_with_arguments_that_do_not_fit_or_that_is_none_is_not_called(ask, script, tool, path):
    calls = tool(double, input_schema={"required": ["m"]})
    use = {"use": [{"tool": path, "arguments": {"n": 2}}]}
    script({"when": "results.length() > 0", "answer": "{{ results[0].error }}"}, use, tools=["/test/look"])
    assert ("required" if path == "/test/look" else "no tool") in ask().output["response"]
    assert calls == []


def test_a_mocked_function_is_mocked_as_a_tool_too(script, tool, ask, monkeypatch):
    calls = tool(double)
    script(THEN, LOOK, tools=["/test/look"])
    monkeypatch.setattr(mocks, "_mock_for", lambda call: {"behavior": "mock_output", "mock_output": {"n": call.path}})
    assert ask().output["response"] == "/test/look"
    assert calls == []


def test_the_budget_of_model_calls_is_the_smaller_one(ask, script, tool):
    calls = tool(double)
    script(LOOK, tools=["/test/look"], max_model_calls=3)
    assert (code_of(ask(max_model_calls=8)), len(calls)) == ("max_model_calls", 2)
    assert code_of(ask(max_model_calls=1)) == "max_model_calls"
    assert len(calls) == 2


def test_at_its_limit_a_sequence_takes_the_last_answer(ask, script, tool):
    tool(double)
    script(LOOK, tools=["/test/look"])
    assert ask(max_model_calls=2, at_limit="answer").output["outcome"] == "partial"


def test_what_undoes_an_explicit_tool_goes_along(ask, script, tool):
    undone = {"function_ref": "/test/unlook", "input": {"n": "${output.n}"}}
    tool(double, effect="write", compensation=undone)
    script({"when": "results.isEmpty()", "use": [{"tool": "/test/look", "arguments": {"n": 2}}]}, tools=["/test/look"])
    assert ask(explicit="all").output["tool_calls"][0]["compensation"] == undone


@pytest.mark.parametrize("explicit", ["all", ["/test/look"]])
def test_explicit_tools_are_left_to_the_engine(ask, script, tool, explicit):
    calls, others = tool(double), tool(double, "/test/other")
    both = {"use": [*LOOK["use"], {"tool": "/test/other", "arguments": {"n": 5}}]}
    script(both, tools=["/test/look", "/test/other"])
    output = ask(explicit=explicit).output
    assert output["tool_calls"][0] == {"id": "use-1-0", "path": "/test/look", "arguments": {"n": 2}}
    assert len(output["tool_calls"]) == (2 if explicit == "all" else 1)
    assert (calls, len(others)) == ([], 0 if explicit == "all" else 1)
    assert output["messages"][0]["role"] == "assistant"


def test_a_run_goes_on_with_what_was_said_before(ask, script, tool):
    tool(double)
    script(THEN, LOOK, tools=["/test/look"])
    paused = ask(explicit="all").output
    told = {"role": "tool", "tool_call_id": paused["tool_calls"][0]["id"], "content": '{"n": 7}'}
    assert ask(explicit="all", messages=[*paused["messages"], told]).output["response"] == "7"


def test_a_script_says_more_than_its_response_where_it_wants(ask, script):
    script(
        {"when": "message == 'bill'", "answer": {"response": "", "handoff": "/agents/other"}},
        {"answer": {"response": "Bye, {{ message }}", "ended": True, "result": {"n": 1}}},
    )
    assert ask("", messages=[{"role": "user", "content": "bill"}], chat={}).output["handoff"] == "/agents/other"
    ended = ask("", messages=[{"role": "user", "content": "Ida"}], chat={}).output
    assert (ended["response"], ended["ended"], ended["result"]) == ("Bye, Ida", True, {"n": 1})


def test_an_agent_that_is_missing_or_switched_off_is_a_failed_attempt(ask, script):
    assert code_of(ask()) == "agent_not_found"
    script({"answer": "hi"})
    Agent.objects.update(enabled=False)
    assert code_of(ask()) == "agent_not_found"


def test_an_answer_larger_than_can_be_kept_is_none(ask, script, settings):
    settings.SULTANA_OUTPUT_LIMIT = 100
    script({"answer": "a" * 200})
    assert code_of(ask()) == "invalid_output"


@pytest.mark.parametrize(
    ("kind", "path", "by"),
    [
        (AGENT, "/agents/it", "agents"),
        (FUNCTION, "/test/look", "functions"),
        (COMPENSATION, "/test/look", "functions"),
        (FUNCTION, "/test/elsewhere", "http"),
    ],
)
def test_each_call_goes_where_its_kind_belongs(kind, path, by, tool, db):
    tool(double)

    class Named:
        def __init__(self, name):
            self.name = name

        def start(self, call):
            return Succeeded(self.name)

    call: Any = SimpleNamespace(kind=kind, path=path)
    parts = Dispatcher(functions=Named("functions"), http=Named("http"), agents=Named("agents"))
    assert parts.start(call) == Succeeded(by)
