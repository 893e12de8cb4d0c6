"""Tasks for a group: which answers count, and which one decides (reference/flow-format.md, section 9).

The policy was fixed when the visit was entered. Answers come one after the other, because each holds the run's row.
"""

from collections.abc import Sequence
from typing import Any

from engine.models import InboxTask, Visit
from engine.states import TaskStatus
from flows.expressions import ExpressionError, parse_condition


def decide(task: InboxTask, output: dict[str, Any]) -> dict[str, Any] | None:
    """The step's output once the group has decided with the answer that ``task`` just got, ``None`` before.

    When everybody has answered and the policy is unmet, the step ends all the same with ``group.satisfied`` false (ours).
    """
    visit = Visit.objects.filter(instance=task.instance_id, seq=task.visit_seq)
    policy: dict[str, Any] = visit.values_list("entry", flat=True).get() or {}
    tasks = list(InboxTask.objects.filter(instance=task.instance_id, visit_seq=task.visit_seq).order_by("responded_at"))
    answered = [each for each in tasks if each.status == TaskStatus.COMPLETED]
    responses = [each.response for each in answered]
    records = [_record(each, responses, policy["condition"]) for each in answered]
    satisfied = sum(1 for each in records if each["counts"]) >= policy["required"]
    if not satisfied and len(answered) < len(tasks):
        return None
    group = {key: policy[key] for key in ("path", "completion", "required")}
    return {**output, "group": {**group, "responses": records, "satisfied": satisfied}}


def _record(task: InboxTask, responses: Sequence[Any], condition: Any) -> dict[str, Any]:
    return {
        "assignee": task.assignee,
        "response": task.response,
        "counts": _counts(task.response, responses, condition),
    }


def _counts(response: Any, responses: Sequence[Any], condition: Any) -> bool:
    """Whether an answer counts. One about which the condition cannot be evaluated does not."""
    if condition is None:
        return True
    try:
        return parse_condition(condition).holds({"response": response, "responses": list(responses)})
    except ExpressionError:
        return False
