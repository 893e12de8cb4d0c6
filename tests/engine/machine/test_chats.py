"""Chat steps: turns, ends, hand-overs, results, approval (reference/flow-format.md, section 5)."""

import pytest

from engine import commands
from engine.errors import Conflict, InvalidInput
from engine.states import AttemptResult, TaskStatus
from tests.engine.machine.scene import step

HELLO = {"return": {"response": "Hello."}}
BILLS = {"agent_ref": "/agents/bills", "description": "Knows bills"}


@pytest.fixture
def talk(begin):
    """Begin a chat with the host's answers; keywords are ``chat_config``. ``say`` then says something."""

    def start(*answers, bills=(HELLO,), properties=None, input=None, groups=None, **config):
        chat = step("talk", step_type="chat", chat_config={"agent_ref": "/agents/host", **config}, **(properties or {}))
        agents = {"/agents/host": list(answers) or [HELLO], "/agents/bills": list(bills)}
        return begin(chat, agents=agents, input=input or {}, groups=groups)

    return start


def say(run, *messages):
    for message in messages:
        run.do("resume", step="talk", data={"message": message})
    return run


def output(run):
    return run.steps["talk"]


def test_a_chat_waits_for_its_first_message(talk):
    run = talk()
    assert (run.seen.wait(), run.calls) == ({"kind": "chat", "step": "talk", "due_in": None}, [])


def test_the_first_message_may_come_with_the_input(talk):
    run = talk(input={"message": "It rains"})
    assert run.asked()["messages"] == [{"role": "user", "content": "It rains"}]
    assert run.events("flow_waiting")[-1].data["message"] == "Hello."


def test_each_turn_sends_all_that_was_said(talk):
    run = say(talk(HELLO, {"return": {"response": "Where?"}}, system_prompt="Be kind."), "It rains", "In here")
    assert [each["content"] for each in run.asked()["messages"]] == ["It rains", "Hello.", "In here"]
    assert (run.asked()["system"], run.asked()["prompt"]) == ("Be kind.", "")


def test_a_turn_is_an_attempt(talk):
    run = say(talk(max_turns=2), "a", "b")
    assert [each.result for each in run.attempts("talk")] == [AttemptResult.SUCCEEDED] * 2
    assert [len(run.events(kind)) for kind in ("step_started", "step_completed", "message_saved")] == [1, 1, 4]


def test_the_output_says_how_it_ended(talk):
    run = say(talk(max_turns=1), "a")
    assert output(run) == {
        "result": None,
        "session_id": f"{run.id}:1",
        "turn_count": 1,
        "completion_reason": "max_turns_reached",
        "conversation_path": f"/conversations/{run.id}/talk-it1",
    }


@pytest.mark.parametrize("word", ["bye", " Bye! ", "BYE."])
def test_a_key_word_ends_the_chat_without_asking_the_agent(talk, word):
    run = say(talk(termination={"termination_phrases": ["Bye"]}), word)
    assert (output(run)["completion_reason"], output(run)["turn_count"], run.calls) == ("user_terminated", 0, [])


def test_a_key_word_within_a_sentence_is_no_key_word(talk):
    run = say(talk(termination={"end_keywords": ["bye"]}), "I will not say bye yet")
    assert run.status == "waiting"


@pytest.mark.parametrize(
    ("termination", "ends"),
    [
        ({}, True),
        ({"allow_ai_end": False}, False),
        ({"modes": ["user_request"]}, False),
        ({"modes": ["ai_decision"]}, True),
    ],
)
def test_the_agent_may_end_the_chat_where_it_is_allowed(talk, termination, ends):
    run = say(talk({"return": {"response": "Bye.", "ended": True}}, termination=termination), "thanks")
    assert run.asked()["chat"]["may_end"] is ends
    assert run.status == ("completed" if ends else "waiting")
    if ends:
        assert output(run)["completion_reason"] == "ai_terminated"


def test_the_result_of_a_chat_is_its_output(talk):
    schema = {"type": "object", "required": ["place"]}
    ended = {"return": {"response": "Bye.", "ended": True, "result": {"place": "roof"}}}
    run = say(talk(HELLO, ended, output_schema=schema), "It rains", "From the roof")
    assert run.asked()["chat"]["result_schema"] == schema
    assert output(run)["result"] == {"place": "roof"}


def test_a_result_that_does_not_fit_fails_the_turn_and_can_be_tried_again(talk):
    bad, good = ({"return": {"response": "", "ended": True, "result": found}} for found in (5, {"n": 1}))
    retry = {"retry": {"max_retries": 1, "base_delay_ms": 1000}}
    run = say(talk(bad, good, output_schema={"type": "object"}, properties=retry), "hi")
    assert run.instance.wait_kind == "retry"
    run.advance("1s")
    assert output(run)["result"] == {"n": 1}
    assert output(run)["turn_count"] == 1


def test_what_the_user_says_may_call_another_agent_in(talk):
    phrases = {**BILLS, "trigger_phrases": ["my BILL"]}
    run = say(talk(handoff_targets=[phrases]), "hello", "about my bill, please", "thanks")
    assert run.calls == ["/agents/host", "/agents/bills", "/agents/bills"]


@pytest.mark.parametrize("name", ["condition", "trigger_condition"])
def test_a_condition_may_call_another_agent_in(talk, name):
    target = {**BILLS, name: "message.contains('euro') && input.vip"}
    run = say(talk(handoff_targets=[target], input={"vip": True}), "hello", "five euro")
    assert run.calls == ["/agents/host", "/agents/bills"]


