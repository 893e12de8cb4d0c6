"""Agents that work with tools (reference/flow-format.md, section 6, ``ai_sequence``)."""

import pytest

from engine.models import Compensation
from engine.states import AttemptResult
from tests.engine.machine.scene import container, step

DONE = {"return": {"response": "Done.", "iterations": 1, "message_count": 4}}
LOOK = {"id": "c1", "path": "/lib/look", "arguments": {"n": 2}}
SAID = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1"}]}


def wants(*calls, **more):
    return {"return": {"response": "Let me see.", "tool_calls": list(calls), "messages": [SAID], **more}}


@pytest.fixture
def work(begin):
    """Let the helper work with these answers; ``look`` is what its tool answers, other keywords are ``ai_config``."""

    def start(*answers, look=({"return": {"n": 4}},), prompt="Help {{ input.who }}", keys=None, **config):
        helper = container(
            "helper", "ai_sequence", prompt=prompt, ai_config={"agent_ref": "/agents/helper", **config}, **(keys or {})
        )
        functions = {"/lib/look": list(look), "/lib/other": [{"return": {}}]}
        return begin(helper, agents={"/agents/helper": list(answers)}, functions=functions, input={"who": "Ida"})

    return start


def test_in_the_mode_auto_the_whole_work_is_one_call(work):
    run = work(DONE)
    assert run.steps["helper"] == {"response": "Done.", "iterations": 1, "message_count": 4}
    assert run.asked() == {"prompt": "Help Ida", "max_model_calls": 10, "at_limit": "answer"}


def test_limits_go_along(work):
    run = work({**DONE, "takes": "5s"}, max_iterations=3, timeout_ms=2000, total_timeout_ms=60_000)
    assert (run.asked()["max_model_calls"], run.asked()["answer_ms"]) == (3, 2000)
    assert run.seen.wait() == {"kind": "agent", "step": "helper", "due_in": "1m"}


def test_explicit_tools_are_calls_of_their_own(work):
    run = work(wants(LOOK), DONE, tool_mode="explicit")
    assert run.calls == ["/agents/helper", "/lib/look", "/agents/helper"]
    assert run.asked(0)["explicit"] == "all"
    assert run.asked(1) == {"n": 2}
    assert run.asked(2)["messages"] == [SAID, {"role": "tool", "tool_call_id": "c1", "content": '{"n":4}'}]
    assert [each.path for each in run.attempts("helper")] == run.calls


def test_a_model_is_asked_to_think_where_the_flow_says_so(work):
    assert work(DONE, thinking_enabled=True).asked()["thinking"] is True
    assert "thinking" not in work(DONE, thinking_enabled=False).asked()


UNDO = {"function_ref": "/lib/other", "input": {"found": "${output.n}"}, "missing_ok": True}


def test_what_undoes_a_tool_is_registered_with_its_success(work):
    run = work(wants({**LOOK, "compensation": UNDO}), DONE, tool_mode="explicit")
    (registered,) = Compensation.objects.filter(instance=run.instance)
    assert (registered.path, registered.input, registered.missing_ok) == ("/lib/other", {"found": 4}, True)


def test_a_tool_without_a_mapping_is_undone_with_its_own_arguments(work):
    run = work(wants({**LOOK, "compensation": {"function_ref": "/lib/other"}}), DONE, tool_mode="explicit")
    assert Compensation.objects.get(instance=run.instance).input == {"n": 2}


def test_a_tool_that_failed_is_not_undone(work):
    calls = wants({**LOOK, "compensation": UNDO})
    run = work(calls, DONE, look=[{"fail": "no"}], tool_mode="explicit")
    assert not Compensation.objects.filter(instance=run.instance).exists()


def test_tools_are_undone_newest_first_when_the_sequence_fails_after_them(work):
    calls = wants({**LOOK, "compensation": UNDO}, {**LOOK, "id": "c2", "compensation": UNDO})
    failed = {"fail": {"message": "no more", "code": "quota"}}
    found = [{"return": {"n": 1}}, {"return": {"n": 2}}]
    run = work(calls, failed, look=found, tool_mode="explicit", keys={"retry": {"max_retries": 0}})
    assert run.status == "rolled_back"
    assert [run.asked(number) for number in (4, 5)] == [{"found": 2}, {"found": 1}]


def test_each_call_has_a_key_of_its_own(work):
    run = work(wants(LOOK, {**LOOK, "id": "c2"}), DONE, tool_mode="explicit")
    keys = [each.idempotency_key for each in run.attempts("helper")]
    assert len(set(keys)) == 4


def test_in_the_mode_hybrid_only_some_tools_are(work):
    run = work(DONE, tool_mode="hybrid", explicit_tools=["/lib/look", {"raisin:ref": "/lib/other"}])
    assert run.asked()["explicit"] == ["/lib/look", "/lib/other"]


def test_tool_calls_are_told_as_events(work):
    run = work(wants(LOOK), DONE, tool_mode="explicit")
    (began,), (ended,) = run.events("tool_call_started"), run.events("tool_call_completed")
    assert began.data == {"tool_call_id": "c1", "function_name": "/lib/look", "arguments": {"n": 2}}
    assert (ended.data["result"], ended.data["duration_ms"]) == ({"n": 4}, 0)
    assert len(run.events("step_completed")) == 1


