"""AI agent steps: what they ask, and what becomes of the answer (reference/flow-format.md, section 5)."""

import pytest

from engine.states import AttemptResult
from tests.engine.machine.scene import agent, function

NO_RETRY = {"retry_strategy": "none"}


def answers(*found):
    return {"/agents/reader": list(found)}


def reader(**properties):
    return agent("reader", **properties)


def test_a_prompt_is_sent_with_its_templates_resolved(begin):
    run = begin(reader(prompt="About {{ input.n }}"), agents=answers({"return": {"response": "x"}}), input={"n": 3})
    assert run.asked()["prompt"] == "About 3"


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ({"node": {"properties": {"content": "a page"}}, "message": "hello"}, "a page"),
        ({"message": "hello", "input": "other"}, "hello"),
        ({"node": None, "input": "other"}, "other"),
    ],
)
def test_without_a_prompt_the_input_is_asked(begin, value, asked):
    run = begin(reader(prompt=None), agents=answers({"return": {"response": "x"}}), input=value)
    assert run.asked()["prompt"] == asked


def test_a_step_that_asks_nothing_fails_without_a_retry(begin):
    run = begin(reader(prompt=None), agents=answers({"return": {"response": "x"}}))
    assert (run.status, run.error["error_type"], run.calls) == ("failed", "evaluation", [])
    assert "give it a prompt" in run.error["message"]


def test_an_answer_becomes_the_output_with_all_that_is_known_of_the_run(begin):
    usage = {"input_tokens": 7, "output_tokens": 2}
    run = begin(reader(), agents=answers({"return": {"response": "blue", "usage": usage}}))
    output = run.steps["reader"]
    assert output["agent_run_id"] == f"{run.id}:1:1"
    assert (output["response"], output["outcome"], output["usage"]) == ("blue", "succeeded", usage)
    assert run.events("step_completed")[0].data["usage"] == usage


@pytest.mark.parametrize("outcome", ["failed", "stopped"])
def test_a_run_of_the_agent_that_ended_badly_fails_the_step(begin, outcome):
    run = begin(reader(**NO_RETRY), agents=answers({"return": {"response": "", "outcome": outcome}}))
    assert (run.status, run.error["code"]) == ("failed", f"agent_{outcome}")


def test_a_partial_answer_is_an_answer(begin):
    run = begin(reader(), agents=answers({"return": {"response": "half", "outcome": "partial"}}))
    assert (run.status, run.steps["reader"]["outcome"]) == ("completed", "partial")


def test_the_context_goes_along_as_far_as_it_is_wanted(begin):
    some = answers({"return": {"response": "x"}})
    first = function("first")
    run = begin(first, reader(include_context="full"), agents=some, functions={"/lib/first": [{"return": {"n": 1}}]})
    assert run.asked()["context"]["steps"] == {"first": {"n": 1}}
    assert run.asked()["context"]["variables"] == {"n": 1}
    run = begin(reader(include_context="input"), agents=some, input={"a": 1})
    assert run.asked()["context"] == {"input": {"a": 1}}


@pytest.mark.parametrize(
    "text", ['{"n": 4}', '```json\n{"n": 4}\n```', '\n```\n{"n": 4}\n```\n'], ids=["plain", "fenced", "bare fence"]
)
def test_a_structured_answer_is_parsed(begin, text):
    schema = {"type": "object", "required": ["n"]}
    run = begin(reader(response_format=schema), agents=answers({"return": {"response": text}}))
    assert run.steps["reader"]["structured_output"] == {"n": 4}
    assert run.asked()["response_format"] == schema


@pytest.mark.parametrize(
    "text",
    ['{"n": 4', "I think it is 4", '{"n": "four"}', "[4]", '{"n": NaN}', "", "[" * 100_000],
    ids=["cut off", "prose", "wrong type", "list", "NaN", "empty", "endless"],
)
def test_an_answer_that_is_not_what_was_asked_for_fails_the_attempt(begin, text):
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    run = begin(reader(response_format=schema, **NO_RETRY), agents=answers({"return": {"response": text}}))
    assert (run.status, run.error["error_type"], run.error["code"]) == ("failed", "validation", "invalid_output")


@pytest.mark.parametrize("wanted", ["json_object", {"type": "json_object"}])
def test_json_object_takes_any_object(begin, wanted):
    run = begin(reader(response_format=wanted), agents=answers({"return": {"response": '{"any": []}'}}))
    assert run.steps["reader"]["structured_output"] == {"any": []}


@pytest.mark.parametrize(("limits", "calls"), [({}, 8), ({"max_model_calls": 3}, 3), ({"max_tool_iterations": 4}, 5)])
def test_the_budget_of_model_calls_goes_along(begin, limits, calls):
    run = begin(reader(**limits), agents=answers({"return": {"response": "x"}}))
    assert run.asked()["max_model_calls"] == calls


def test_a_retry_after_makes_the_delay_longer(begin):
    fail = {"fail": {"message": "slow down", "status": 429, "retry_after": 45}}
    run = begin(reader(), agents=answers(fail, {"return": {"response": "x"}}))
    run.advance("44s")
    assert run.instance.wait_kind == "retry"
    run.advance("1s")
    assert (run.status, run.calls) == ("completed", ["/agents/reader"] * 2)


def test_an_answer_that_does_not_come_in_time_is_not_asked_for_again(begin):
    run = begin(reader(timeout_ms=5000), agents=answers({"hang": True}))
    assert (run.instance.wait_kind, run.instance.node_id) == ("agent", "reader")
    run.advance("5s")
    assert (run.status, run.error["error_type"], run.calls) == ("failed", "timeout", ["/agents/reader"])


def test_an_answer_that_takes_its_time_is_taken(begin):
    run = begin(reader(), agents=answers({"return": {"response": "late"}, "takes": "3s"}))
    run.advance("3s")
    assert run.steps["reader"]["response"] == "late"


def test_a_death_in_the_call_costs_an_attempt(begin):
    run = begin(reader(), agents=answers({"crash": True}, {"return": {"response": "x"}}))
    run.advance("15m")
    assert run.status == "completed"
    assert [each.result for each in run.attempts("reader")] == [AttemptResult.WORKER_LOST, AttemptResult.SUCCEEDED]


def test_a_step_without_an_agent_fails_in_words(begin):
    run = begin(reader(agent_ref={"raisin:ref": "/agents/nobody"}, **NO_RETRY))
    assert run.status == "failed"
    assert "/agents/nobody" in run.error["message"]


@pytest.mark.parametrize(
    "schema",
    [{"type": "strin"}, {"$ref": "#/$defs/none"}, {"$ref": "#"}, {"pattern": "("}],
    ids=["unknown type", "to nowhere", "to itself", "no pattern"],
)
def test_a_schema_that_is_none_fails_the_attempt_in_words(begin, schema):
    run = begin(reader(response_format=schema, **NO_RETRY), agents=answers({"return": {"response": '"a"'}}))
    assert (run.status, run.error["code"]) == ("failed", "invalid_output")
    assert "schema" in run.error["message"]