def test_a_condition_at_fault_fails_the_step(talk):
    run = say(talk(handoff_targets=[{**BILLS, "condition": "1 / 0"}]), "hello")
    assert (run.status, run.error["error_type"]) == ("failed", "evaluation")


def test_the_agent_may_hand_over_and_the_other_answers_at_once(talk):
    run = say(
        talk({"return": {"response": "One moment.", "handoff": "/agents/bills"}}, handoff_targets=[BILLS]), "hello"
    )
    assert run.calls == ["/agents/host", "/agents/bills"]
    assert run.asked(0)["chat"]["handoff"] == [{"agent": "/agents/bills", "description": "Knows bills"}]
    assert [each["content"] for each in run.asked()["messages"]] == ["hello", "One moment."]
    assert run.status == "waiting"


def test_two_agents_that_point_at_each_other_end_with_the_turn(talk):
    back = {"return": {"response": "", "handoff": "/agents/host"}}
    there = {"return": {"response": "", "handoff": "/agents/bills"}}
    run = say(talk(there, bills=[back], handoff_targets=[BILLS, {"agent_ref": "/agents/host"}]), "hello")
    assert run.calls == ["/agents/host", "/agents/bills"]
    assert run.asked()["chat"]["handoff"] == []


@pytest.mark.parametrize("target", ["/agents/stranger", ["/agents/bills"], None])
def test_nobody_is_handed_over_to_whom_the_chat_does_not_name(talk, target):
    run = say(talk({"return": {"response": "x", "handoff": target}}, handoff_targets=[BILLS]), "hello")
    assert (run.calls, run.status) == (["/agents/host"], "waiting")


def test_a_user_who_says_nothing_more_lets_the_wait_pass(talk):
    run = say(talk(termination={"inactivity_timeout_ms": 60_000}), "hello")
    run.advance("1m")
    assert (run.status, run.error["error_type"]) == ("failed", "timeout")


def test_a_session_lasts_no_longer_than_it_may(talk):
    run = talk(session_timeout_ms=100_000, termination={"inactivity_timeout_ms": 60_000})
    run.advance("50s")
    say(run, "hello")
    assert run.seen.wait()["due_in"] == "50s"


def test_a_failing_agent_fails_the_chat(talk):
    run = say(talk({"fail": "quota"}), "hello")
    assert (run.status, run.error["message"]) == ("failed", "quota")


def test_what_came_of_a_chat_can_need_approval(talk):
    ended = {"return": {"response": "Bye.", "ended": True, "result": {"n": 1}}}
    approval = {"enabled": True, "assignee": "/users/{{ input.boss }}", "due_in_seconds": 60}
    run = say(talk(ended, approval=approval, input={"boss": "ana"}), "hello")
    assert (run.task.assignee, run.task.data, run.seen.wait()["kind"]) == (
        "/users/ana",
        {"result": {"n": 1}},
        "human_task",
    )
    run.do("complete", step="talk", by="/users/ana", response={"action": "approve"})
    assert (run.status, output(run)["result"]) == ("completed", {"n": 1})


def test_a_result_that_is_not_approved_fails_the_chat(talk):
    ended = {"return": {"response": "", "ended": True, "result": 1}}
    run = say(talk(ended, approval={"enabled": True, "assignee": "/users/ana"}), "hello")
    run.do("complete", step="talk", by="/users/ana", response={"action": "reject"})
    assert (run.status, run.error["code"]) == ("failed", "approval_rejected")


def test_a_group_may_approve(talk):
    ended = {"return": {"response": "", "ended": True, "result": 1}}
    approval = {"enabled": True, "assignee": "/groups/leads"}
    run = say(talk(ended, approval=approval, groups={"leads": ["ana", "ben"]}), "hello")
    run.do("complete", step="talk", by="/users/ben", response={"action": "approve"})
    assert (run.status, output(run)["result"], len(run.tasks)) == ("completed", 1, 2)


@pytest.mark.parametrize("assignee", [None, "ana", "/agents/host", "/groups/none"])
def test_an_approval_by_nobody_fails_in_words(talk, assignee):
    ended = {"return": {"response": "", "ended": True, "result": 1}}
    run = say(talk(ended, approval={"enabled": True, "assignee": assignee}), "hello")
    assert (run.status, run.tasks) == ("failed", [])


@pytest.mark.parametrize("data", [None, {}, {"message": " "}, {"message": 5}, "hello", ["hello"]])
def test_a_message_is_a_text(talk, data):
    run = talk()
    with pytest.raises(InvalidInput, match="message"):
        commands.resume(run.id, data=data, step="talk", ports=run.stage.ports)


def test_one_message_at_a_time(talk):
    run = talk({**HELLO, "takes": "5s"})
    say(run, "hello")
    assert run.seen.wait()["kind"] == "agent"
    with pytest.raises(Conflict):
        say(run, "are you there?")
    run.advance("5s")
    assert run.seen.wait()["kind"] == "chat"


def test_a_chat_survives_the_death_of_every_worker(talk):
    run = say(
        talk({"crash": True}, HELLO, properties={"retry": {"max_retries": 1, "base_delay_ms": 1000}}, max_turns=2), "a"
    )
    run.advance("15m")
    run.play.pump.restart()
    say(run, "b")
    assert (run.status, output(run)["turn_count"]) == ("completed", 2)


def test_cancelling_ends_a_chat_that_waits_or_is_to_be_approved(talk):
    run = talk()
    run.do("cancel")
    assert run.status == "cancelled"
    ended = {"return": {"response": "", "ended": True, "result": 1}}
    run = say(talk(ended, approval={"enabled": True, "assignee": "/users/ana"}), "hello")
    run.do("cancel")
    assert (run.status, run.task.status) == ("cancelled", TaskStatus.CANCELLED)
