"""Competitions of agents (reference/flow-format.md, section 6)."""

import pytest

from engine.states import AttemptResult
from tests.engine.machine.scene import agent, container, function, step

POET, CLERK = {"return": {"response": "Skylark"}}, {"return": {"response": "Unit 7"}}
ACCEPT = {"return": {"action": "accept", "winner": "poet", "confidence": 0.9, "reasoning": "it sings"}}
REFINE = {"return": {"action": "refine", "winner": "poet", "confidence": 0.4, "feedback": {"clerk": "shorter"}}}


def entrant(name, **properties):
    return agent(name, **{"prompt": None, **properties})


@pytest.fixture
def compete(begin):
    """Let poet and clerk compete for this referee."""

    def start(
        *verdicts, poet=(POET,), clerk=(CLERK,), entrants=None, retry=None, input=None, functions=None, **referee
    ):
        children = entrants or [entrant("poet"), entrant("clerk")]
        keys = {"prompt": "A name for {{ input.thing }}", "referee": {"agent_ref": "/agents/judge", **referee}}
        keys |= {"retry": retry} if retry else {}
        agents = {"/agents/poet": list(poet), "/agents/clerk": list(clerk), "/agents/judge": list(verdicts)}
        contest = container("contest", "competition", *children, **keys)
        return begin(contest, agents=agents, functions=functions, input=input or {"thing": "a drone"})

    return start


def test_every_agent_is_asked_the_containers_question_unless_it_has_its_own(compete):
    run = compete(ACCEPT, entrants=[entrant("poet"), entrant("clerk", prompt="A number")])
    assert [run.asked(0)["prompt"], run.asked(1)["prompt"]] == ["A name for a drone", "A number"]


def test_the_referee_sees_the_task_and_every_answer(compete):
    run = compete(ACCEPT, prompt="Be strict.", include_context="input")
    question = run.asked()
    assert question["prompt"].startswith("Be strict.\n\n# The task\n\nA name for a drone")
    assert "## poet\n\nSkylark\n\n## clerk\n\nUnit 7" in question["prompt"]
    assert question["context"] == {"input": {"thing": "a drone"}}


def test_the_record_says_who_won_against_whom(compete):
    output = compete(ACCEPT).steps["contest"]
    assert output["models"] == {"poet": "/agents/poet", "clerk": "/agents/clerk"}
    assert (output["rounds"], output["confident"], output["response"]) == (1, True, "Skylark")


def test_who_has_notes_sees_them_with_the_answer_and_nobody_else_is_asked(compete):
    run = compete(REFINE, ACCEPT, clerk=[CLERK, {"return": {"response": "Seven"}}])
    assert run.calls == [f"/agents/{name}" for name in ("poet", "clerk", "judge", "clerk", "judge")]
    again = run.asked(3)["prompt"]
    assert again == "A name for a drone\n\nYour answer so far:\nUnit 7\n\nNotes on it:\nshorter\n\nAnswer again."
    assert run.steps["contest"]["answers"] == {"poet": "Skylark", "clerk": "Seven"}


def test_after_the_last_round_a_refinement_counts_as_accepting(compete):
    run = compete(REFINE, max_rounds=1)
    assert (run.steps["contest"]["winner"], run.steps["contest"]["rounds"]) == ("poet", 2)
    assert run.asked()["response_format"]["properties"]["action"] == {"enum": ["accept"]}


@pytest.mark.parametrize("feedback", [None, {}, {"stranger": "hm"}, {"clerk": " "}, {"clerk": 5}, "shorter"])
def test_a_refinement_without_usable_notes_counts_as_accepting(compete, feedback):
    run = compete(
        {"return": {"action": "refine", "winner": "poet", "confidence": 1, "feedback": feedback}}, max_rounds=3
    )
    assert (run.steps["contest"]["winner"], run.steps["contest"]["rounds"]) == ("poet", 1)


