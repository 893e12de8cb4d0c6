"""The life of a step's visit: its attempts, their ends, retries, and what is registered when it succeeds.

Pure. design/semantics.md, "When an attempt fails"; design/engine-notes.md, section 2.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from engine.machine import expressions, ladder, paths, resources, slots
from engine.machine.faults import Fault, evaluation
from engine.machine.position import Leaf
from engine.machine.turn import Turn, milliseconds
from engine.ports import FUNCTION, Call, CallKind
from engine.states import AttemptResult, CompensationState, Outcome, Status, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Graph, Node


def open_step(turn: Turn, node: Node) -> None:
    """Open a visit of a step and its first attempt."""
    seq, number = turn.open_visit(node)
    turn.leaf = Leaf(node.index, seq, number)
    begin_attempt(turn, node)


def begin_attempt(turn: Turn, node: Node, **row: Any) -> None:
    """Number the next attempt and record its start, or the retry's."""
    leaf = _number_attempt(turn, **row)
    turn.event(
        "step_started",
        node.id,
        leaf.seq,
        step_name=expressions.label(turn, node),
        step_type=node.kind,
        visit=leaf.number,
        attempt=leaf.attempt,
    )


def go_further(turn: Turn) -> None:
    """The open attempt is over and its visit goes on with another call, which has all its retries again."""
    assert turn.leaf is not None
    turn.leaf = replace(turn.leaf, done=turn.leaf.attempt)
    _number_attempt(turn)


def _number_attempt(turn: Turn, **row: Any) -> Leaf:
    assert turn.leaf is not None
    leaf = replace(turn.leaf, attempt=turn.leaf.attempt + 1, began=turn.now.isoformat())
    turn.leaf = leaf
    turn.writes.update("visit", {"seq": leaf.seq}, attempts=leaf.attempt)
    turn.writes.insert("attempt", _attempt_key(leaf.seq, leaf.attempt), started_at=turn.now, **row)
    return leaf


def call_out(
    turn: Turn,
    node: Node,
    path: str,
    arguments: dict[str, Any],
    *,
    kind: CallKind = FUNCTION,
    limit_ms: float | None = None,
) -> None:
    """Record what the open attempt calls, and let the driver make the call after the commit.

    ``limit_ms`` is how long the call may take, where that is not the node's ``timeout_ms``.
    """
    leaf, facts = turn.leaf, turn.run.facts
    assert leaf is not None
    deadline = turn.after(_limit_ms(turn, node) if limit_ms is None else limit_ms)
    key = leaf.key or f"{facts.id}:{leaf.seq}" + (f":{leaf.done}" if leaf.done else "")
    turn.leaf = replace(leaf, out=True, deadline=deadline.isoformat())
    turn.writes.update(
        "attempt",
        _attempt_key(leaf.seq, leaf.attempt),
        path=path,
        arguments=arguments,
        idempotency_key=key,
        deadline=deadline,
    )
    turn.call = Call(
        kind=kind,
        path=path,
        arguments=arguments,
        instance_id=facts.id,
        node_id=node.id,
        visit=leaf.number,
        visit_seq=leaf.seq,
        attempt=leaf.attempt,
        idempotency_key=key,
        deadline_at=turn.in_the_world(deadline),
        is_test=facts.is_test,
        test_config=facts.test_config,
        input=facts.input,
    )


def succeed(turn: Turn, node: Node, output: Any, *, usage: Any = None) -> None:
    """The open visit succeeded: bind its output, register what undoes it, and lead on. ``usage`` is what a model took."""
    finish(turn, node, output, usage=usage)
    paths.go_on(turn, node)


def finish(turn: Turn, node: Node, output: Any, *, usage: Any = None) -> None:
    """As :func:`succeed`, without leading on: the caller says where control goes."""
    leaf = turn.leaf
    assert leaf is not None
    attempt_succeeded(turn, node, usage=usage)
    conclude(turn, node, output)


