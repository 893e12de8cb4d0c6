"""Models behind a server that speaks OpenAI's protocol: a real one, which may speak it badly."""

import logging
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from engine.outcomes import Failed, Succeeded, TimedOut
from tests.engine.executors.model_server import (
    drips,
    floods,
    hangs,
    part,
    refuses,
    says,
    sends,
    uses,
    writes,
)

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    return {"key": "env:TEST_API_KEY"}


def code_of(result):
    assert isinstance(result, Failed), result
    return result.code


def test_an_answer_is_put_together_out_of_its_parts(ask, model):
    model(says("Good ", "morning", ".", tokens=(21, 4)))
    result = ask()
    assert isinstance(result, Succeeded)
    assert (result.output["response"], result.output["outcome"]) == ("Good morning.", "succeeded")
    assert result.output["usage"] == {"input_tokens": 21, "output_tokens": 4}


def test_the_server_is_told_what_the_agent_is_and_what_is_asked(ask, model, key):
    server = model(says("ok"), system_prompt="Be kind.", temperature=0.2, max_output_tokens=50, **key)
    ask("Sum up", context={"input": {"n": 1}})
    request, body = server.requests[0], server.requests[0]["body"]
    assert (request["path"], request["headers"]["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (body["model"], body["temperature"], body["max_tokens"], body["stream"]) == ("small", 0.2, 50, True)
    assert body["messages"][0] == {"role": "system", "content": "Be kind."}
    assert body["messages"][1]["content"].startswith("Sum up\n\n# Workflow context\n\n```json\n{")


def test_a_model_thinks_only_where_it_is_asked_to(ask, model):
    server = model(says("ok"), says("ok"))
    ask("Sum up", thinking=True)
    ask("Sum up")
    assert server.requests[0]["body"]["reasoning_effort"] == "medium"
    assert "reasoning_effort" not in server.requests[1]["body"]


def test_a_server_without_keys_gets_none_of_ours(ask, model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    server = model(says("ok"))
    ask()
    assert "secret" not in str(server.requests[0]["headers"])


def test_a_shape_is_asked_for_in_words_and_as_a_schema(ask, model):
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    server = model(says('{"n": 1}'))
    ask(response_format=schema)
    body = server.requests[0]["body"]
    assert body["response_format"]["json_schema"]["schema"] == schema
    assert '"n"' in body["messages"][0]["content"]


def test_the_agents_own_shape_holds_where_none_is_asked_for(ask, model):
    model(says('{"n": 1}'), says('{"n": "one"}'), output_schema={"properties": {"n": {"type": "number"}}})
    assert ask().output["structured_output"] == {"n": 1}
    assert code_of(ask()) == "invalid_output"


def test_an_answer_that_met_the_limit_of_tokens_is_partial(ask, model):
    model(says("So far", finish="length"))
    assert ask().output["outcome"] == "partial"


def test_a_refusal_is_a_blocked_answer(ask, model):
    model(sends(part(refusal="I would rather not."), part("stop"), "[DONE]"), says(finish="content_filter"))
    assert (ask().output["response"], ask().output["outcome"]) == ("I would rather not.", "blocked")


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_not_asked_again_here_but_its_wish_is_passed_on(ask, model, status):
    server = model(refuses(status, {"error": {"message": "busy", "code": "overloaded"}}, Retry_After="17"))
    result = ask()
    assert (result.status, result.code, result.retry_after) == (status, "overloaded", 17.0)
    assert len(server.requests) == 1


def test_a_wish_may_be_a_date_or_milliseconds(ask, model):
    soon = format_datetime(datetime(2026, 7, 10, 12, 5, tzinfo=UTC), usegmt=True)
    model(
        refuses(429, retry_after=soon),
        refuses(429, retry_after_ms="1500", retry_after="9"),
        refuses(429, retry_after="soon"),
    )
    assert ask().retry_after == "2026-07-10T12:05:00Z"
    assert ask().retry_after == 1.5
    assert ask().retry_after is None


@pytest.mark.parametrize(
    "body", ["", "no", "<html>Bad Gateway</html>", "[1]", '{"error": "no"}', '{"error": {"code": 7}}']
)
def test_a_refusal_may_say_anything(ask, model, body):
    model(refuses(502, body or " "))
    assert (ask().status, "502" in ask().message) == (502, True)


@pytest.mark.parametrize(
    "answer",
    [
        writes("{ this is not a stream"),
        writes("data: {not json}\n\n"),
        writes("<html>hello</html>", Content_Type="text/html"),
        writes('{"choices": [{"message": {"content": "hi"}}]}', Content_Type="application/json"),
        writes(b"\xff\xfe\x00data: \xff\n\n"),
        sends(5, "[DONE]"),
        sends([], "[DONE]"),
        sends({"choices": 5}, "[DONE]"),
        sends({"choices": [5]}, "[DONE]"),
        sends({"choices": [{"delta": 5, "finish_reason": "stop"}]}, "[DONE]"),
        sends({"choices": [{"delta": {"content": {"a": 1}}, "finish_reason": "stop"}]}, "[DONE]"),
        sends({"choices": [{"delta": {"tool_calls": [{"function": 5}]}, "finish_reason": "stop"}]}, "[DONE]"),
        sends({"choices": [{"index": 0, "delta": {}, "finish_reason": ["stop"]}]}, "[DONE]"),
        sends({"usage": {"prompt_tokens": "many"}, "choices": []}, "[DONE]"),
        sends({"error": {"message": "the model fell over"}}),
        sends({"choices": "[" * 2000}, "[DONE]"),
        writes(""),
    ],
)
def test_what_is_not_the_protocol_fails_in_words(ask, model, answer):
    model(answer)
    result = ask()
    assert code_of(result) in ("malformed_answer", "cut_off", "model_error"), result
    assert result.traceback == ""


@pytest.mark.parametrize(
    "parts", [[part(content="Half an ans")], [part(content="a"), "[DONE]"]], ids=["torn", "no end"]
)
def test_an_answer_that_breaks_off_is_none(ask, model, parts):
    model(sends(*parts))
    assert code_of(ask()) == "cut_off"


def test_a_body_shorter_than_it_was_said_to_be_is_a_broken_connection(ask, model):
    model(writes("data: {", Content_Length="5000"))
    assert code_of(ask()) == "connection_failed"


def test_a_server_that_says_nothing_costs_the_agents_own_time(ask, model):
    model(hangs(headers=False), hangs(part(content="a")), answer_seconds=0.3)
    assert code_of(ask()) == "timeout"
    assert code_of(ask()) == "timeout"


def test_a_slow_answer_costs_no_more_than_the_agents_time(ask, model):
    model(drips(0.05), answer_seconds=0.4)
    assert code_of(ask()) == "timeout"


@pytest.mark.django_db(transaction=True)  # the interruption closes the connection
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_deadline_of_the_call_interrupts_a_slow_answer(ask, model):
    """A deadline that strikes while Python finalizes something is swallowed there, and strikes again."""
    model(drips(0.05))
    assert isinstance(ask(seconds=0.5), TimedOut)


def test_nobody_at_the_address_is_a_failed_attempt(ask, model):
    server = model(says("ok"))
    server.shutdown()
    server.server_close()
    assert code_of(ask()) == "connection_failed"


@pytest.mark.parametrize(
    "piece",
    [
        f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{"a" * 5000}"}}}}]}}\n\n',
        "data: " + "a" * 5000,
        ": hello\n" * 900,
    ],
    ids=["answer", "line", "comments"],
)
def test_an_endless_answer_is_cut_off(ask, model, settings, piece):
    settings.SULTANA_OUTPUT_LIMIT = 20_000
    model(floods(piece))
    assert code_of(ask()) == "answer_too_long"


def test_an_endless_refusal_is_cut_off(ask, model, settings):
    settings.SULTANA_OUTPUT_LIMIT = 20_000

    def answer(handler):
        handler.begin(500)
        while not handler.server.gone.is_set():
            handler.write("no" * 5000)

    model(answer)
    assert isinstance(ask(), Failed)


def test_a_key_is_nowhere_but_in_the_request(ask, model, key, caplog):
    caplog.set_level(logging.DEBUG)
    model(refuses(401, {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}), **key)
    result = ask()
    assert (result.status, result.code) == (401, "invalid_api_key")
    assert "***" in result.message
    assert KEY not in repr(result) + caplog.text


@pytest.mark.parametrize("reference", ["env:MISSING_API_KEY", "secret:missing"])
def test_a_key_that_cannot_be_had_is_named(ask, model, reference):
    server = model(says("ok"), key=reference)
    result = ask()
    assert (result.code, server.requests) == ("missing_key", [])
    assert reference.split(":")[1] in result.message


def test_the_agent_of_a_chat_ends_it_or_hands_it_over(ask, model):
    ends, hands = ("end_conversation", '{"result": {"n": 1}}'), ("hand_over", '{"agent": "/agents/other"}')
    chat = {"may_end": True, "result_schema": {"type": "object"}, "handoff": [{"agent": "/agents/other"}]}
    server = model(uses(ends, text="Bye."), uses(hands))
    output = ask("", messages=[{"role": "user", "content": "bye"}], chat=chat).output
    assert (output["response"], output["ended"], output["result"]) == ("Bye.", True, {"n": 1})
    assert ask("", chat=chat).output["handoff"] == "/agents/other"
    end, hand = (tool["function"] for tool in server.requests[0]["body"]["tools"])
    assert end["parameters"]["properties"]["result"] == {"type": "object"}
    assert hand["parameters"]["properties"]["agent"] == {"enum": ["/agents/other"]}


def test_tools_are_offered_under_names_the_protocol_allows(ask, model):
    server = model(says("ok"), tools=["/service/history", "/nothing/there"])
    ask()
    (tool,) = server.requests[0]["body"]["tools"]
    assert (tool["type"], tool["function"]["name"]) == ("function", "service_history")
    assert tool["function"]["parameters"]["type"] == "object"


def test_a_tool_is_used_and_its_result_told(ask, model):
    server = model(uses(("service_history", '{"customer": "uma"}')), says("Four refunds."), tools=["/service/history"])
    output = ask().output
    asked, told = server.requests[1]["body"]["messages"][-2:]
    assert asked["tool_calls"][0]["function"] == {"name": "service_history", "arguments": '{"customer": "uma"}'}
    assert (told["role"], told["tool_call_id"]) == ("tool", "call-0")
    assert (output["response"], output["iterations"]) == ("Four refunds.", 2)