@pytest.mark.parametrize("winner", [None, "stranger", ["poet"], {"poet": 1}])
def test_a_winner_who_did_not_compete_fails_the_attempt(compete, winner):
    run = compete({"return": {"action": "accept", "winner": winner, "confidence": 1}})
    assert (run.status, run.error["code"], run.error["step_id"]) == ("failed", "invalid_output", "contest")


def test_a_referee_that_fails_is_asked_again_and_the_agents_are_not(compete):
    retry = {"max_retries": 1, "base_delay_ms": 1000}
    run = compete({"fail": "quota"}, REFINE, {"fail": "quota"}, ACCEPT, retry=retry)
    assert (run.instance.wait_kind, run.instance.node_id) == ("retry", "contest")
    run.advance("2s")
    assert run.status == "completed"
    assert run.calls.count("/agents/poet") == 1
    results = [each.result for each in run.attempts("contest")]
    assert results == [AttemptResult.FAILED, AttemptResult.SUCCEEDED] * 2


def test_who_fails_and_may_fail_is_out(compete):
    entrants = [entrant("poet"), entrant("clerk", retry_strategy="none", continue_on_fail=True)]
    run = compete(ACCEPT, clerk=[{"fail": "ill"}], entrants=entrants)
    assert run.steps["contest"]["answers"] == {"poet": "Skylark"}


def test_who_fails_and_may_not_fails_the_run(compete):
    run = compete(ACCEPT, clerk=[{"fail": "ill"}], entrants=[entrant("poet"), entrant("clerk", retry_strategy="none")])
    assert (run.status, run.error["step_id"], run.outcomes["contest"]) == ("failed", "clerk", "failed")


def test_without_any_answer_there_is_nothing_to_judge(compete):
    out = {"retry_strategy": "none", "continue_on_fail": True}
    ill = [{"fail": "ill"}]
    run = compete(ACCEPT, poet=ill, clerk=ill, entrants=[entrant("poet", **out), entrant("clerk", **out)])
    assert (run.status, run.error["code"]) == ("failed", "no_answers")


def test_other_children_are_left_out(compete):
    run = compete(ACCEPT, entrants=[function("work"), entrant("poet"), entrant("clerk")], functions={"/lib/work": []})
    assert "/lib/work" not in run.calls
    assert run.outcomes["work"] == "not_run"


def test_a_worker_may_die_anywhere_and_nobody_answers_twice_for_it(compete):
    run = compete({"crash": True}, ACCEPT, retry={"max_retries": 1, "base_delay_ms": 1000})
    run.advance("15m")
    assert run.calls == [f"/agents/{name}" for name in ("poet", "clerk", "judge", "judge")]
    assert run.steps["contest"]["winner"] == "poet"


def test_each_iteration_of_a_loop_is_a_competition_of_its_own(begin):
    agents = {"/agents/poet": [{"return": {"response": "a"}}, {"return": {"response": "b"}}], "/agents/clerk": [CLERK]}
    inner = container(
        "contest", "competition", entrant("poet"), entrant("clerk"), prompt="x", referee={"agent_ref": "/agents/judge"}
    )
    run = begin(container("each", "loop", inner, loop={"times": 2}), agents={**agents, "/agents/judge": [ACCEPT]})
    assert [each["response"] for each in run.steps["each"]["results"]] == ["a", "b"]


def test_an_unsure_competition_can_be_left_to_a_person(begin):
    doubt = {"return": {"action": "accept", "winner": "poet", "confidence": 0.6}}
    contest = container(
        "contest", "competition", entrant("poet"), entrant("clerk"), prompt="x", referee={"agent_ref": "/agents/judge"}
    )
    ask = step(
        "ask", step_type="human_task", task_type="review", assignee="/users/ana", when="!steps.contest.confident"
    )
    agents = {"/agents/poet": [POET], "/agents/clerk": [CLERK], "/agents/judge": [doubt]}
    assert begin(contest, ask, agents=agents).task.assignee == "/users/ana"