def conclude(turn: Turn, node: Node, output: Any) -> None:
    """The open visit has succeeded, whoever found that out: bind its output, keep what it made and what undoes it."""
    leaf = turn.leaf
    assert leaf is not None
    compensation = _compensation(turn, node, output)
    made = resources.made_by(turn, node, output)
    if made:
        turn.writes.update("visit", {"seq": leaf.seq}, resources=made)
    turn.close_visit(node, leaf.seq, leaf.number, Outcome.SUCCEEDED, output)
    if compensation is not None:
        register(turn, node, leaf, **compensation)
    turn.leaf = None


def attempt_succeeded(turn: Turn, node: Node, *, usage: Any = None) -> None:
    """Record that the open attempt gave what it was to give; what becomes of the visit, the caller says."""
    leaf = turn.leaf
    assert leaf is not None
    end_attempt(turn, leaf, AttemptResult.SUCCEEDED)
    cost = {} if usage is None else {"usage": usage}
    turn.event("step_completed", node.id, leaf.seq, duration_ms=lasted(turn, leaf), **cost)


def attempt_failed(turn: Turn, node: Node, fault: Fault) -> None:
    """Record that the open attempt failed; what becomes of the visit, the caller says."""
    leaf = turn.leaf
    assert leaf is not None
    error = fault.error(node.id, turn.now, leaf.attempt)
    asked = {} if fault.retry_after is None else {"retry_after": fault.retry_after}
    end_attempt(turn, leaf, fault.result, error={**error, **asked}, traceback=fault.traceback)
    turn.event("step_failed", node.id, leaf.seq, error=error, attempt=leaf.attempt, duration_ms=lasted(turn, leaf))


def register(turn: Turn, node: Node, leaf: Leaf, **row: Any) -> None:
    """Register what undoes the visit that just ended, at its place in the order of completion.

    It takes the place of what visits registered that a redo replaced by this one: the effect is there once.
    """
    around = slots.slot(turn)
    if around != slots.NO_LOOP:
        turn.writes.update("visit", {"seq": leaf.seq}, slot=around)
    for old in turn.run.history.superseded(node.id, around) if turn.position.repeats else ():
        withdraw(turn, {"position": old}, 1)
    place = turn.position.completions + 1
    turn.change(completions=place, compensations=turn.position.compensations + 1)
    turn.writes.insert(
        "compensation",
        {"instance": turn.run.facts.id, "position": place},
        visit_seq=leaf.seq,
        node_id=node.id,
        **row,
    )


def withdraw(turn: Turn, key: dict[str, Any], count: int) -> None:
    """Let registered compensations go: ``count`` of this run, found by ``key``."""
    found = {"instance": turn.run.facts.id, **key, "state": CompensationState.REGISTERED.value}
    turn.writes.update("compensation", found, state=CompensationState.WITHDRAWN.value, ended_at=turn.now)
    turn.change(compensations=turn.position.compensations - count)


def keep_effects(turn: Turn, node: Node, leaf: Leaf) -> None:
    """Register the child runs of the open attempt that have done something which is still there, in the order in which they
    ended: a rollback takes them along."""
    for child in sorted(turn.run.children(leaf.seq, leaf.attempt), key=lambda each: each.order):
        if child.compensations and child.status != Status.ROLLED_BACK:
            register(turn, node, leaf, child=child.id)


def fail(turn: Turn, node: Node, fault: Fault) -> None:
    """The open attempt failed: try again later while budget is left, else the visit has failed."""
    leaf = turn.leaf
    assert leaf is not None
    attempt_failed(turn, node, fault)
    retry_or_fail(turn, node, fault)


def retry_or_fail(turn: Turn, node: Node, fault: Fault) -> None:
    """As :func:`fail`, where the attempt's end is recorded already."""
    leaf = turn.leaf
    assert leaf is not None
    policy, failures = node.policy.retry, leaf.attempt - leaf.done
    if fault.final or failures > policy.max_retries:
        ladder.fail_visit(turn, fault)
        return
    turn.leaf = replace(leaf, out=False, deadline=None)
    delay = policy.delay_ms(failures, random=turn.world.random)
    due = turn.next_try(delay, fault.retry_after)
    turn.rest(WaitKind.RETRY, "retry", due=due, wake="retry", data={"retry": failures, "of": policy.max_retries})


