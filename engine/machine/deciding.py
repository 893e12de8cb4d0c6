"""Agents as assignees: a human task that an agent decides, or hands over to a person (reference/flow-format.md, section 9).

Pure. The task is given out first; the call is a body of the same visit and no attempt of its own. Whatever goes wrong with it
is the escalation, never a failure of the step. A worker that dies in the call leaves the task as it is, and the agent is asked
again.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from engine.machine import asking, expressions, steps, tasks
from engine.machine.outputs import output_problem
from engine.machine.turn import Turn, milliseconds
from engine.outcomes import Result, Succeeded, WorkerLost
from engine.ports import AGENT
from engine.states import TaskStatus
from flows.expressions import ExpressionError
from flows.graph import Node

MIN_CONFIDENCE: Final = 0.7
MOST_DEATHS: Final = 3
"""Workers that may die while they ask; then the task is handed over: one that eats up all memory would do it again."""


Memory: TypeAlias = Mapping[str, Any]
"""What the visit keeps of its task: ``{id, task, due, asked}``."""


class Undecided(Exception):
    """The agent did not decide; the message says why."""


def begin(turn: Turn, node: Node, task: dict[str, Any], task_id: str, due: datetime | None) -> None:
    """Ask the agent that the task was just given to."""
    _ask(turn, node, {"id": task_id, "task": task, "due": due.isoformat() if due else None, "asked": 0})


def decide(turn: Turn, node: Node, result: Result) -> dict[str, Any] | None:
    """The step's output when the agent has decided; ``None`` when the step waits for somebody else, or the agent once more."""
    assert turn.leaf is not None
    memory = turn.entries[turn.leaf.seq]
    if isinstance(result, WorkerLost) and memory["asked"] < MOST_DEATHS:
        _ask(turn, node, memory)
        return None
    try:
        response = _decision(node, memory["task"], result)
    except Undecided as problem:
        _hand_over(turn, node, memory, str(problem))
        return None
    agent = memory["task"]["assignee"]
    turn.writes.update(
        "inboxtask",
        {"id": memory["id"]},
        status=TaskStatus.COMPLETED.value,
        response=response,
        completed_by=agent,
        responded_at=turn.now,
    )
    return {**response, "completed_by": agent, "task_path": tasks.path_of(turn, node, agent)}


def _ask(turn: Turn, node: Node, memory: Memory) -> None:
    assert turn.leaf is not None
    turn.enter_with(turn.leaf.seq, {**memory, "asked": memory["asked"] + 1})
    task, due, limit = memory["task"], memory["due"], turn.world.call_limit_ms
    shown = {name: task[name] for name in ("task_type", "title", "description", "options", "input_schema", "data")}
    question = {
        "prompt": _words(task),
        "context": {"task": {**shown, "due_at": due}, **asking.context(turn, "full")["context"]},
        "response_format": _answer_schema(task),
    }
    if due is not None:
        limit = max(0.0, min(limit, milliseconds(datetime.fromisoformat(due) - turn.now)))
    steps.call_out(turn, node, task["assignee"], question, kind=AGENT, limit_ms=limit)


def _decision(node: Node, task: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The answer of an agent that is sure enough. Raises :class:`Undecided`."""
    fault = asking.fault_of(result)
    if fault is not None or not isinstance(result, Succeeded):
        raise Undecided(f"The agent could not be asked: {fault.message if fault else result}")
    answer, least = asking.fields(result.output), asking.number(node.settings.get("min_confidence"), MIN_CONFIDENCE)
    decided, sure = _decided(task, answer), asking.confidence(answer)
    if sure < least:
        raise Undecided(f"The agent's confidence is {sure:g}; {least:g} is needed.")
    return {**decided, "comment": answer.get("reasoning"), "confidence": answer.get("confidence")} | _own_keys(decided)


def _decided(task: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    if task["task_type"] == "approval":
        if answer.get("decision") not in _values(task):
            raise Undecided("The agent's answer is none of the options.")
        return {"action": answer["decision"]}
    if "value" not in answer:
        raise Undecided("The agent's answer holds no value.")
    problem = output_problem({"output_schema": task["input_schema"]}, answer["value"])
    if problem is not None:
        raise Undecided(problem)
    return {"value": answer["value"]}


def _own_keys(decided: Mapping[str, Any]) -> dict[str, Any]:
    """A value that is an object stands in the output as it is, too: so it does when a person gives it."""
    value = decided.get("value")
    return dict(value) if isinstance(value, Mapping) else {}


def _hand_over(turn: Turn, node: Node, memory: Memory, why: str) -> None:
    """Give the same task to whom it escalates to, and wait; without such a person it stays with the agent."""
    assert turn.leaf is not None
    due = datetime.fromisoformat(memory["due"]) if memory["due"] else None
    ids = [memory["id"]]
    try:
        target = _person(turn, node)
        ids += _reassign(turn, node, memory, target, why, due)
        words = f"{why} The task goes to {target}."
    except Undecided as problem:
        words = f"{why} {problem}It stays with the agent."
    turn.event("log", node.id, turn.leaf.seq, level="info", message=words)
    tasks.rest_on(turn, ids, due)


def _person(turn: Turn, node: Node) -> str:
    """The person or group the task escalates to. Raises :class:`Undecided` where that names nobody."""
    named = node.settings.get("escalation_assignee")
    if named is None:
        raise Undecided
    try:
        target = expressions.text(turn, named)
        if target.startswith(tasks.AGENTS) or not turn.world.people.exists(target):
            raise Undecided(f"escalation_assignee: there is no person or group {target}. ")
        tasks.fix_policy(turn, node, target)
    except ExpressionError as error:
        raise Undecided(f"escalation_assignee: {error.message}. ") from error
    except tasks.Unusable as problem:
        raise Undecided(f"{problem.fault.message} ") from problem
    return target


def _reassign(turn: Turn, node: Node, memory: Memory, target: str, why: str, due: datetime | None) -> list[str]:
    """Move the task to the person; where that is a group, to its first member, and give one like it to each of the others."""
    task: dict[str, Any] = memory["task"]
    escalation = {"escalated_from": task["assignee"], "escalation_reason": why, "escalated_at": turn.now}
    group = target if target.startswith(tasks.GROUPS) else ""
    first, *others = turn.world.people.members(group) if group else [target]
    changed = {"assignment_group": group, **escalation}
    turn.writes.update("inboxtask", {"id": memory["id"]}, assignee=first, **changed)
    return [tasks.put(turn, node, {**task, **changed, "assignee": each}, due) for each in others]


def _words(task: Mapping[str, Any]) -> str:
    asked = "\n\n".join(part for part in (task["title"], task["description"]) if part)
    if task["task_type"] != "approval":
        return f"{asked}\n\nAnswer with a value, your reasoning, and your confidence from 0 to 1."
    options = "\n".join(f"- {each.get('value')}: {each.get('label')}" for each in _options(task))
    return f"{asked}\n\nDecide for one of these, and give your reasoning and your confidence from 0 to 1:\n{options}"


def _answer_schema(task: Mapping[str, Any]) -> dict[str, Any]:
    is_approval = task["task_type"] == "approval"
    name = "decision" if is_approval else "value"
    answer = {"enum": _values(task)} if is_approval else task["input_schema"] or {}
    return {
        "type": "object",
        "properties": {
            name: answer,
            "reasoning": {"type": "string"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": [name, "reasoning", "confidence"],
        "additionalProperties": False,
    }


def _options(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in task["options"] or [] if isinstance(each, Mapping)]


def _values(task: Mapping[str, Any]) -> list[Any]:
    return [each.get("value") for each in _options(task)]
