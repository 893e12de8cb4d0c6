"""What a flow can come to ask of people, and answers that fit."""

from flows.doctor import Known
from flows.questions import questions
from tests.engine.drawing import child_flow, group, step, task


def ask(name, **properties):
    return step(name, step_type="human_task", assignee="/users/ana", **properties)


def test_tasks_are_found_wherever_they_stand() -> None:
    library = Known(flows={"/flows/inner": {"nodes": [task("deep")]}})
    nodes = [group("g", task("first")), child_flow("inner"), task("off", disabled=True)]
    found = questions({"nodes": nodes}, library)
    assert [(each.flow, each.node, each.assignee) for each in found] == [
        ("", "first", "/users/ana"),
        ("/flows/inner", "deep", "/users/ana"),
    ]


def test_answers_fit_what_is_asked() -> None:
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    nodes = [
        ask("choose", task_type="approval", options=[{"value": "clear"}, {"value": "refuse"}]),
        ask("plain", task_type="approval"),
        ask("fill", task_type="input", input_schema=schema),
        ask("look", task_type="review"),
    ]
    answers = {each.node: each.answers for each in questions({"nodes": nodes}, Known())}
    assert answers["choose"] == [{"action": "clear"}, {"action": "refuse"}]
    assert answers["plain"] == [{"action": "approve"}, {"action": "reject"}]
    assert answers["fill"] == [{"days": 1}]
    assert answers["look"] == [{}]