def resolve_or_fail(turn: Turn, node: Node, field: str, value: Any) -> tuple[Any, bool]:
    """A templated field's value and ``True``; ``False`` when it could not be evaluated and the attempt failed for it."""
    try:
        return expressions.resolve(turn, value), True
    except ExpressionError as error:
        fail(turn, node, evaluation(error, field))
        return None, False


def park(turn: Turn, wait: WaitKind) -> None:
    """The executor answers later: rest on the call until its deadline."""
    leaf = turn.leaf
    assert leaf is not None and leaf.deadline is not None
    turn.rest(wait, "function_call", due=datetime.fromisoformat(leaf.deadline), wake="call")


def _compensation(turn: Turn, node: Node, output: Any) -> dict[str, Any] | None:
    """What undoes the visit: the step's own, else its manifest's. ``None`` when nothing does.

    A fault in the mapping leaves the step succeeded: failing it would repeat an effect that is done
    (design/engine-notes.md, section 7).
    """
    declared = declared_compensation(turn.graph, node)
    if declared is None:
        return None
    path, mapping, missing_ok = declared
    if mapping is None:
        mapping = node.settings.get("arguments") or {}  # resolved as for the call: nothing it reads changed since
    return compensation_row(turn, node, path, mapping, output, missing_ok=missing_ok)


def compensation_row(
    turn: Turn, node: Node, path: str, mapping: Any, output: Any, *, missing_ok: bool
) -> dict[str, Any]:
    """What is registered: the function and its input, resolved now and never again."""
    row = {"path": path, "missing_ok": missing_ok, "always": node.settings.get("compensation_when") == "always"}
    try:
        resolved = expressions.resolve(turn, mapping, output=output)
        return {**row, "input": resolved}
    except ExpressionError as error:
        fault = {"message": error.message, "code": "evaluation"}
        turn.event(
            "log",
            node.id,
            level="error",
            message=f"The step is done, but the input of its compensation could not be evaluated: {error.message}",
        )
        return {**row, "input": None, "input_error": fault}


def declared_compensation(graph: Graph, node: Node) -> tuple[str, Mapping[str, Any] | None, bool] | None:
    """What undoes the node: the function, the mapping of its input, and whether it may find nothing."""
    own = kinds.reference_path(node.settings.get("compensation_ref"))
    if own is not None:
        return own, node.settings.get("compensation_input_mapping"), False
    if node.kind != kinds.FUNCTION:
        return None
    manifest = graph.manifest_of(node)
    default = (manifest or {}).get("compensation")
    path = kinds.reference_path((default or {}).get("function_ref"))
    if default is None or path is None:
        return None
    return path, default.get("input"), default.get("missing_ok") is True


def _limit_ms(turn: Turn, node: Node) -> float:
    own = node.settings.get("timeout_ms")
    return float(own) if isinstance(own, int | float) and own > 0 else turn.world.call_limit_ms


def end_attempt(turn: Turn, leaf: Leaf, result: AttemptResult, *, error: Any = None, traceback: str = "") -> None:
    """Record how the open attempt ended."""
    turn.writes.update(
        "attempt",
        _attempt_key(leaf.seq, leaf.attempt),
        result=result.value,
        error=error,
        traceback=traceback,
        ended_at=turn.now,
    )


def _attempt_key(seq: int, attempt: int) -> dict[str, int]:
    return {"visit_seq": seq, "number": attempt}


def lasted(turn: Turn, leaf: Leaf) -> int:
    """How long the open attempt has taken, in milliseconds."""
    return milliseconds(turn.now - datetime.fromisoformat(leaf.began)) if leaf.began else 0
