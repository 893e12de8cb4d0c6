"""Chat steps: a conversation between a person and agents, turn by turn (reference/flow-format.md, section 5).

Each message of the user is an attempt: it is open while the chat waits, and ends with the agent's answer.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from engine.machine import asking, steps, talking, tasks
from engine.machine.faults import Fault, deadline_passed, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.turn import Turn
from engine.outcomes import Result, Succeeded
from engine.states import AttemptResult, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node

MAX_TURNS: Final = 50


class ChatStep(Kind):
    """A step in which a person talks with an agent."""

    def enter(self, turn: Turn, node: Node) -> None:
        steps.open_step(turn, node)
        assert turn.leaf is not None
        config, seq = talking.config_of(node), turn.leaf.seq
        limit = asking.number(config.get("session_timeout_ms"), 0)
        until = turn.after(limit).isoformat() if limit > 0 else None
        begun: dict[str, Any] = {
            "agent": kinds.reference_path(config.get("agent_ref")),
            "messages": [],
            "turns": 0,
            "until": until,
        }
        turn.enter_with(seq, begun)
        workspace = turn.run.facts.trigger.get("repo_id")
        turn.event("conversation_created", node.id, seq, conversation_path=_path(turn, node), workspace=workspace)
        first = turn.run.facts.input
        message = first.get("message") if isinstance(first, Mapping) else None
        if isinstance(message, str) and message.strip():
            self._hear(turn, node, message)
        else:
            self._wait(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        steps.begin_attempt(turn, node)
        self._ask(turn, node)

    def arrived(self, turn: Turn, node: Node, data: Any) -> None:
        self._hear(turn, node, str(data["message"]))

    def woke(self, turn: Turn, node: Node) -> None:
        steps.fail(turn, node, deadline_passed("Nobody said anything more in time."))

    def answered(self, turn: Turn, node: Node, output: dict[str, Any]) -> None:
        """Somebody approved what came of the conversation, or did not."""
        if output.get("action") == "approve":
            steps.succeed(turn, node, _output(turn, node))
        else:
            refused = f"What came of the conversation was not approved by {output['completed_by']}."
            steps.fail(turn, node, Fault(refused, code="approval_rejected", final=True))

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        fault = asking.fault_of(result)
        if fault is not None:
            steps.fail(turn, node, fault)
            return
        assert isinstance(result, Succeeded)
        answer = asking.record(turn, result.output)
        self._say(turn, node, answer["response"])
        if answer.get("ended") is True and talking.may_agent_end(node):
            self._ended_by_agent(turn, node, answer.get("result"))
        elif self._is_handed_over(turn, node, answer.get("handoff")):
            self._go_further(turn)
            self._ask(turn, node)
        elif _memory(turn)["turns"] >= asking.number(talking.config_of(node).get("max_turns"), MAX_TURNS):
            self._finish(turn, node, "max_turns_reached")
        else:
            self._go_further(turn)
            self._wait(turn, node)

    def _wait(self, turn: Turn, node: Node) -> None:
        """Rest until the next message, as long as the user may be silent and the session lasts."""
        if turn.cancels:
            return
        memory = _memory(turn)
        quiet = asking.number(_termination(node).get("inactivity_timeout_ms"), 0)
        moments = [turn.after(quiet)] if quiet > 0 else []
        moments += [datetime.fromisoformat(memory["until"])] if memory["until"] else []
        said = memory["messages"][-1]["content"] if memory["messages"] else None
        told = {"session_id": _session(turn), "turn": memory["turns"], "message": said}
        turn.rest(WaitKind.CHAT, "chat_session", due=min(moments, default=None), wake="deadline", data=told)

    def _hear(self, turn: Turn, node: Node, message: str) -> None:
        memory = _memory(turn)
        _remember(turn, messages=[*memory["messages"], {"role": "user", "content": message}])
        self._note(turn, node, "user")
        if talking.is_key_word(node, message):
            self._finish(turn, node, "user_terminated")
            return
        _remember(turn, turns=memory["turns"] + 1, handed=False)
        try:
            other = talking.takes_over(turn, node, memory["agent"], message)
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "handoff_targets"))
            return
        if other is not None:
            _remember(turn, agent=other)
        self._ask(turn, node)

    def _ask(self, turn: Turn, node: Node) -> None:
        if turn.cancels:
            return
        memory, config = _memory(turn), talking.config_of(node)
        schema = asking.schema_of(config.get("output_schema"))
        others = [] if memory["handed"] else talking.targets(node, memory["agent"])
        chat = {"may_end": talking.may_agent_end(node), "handoff": others}
        question = {
            "prompt": "",
            "system": config.get("system_prompt") or "",
            "messages": memory["messages"],
            "chat": chat if schema is None else {**chat, "result_schema": schema},
        }
        asking.ask(turn, node, memory["agent"], question)

    def _say(self, turn: Turn, node: Node, text: Any) -> None:
        if text:
            said = {"role": "assistant", "content": str(text)}
            _remember(turn, messages=[*_memory(turn)["messages"], said])
            self._note(turn, node, "assistant")

    def _note(self, turn: Turn, node: Node, role: str) -> None:
        assert turn.leaf is not None
        path, count = _path(turn, node), len(_memory(turn)["messages"])
        told = {"role": role, "conversation_path": path, "message_path": f"{path}/{count}"}
        turn.event("message_saved", node.id, turn.leaf.seq, **told)

    def _is_handed_over(self, turn: Turn, node: Node, wanted: Any) -> bool:
        """Hand over to the agent that the present one names, once a turn: two that point at each other would never end."""
        memory = _memory(turn)
        known = {each["agent"] for each in talking.targets(node, memory["agent"])}
        if memory["handed"] or not isinstance(wanted, str) or wanted not in known:
            return False
        _remember(turn, agent=wanted, handed=True)
        return True

    def _go_further(self, turn: Turn) -> None:
        assert turn.leaf is not None
        steps.end_attempt(turn, turn.leaf, AttemptResult.SUCCEEDED)
        if not turn.cancels:
            steps.go_further(turn)

    def _ended_by_agent(self, turn: Turn, node: Node, result: Any) -> None:
        schema = asking.schema_of(talking.config_of(node).get("output_schema"))
        if schema is not None:
            try:
                asking.structured({"structured_output": result}, schema)
            except asking.Unusable as problem:
                steps.fail(turn, node, problem.fault)
                return
        _remember(turn, result=result)
        self._finish(turn, node, "ai_terminated")

    def _finish(self, turn: Turn, node: Node, reason: str) -> None:
        _remember(turn, reason=reason)
        approval = talking.config_of(node).get("approval")
        has_result = _memory(turn).get("result") is not None
        if has_result and isinstance(approval, Mapping) and approval.get("enabled") is True:
            self._ask_for_approval(turn, node, approval)
        else:
            steps.succeed(turn, node, _output(turn, node))

    def _ask_for_approval(self, turn: Turn, node: Node, approval: Mapping[str, Any]) -> None:
        try:
            task = tasks.approval(turn, node, approval, {"result": _memory(turn)["result"]})
            tasks.fix_policy(turn, node, task["assignee"])
        except ExpressionError as error:
            steps.fail(turn, node, evaluation(error, "approval"))
            return
        except tasks.Unusable as problem:
            steps.fail(turn, node, problem.fault)
            return
        due = tasks.due_at(turn, task)
        tasks.rest_on(turn, tasks.give_out(turn, node, task, due), due)


def _output(turn: Turn, node: Node) -> dict[str, Any]:
    memory = _memory(turn)
    return {
        "result": memory.get("result"),
        "session_id": _session(turn),
        "turn_count": memory["turns"],
        "completion_reason": memory["reason"],
        "conversation_path": _path(turn, node),
    }


def _session(turn: Turn) -> str:
    assert turn.leaf is not None
    return f"{turn.run.facts.id}:{turn.leaf.seq}"


def _path(turn: Turn, node: Node) -> str:
    assert turn.leaf is not None
    return f"/conversations/{turn.run.facts.id}/{node.id}-it{turn.leaf.number}"


def _termination(node: Node) -> Mapping[str, Any]:
    found = talking.config_of(node).get("termination")
    return found if isinstance(found, Mapping) else {}


def _memory(turn: Turn) -> dict[str, Any]:
    """The conversation: ``{agent, messages, turns, until, handed?, result?, reason?}``."""
    assert turn.leaf is not None
    found: dict[str, Any] = turn.entries[turn.leaf.seq]
    return found


def _remember(turn: Turn, **known: Any) -> None:
    assert turn.leaf is not None
    turn.enter_with(turn.leaf.seq, {**_memory(turn), **known})


KINDS[kinds.CHAT] = ChatStep()