@pytest.mark.parametrize(
    ("answer", "told", "result"),
    [
        ({"fail": {"message": "sold out", "code": "sold_out"}}, "sold_out", AttemptResult.FAILED),
        ({"unknown": "the line broke"}, "may have taken effect", AttemptResult.UNKNOWN),
        ({"raise": "ValueError"}, "error of its own", AttemptResult.FAILED),
    ],
)
def test_what_goes_wrong_in_a_tool_is_told_to_the_agent_and_never_repeated(work, answer, told, result):
    run = work(wants(LOOK), DONE, look=[answer], tool_mode="explicit")
    assert (run.status, run.calls.count("/lib/look")) == ("completed", 1)
    assert told in run.asked()["messages"][-1]["content"]
    assert run.attempts("helper")[1].result == result


def test_a_death_in_a_tool_is_told_and_the_tool_not_called_again(work):
    run = work(wants(LOOK), DONE, look=[{"crash": True}], tool_mode="explicit")
    run.advance("15m")
    assert run.calls == ["/agents/helper", "/lib/look", "/agents/helper"]
    assert "worker was lost" in run.asked()["messages"][-1]["content"]


def test_a_death_in_the_agents_call_repeats_that_call_alone(work):
    run = work(wants(LOOK), {"crash": True}, DONE, tool_mode="explicit")
    run.advance("15m")
    assert run.calls == ["/agents/helper", "/lib/look", "/agents/helper", "/agents/helper"]
    assert run.steps["helper"]["response"] == "Done."


def test_a_wish_with_bad_arguments_is_not_carried_out(work):
    run = work(wants({**LOOK, "error": "The arguments are not JSON"}), DONE, tool_mode="explicit")
    assert "/lib/look" not in run.calls
    assert "not JSON" in run.asked()["messages"][-1]["content"]


def test_at_the_limit_of_iterations_the_last_answer_counts(work):
    run = work(wants(LOOK), tool_mode="explicit", max_iterations=2)
    assert run.calls == ["/agents/helper", "/lib/look"] * 2
    assert run.steps["helper"] == {"response": "Let me see.", "iterations": 2, "message_count": 2}
    assert run.asked(2)["max_model_calls"] == 1


def test_the_time_for_the_whole_sequence_ends_it(work):
    slow = {**wants(LOOK), "takes": "8s"}
    run = work(slow, tool_mode="explicit", total_timeout_ms=20_000)
    run.advance("8s")
    run.advance("8s")
    assert run.seen.wait()["due_in"] == "4s"
    run.advance("4s")
    assert (run.status, run.error["error_type"]) == ("failed", "timeout")


def test_a_shape_is_asked_for_and_checked(work):
    schema = {"type": "object", "required": ["n"]}
    run = work({"return": {"response": '{"n": 1}'}}, output_schema=schema)
    assert (run.asked()["response_format"], run.steps["helper"]["structured_output"]) == (schema, {"n": 1})
    run = work({"return": {"response": "none"}}, output_schema=schema, keys={"retry": {"max_retries": 0}})
    assert run.error["code"] == "invalid_output"


def test_on_error_retry_tries_as_often_and_as_late_as_it_says(work):
    run = work({"fail": "busy"}, on_error="retry", max_retries=2, retry_delay_ms=3000)
    for _ in range(2):
        assert run.seen.wait()["due_in"] == "3s"
        run.advance("3s")
    assert (run.status, len(run.calls)) == ("failed", 3)


def test_on_error_continue_leads_past_the_sequence(work):
    run = work({"fail": "busy"}, on_error="continue", keys={"retry": {"max_retries": 0}})
    assert (run.status, run.outcomes["helper"]) == ("completed", "failed")


def test_retries_count_anew_behind_each_call(work):
    keys = {"retry": {"max_retries": 1, "base_delay_ms": 1000}}
    run = work({"fail": "busy"}, wants(LOOK), {"fail": "busy"}, DONE, tool_mode="explicit", keys=keys)
    run.advance("1s")
    run.advance("1s")
    assert run.status == "completed"


def test_an_old_step_with_an_agent_and_no_kind_is_a_sequence(begin):
    run = begin(step("helper", agent_ref="/agents/helper", prompt="Go"), agents={"/agents/helper": [DONE]})
    assert run.steps["helper"]["response"] == "Done."


def test_a_sequence_goes_on_from_a_chat(begin):
    talk = step("talk", step_type="chat", chat_config={"agent_ref": "/agents/host", "max_turns": 1})
    config = {"agent_ref": "$auto", "conversation_ref": "${steps.talk.conversation_path}"}
    agents = {"/agents/host": [{"return": {"response": "Noted."}}, DONE]}
    run = begin(
        talk, container("helper", "ai_sequence", ai_config=config), agents=agents, input={"message": "It rains"}
    )
    assert run.calls == ["/agents/host"] * 2
    assert [each["content"] for each in run.asked()["messages"]] == ["It rains", "Noted."]


def test_auto_without_a_chat_names_no_agent(begin):
    config = {"agent_ref": "$auto"}
    run = begin(container("helper", "ai_sequence", ai_config=config, retry={"max_retries": 0}), agents={})
    assert run.error["code"] == "missing_agent_ref"


def test_a_cancelled_sequence_makes_no_further_call(work):
    run = work({**wants(LOOK), "takes": "5s"}, DONE, tool_mode="explicit")
    run.do("cancel")
    run.advance("5s")
    assert (run.status, run.calls) == ("cancelled", ["/agents/helper"])


@pytest.mark.parametrize(
    "answer", [None, "text", 5, {"tool_calls": 5, "usage": "much", "iterations": "x", "outcome": []}]
)
def test_a_mocked_answer_may_be_anything(work, answer):
    assert work({"return": answer}).status == "completed"
