"""Routers of ``or`` containers (reference/flow-format.md, section 6; design/engine-notes.md, section 11)."""

import pytest

from tests.engine.machine.scene import agent, container, function

FUNCTIONS: dict[str, list[dict[str, object]]] = {
    f"/lib/{name}": [{"return": {}}] for name in ("urgent", "plain", "done")
}
SURE = {"return": {"branch": "urgent", "reasoning": "water", "confidence": 0.9}}
RULE = [{"condition": "input.big == true", "next_step": "plain"}]


def routed(*, rules=None, retry=None, **router):
    keys = {"rules": rules} if rules else {}
    keys |= {"retry": retry} if retry else {}
    children = [function("urgent", action="At once, {{ input.who }}"), function("plain")]
    return container("route", "or", *children, router={"agent_ref": "/agents/sorter", **router}, **keys)


@pytest.fixture
def sort(begin):
    """Route with the given answers of the agent; ``done`` runs afterwards."""

    def start(*answers, input=None, **keys):
        agents = {"/agents/sorter": list(answers)}
        return begin(routed(**keys), function("done"), agents=agents, functions=FUNCTIONS, input=input or {})

    return start


def test_the_router_is_told_the_branches_in_words(sort):
    run = sort(SURE, prompt="Sort {{ input.who }}", input={"who": "Ida"})
    assert run.asked(0)["prompt"] == "Sort Ida\n\nChoose one of these branches:\n- urgent: At once, Ida\n- plain: Plain"
    assert run.asked(0)["response_format"]["properties"]["branch"] == {"enum": ["urgent", "plain"]}


def test_without_rules_the_container_itself_has_the_record(sort):
    run = sort(SURE)
    record = {"routed_to": "urgent", "routed_by_agent": True, "reasoning": "water", "confidence": 0.9}
    assert run.steps["route"] == record
    assert "route__router" not in run.steps


def test_after_rules_the_record_has_a_name_of_its_own(sort):
    run = sort(SURE, rules=RULE, input={"big": False})
    assert run.steps["route"] is None
    assert run.steps["route__router"]["routed_to"] == "urgent"
    assert run.outcomes["route"] == "succeeded"


def test_an_answer_in_a_response_counts_as_well(sort):
    run = sort({"return": {"response": '{"branch": "urgent", "confidence": 1}', "usage": {"input_tokens": 5}}})
    assert run.calls == ["/agents/sorter", "/lib/urgent", "/lib/done"]
    assert run.events("step_completed")[0].data["usage"] == {"input_tokens": 5}


@pytest.mark.parametrize("confidence", [None, "high", True])
def test_an_answer_that_does_not_say_how_sure_it_is_is_not_sure(sort, confidence):
    answer = {"return": {"branch": "urgent", "confidence": confidence}}
    run = sort(answer, min_confidence=0.1, default_branch="plain")
    assert run.calls == ["/agents/sorter", "/lib/plain", "/lib/done"]


def test_a_failed_call_takes_the_default_branch_and_is_recorded_as_failed(sort):
    run = sort({"fail": {"message": "quota", "code": "quota"}}, default_branch="plain")
    assert run.calls == ["/agents/sorter", "/lib/plain", "/lib/done"]
    assert run.steps["route"] == {
        "routed_to": "plain",
        "routed_by_agent": False,
        "reasoning": None,
        "confidence": None,
    }
    assert run.attempts("route")[0].error["code"] == "quota"


def test_a_failed_call_without_a_default_is_a_failed_attempt_of_the_container(sort):
    run = sort({"fail": "quota"}, SURE, retry={"max_retries": 1, "base_delay_ms": 1000})
    assert (run.instance.wait_kind, run.instance.node_id) == ("retry", "route")
    run.advance("1s")
    assert (run.status, run.visit("route").attempts) == ("completed", 2)
    assert sort({"fail": "quota"}).status == "failed"


def test_prose_is_no_choice(sort):
    run = sort({"return": {"response": "I would say urgent."}})
    assert (run.outcomes["route"], run.calls) == ("skipped", ["/agents/sorter", "/lib/done"])


def test_a_prompt_that_cannot_be_evaluated_fails_the_run_without_a_call(sort):
    run = sort(SURE, prompt="{{ input.n / 0 }}", input={"n": 1}, default_branch="plain")
    assert (run.status, run.error["error_type"], run.calls) == ("failed", "evaluation", [])


def test_a_death_while_the_router_is_asked_takes_the_default_branch_only_when_there_is_one(sort):
    run = sort({"crash": True}, default_branch="plain")
    run.advance("15m")
    assert run.calls == ["/agents/sorter", "/lib/plain", "/lib/done"]


def test_in_a_loop_an_iteration_that_a_rule_decides_forgets_the_router(begin):
    seen = function("done")
    turn = routed(rules=[{"condition": "item > 1", "next_step": "plain"}])
    loop = container("each", "loop", turn, seen, loop={"over": "${[1, 2]}"})
    run = begin(loop, agents={"/agents/sorter": [SURE]}, functions=FUNCTIONS)
    assert run.calls == ["/agents/sorter", "/lib/urgent", "/lib/done", "/lib/plain", "/lib/done"]
    assert run.steps["route__router"] is None


def test_a_branch_may_be_an_agent(begin):
    route = container("route", "or", agent("poet"), agent("clerk"), router={"agent_ref": "/agents/sorter"})
    poet = [{"return": {"response": "roses"}}]
    agents = {"/agents/sorter": [{"return": {"branch": "poet", "confidence": 1}}], "/agents/poet": poet}
    run = begin(route, agents={**agents, "/agents/clerk": [{"return": {"response": "list"}}]})
    assert (run.status, run.steps["poet"]["response"]) == ("completed", "roses")
