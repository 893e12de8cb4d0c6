"""Agents as assignees of human tasks (reference/flow-format.md, section 9; design/engine-notes.md, section 5)."""

import pytest

from engine import inbox
from engine.errors import Conflict
from engine.states import TaskStatus
from tests.engine.machine.scene import function, step

SURE = {"return": {"decision": "approve", "reasoning": "small", "confidence": 0.9}}
UNSURE = {"return": {"decision": "approve", "confidence": 0.4}}
LEAD = "/users/lead"


def waive(**properties):
    return step(
        "waive", **{"step_type": "human_task", "task_type": "approval", "assignee": "/agents/fees", **properties}
    )


@pytest.fixture
def decide(begin):
    """Give the task to an agent with these answers."""

    def start(*answers, groups=None, input=None, **properties):
        agents = {"/agents/fees": list(answers)}
        return begin(waive(**properties), agents=agents, groups=groups, input=input or {})

    return start


def admin(run, response):
    inbox.complete(run.task.id, by="/users/admin", response=response, is_admin=True, ports=run.stage.ports)
    run.play.pump.settle()


def test_the_agent_sees_the_task_and_the_whole_context(begin):
    look = function("look")
    agents = {"/agents/fees": [SURE]}
    run = begin(
        look, waive(data={"n": "${steps.look.n}"}), agents=agents, functions={"/lib/look": [{"return": {"n": 5}}]}
    )
    context = run.asked()["context"]
    assert (context["task"]["title"], context["task"]["data"]) == ("Waive", {"n": 5})
    assert context["steps"] == {"look": {"n": 5}}
    assert run.asked()["response_format"]["properties"]["decision"] == {"enum": ["approve", "reject"]}


def test_a_sure_agent_completes_the_task_as_a_person_would(decide):
    run = decide(SURE)
    task, answer = run.task, {"action": "approve", "comment": "small", "confidence": 0.9}
    assert (task.status, task.response, task.completed_by) == (TaskStatus.COMPLETED, answer, "/agents/fees")
    assert run.steps["waive"] == {**answer, "completed_by": "/agents/fees", "task_path": task.path}
    assert task.responded_at is not None


def test_an_object_from_an_agent_reads_like_a_persons(decide):
    answer = {"return": {"value": {"name": "Ida"}, "reasoning": "told", "confidence": 1}}
    run = decide(answer, task_type="input", input_schema={"type": "object"})
    output = run.steps["waive"]
    assert (output["name"], output["value"], output["comment"]) == ("Ida", {"name": "Ida"}, "told")


@pytest.mark.parametrize("value", [{}, {"value": "four"}], ids=["none", "wrong type"])
def test_a_value_that_does_not_fit_is_handed_over(decide, value):
    answer = {"return": {**value, "confidence": 1}}
    run = decide(answer, task_type="input", input_schema={"type": "number"}, escalation_assignee=LEAD)
    assert (run.task.assignee, run.task.status) == (LEAD, TaskStatus.PENDING)


def test_an_unsure_agent_hands_over_the_same_task_with_the_reason(decide):
    run = decide(UNSURE, escalation_assignee="/users/{{ input.who }}", input={"who": "lead"})
    task = run.task
    assert (task.assignee, task.escalated_from) == (LEAD, "/agents/fees")
    assert task.escalation_reason == "The agent's confidence is 0.4; 0.7 is needed."
    assert task.escalated_at == run.stage.clock.now()
    assert run.visit("waive").attempts == 1


@pytest.mark.parametrize("escalation", [None, "/agents/other", "/users/", "/groups/nobody"])
def test_without_a_person_the_task_stays_with_the_agent(decide, escalation):
    run = decide(UNSURE, escalation_assignee=escalation)
    assert (run.status, run.task.assignee, run.task.escalated_from) == ("waiting", "/agents/fees", "")
    admin(run, {"action": "reject"})
    assert (run.status, run.steps["waive"]["completed_by"]) == ("completed", "/users/admin")


def test_a_group_takes_over_as_groups_do(decide):
    run = decide(UNSURE, escalation_assignee="/groups/leads", group_completion="all", groups={"leads": ["ana", "ben"]})
    assert [(each.assignee, each.escalated_from) for each in run.tasks] == [
        ("/users/ana", "/agents/fees"),
        ("/users/ben", "/agents/fees"),
    ]
    for name in ("ana", "ben"):
        run.do("complete", step="waive", by=f"/users/{name}", response={"action": "approve"})
    assert (run.status, run.steps["waive"]["group"]["satisfied"]) == ("completed", True)


def test_a_quorum_larger_than_the_group_leaves_the_task_with_the_agent(decide):
    keys = {"group_completion": "quorum", "group_quorum": 3}
    run = decide(UNSURE, escalation_assignee="/groups/leads", groups={"leads": ["ana"]}, **keys)
    assert (run.status, run.task.assignee) == ("waiting", "/agents/fees")


def test_a_failure_of_the_agent_is_no_attempt_of_the_visit(decide):
    run = decide({"fail": "quota"}, escalation_assignee=LEAD, retry={"max_retries": 5})
    assert (run.instance.wait_kind, run.visit("waive").attempts) == ("human_task", 1)
    assert "quota" in run.task.escalation_reason


def test_a_death_in_the_call_asks_again_and_the_task_exists_once(decide):
    run = decide({"crash": True}, SURE)
    run.advance("15m")
    assert (run.status, len(run.tasks), run.calls) == ("completed", 1, ["/agents/fees"] * 2)
    assert run.visit("waive").attempts == 1


def test_a_call_that_kills_every_worker_is_handed_over_in_the_end(decide):
    run = decide({"crash": True}, escalation_assignee=LEAD)
    run.advance("1h")
    assert (run.task.assignee, run.calls) == (LEAD, ["/agents/fees"] * 3)


def test_an_agent_that_does_not_answer_by_the_due_time_loses_the_task(decide):
    run = decide({"hang": True}, due_in_seconds=60, escalation_assignee=LEAD)
    run.advance("1m")
    assert (run.status, run.error["error_type"], run.task.status) == ("failed", "timeout", TaskStatus.EXPIRED)


def test_the_due_time_counts_from_the_start_of_the_task(decide):
    answer = {**UNSURE, "takes": "20s"}
    run = decide(answer, due_in_seconds=60, escalation_assignee=LEAD)
    run.advance("20s")
    assert run.seen.wait()["due_in"] == "40s"
    run.advance("40s")
    assert run.task.status == TaskStatus.EXPIRED


def test_nobody_answers_while_the_agent_is_deciding(decide):
    run = decide({**SURE, "takes": "20s"})
    with pytest.raises(Conflict, match="deciding"):
        admin(run, {"action": "reject"})
    run.advance("20s")
    assert run.steps["waive"]["action"] == "approve"


def test_cancelling_while_the_agent_decides_closes_the_task(decide):
    run = decide({**SURE, "takes": "20s"})
    run.do("cancel")
    assert (run.status, run.task.status) == ("cancelled", TaskStatus.CANCELLED)


@pytest.mark.parametrize("least", [0, 0.9])
def test_the_threshold_itself_is_enough(decide, least):
    assert decide(SURE, min_confidence=least).status == "completed"
