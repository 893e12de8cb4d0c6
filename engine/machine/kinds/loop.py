"""Loops: the body once for each item, a number of times, or as long as a condition holds (reference/flow-format.md, section 6).

The items are fixed in the visit's row when the loop is entered; the position carries only the number of the iteration. Each
iteration's result stays with the last step that ran in it, and is collected when the loop ends.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.machine import expressions, ladder, limits, paths
from engine.machine.faults import Fault, evaluation
from engine.machine.kinds import KINDS, Kind
from engine.machine.position import Leaf
from engine.machine.turn import Turn
from engine.states import Outcome, WaitKind
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node

MAX_WHILE = 1000
"""Iterations of a ``while`` that sets no ``max_iterations`` and is not ``unbounded``."""


class LoopContainer(Kind):
    """The body, again and again."""

    def enter(self, turn: Turn, node: Node) -> None:
        paths.open_container(turn, node, attempt=1)
        turn.writes.update("visit", {"seq": turn.frames[-1].seq}, attempts=1)
        limits.begin(turn, node)
        self._begin(turn, node)

    def try_again(self, turn: Turn, node: Node) -> None:
        """The delay before the loop starts anew is over: its visit goes on, from the first iteration."""
        leaf = turn.leaf
        assert leaf is not None
        turn.leaf = None
        turn.reopen(leaf, attempt=leaf.attempt + 1)
        turn.writes.update("visit", {"seq": leaf.seq}, attempts=leaf.attempt + 1)
        limits.begin(turn, node)
        self._begin(turn, node)

    def body_ended(self, turn: Turn) -> bool:
        return self._iteration_ended(turn, failed=False)

    def iteration_failed(self, turn: Turn) -> None:
        node = turn.node(turn.frames[-1].node)
        if self._iteration_ended(turn, failed=True):
            paths.go_on(turn, node)

    def start_anew(self, turn: Turn) -> None:
        frame = turn.frames.pop()
        node, attempt = turn.node(frame.node), frame.data.get("attempt", 1)
        turn.leaf = Leaf(frame.node, frame.seq, frame.number, attempt)
        turn.writes.delete("wakeup", {"visit_seq": frame.seq})
        delay = node.policy.retry.delay_ms(attempt, random=turn.world.random)
        turn.rest(WaitKind.RETRY, "retry", due=turn.after(delay), wake="retry")

    def resumed(self, turn: Turn, node: Node, ask: Mapping[str, Any]) -> bool:
        """The loop failed of itself, at a condition: it goes on behind the iterations that are done, over the same items."""
        leaf = turn.leaf
        assert leaf is not None
        if leaf.index is None:
            return False
        turn.writes.update("visit", {"seq": leaf.seq}, outcome="", error=None, ended_at=None, completion=None)
        turn.leaf = None
        turn.reopen(leaf, attempt=leaf.attempt)
        if self._prepared(turn, node, items=turn.entry_of(leaf.seq)) and self._after(turn, leaf.index):
            paths.go_on(turn, node)
        return True

    def begin_again(self, turn: Turn, node: Node) -> None:
        """The iteration that is on its way starts again; those before it stay."""
        paths.remember(turn, first=turn.position.last_seq + 1, last=None)
        turn.target = node.children[0]

    def left(self, turn: Turn) -> None:
        """A jump ends the loop with the iterations finished so far."""
        self._finish(turn, turn.frames[-1].data.get("index", 0))

    def _begin(self, turn: Turn, node: Node) -> None:
        if self._prepared(turn, node) and self._next(turn, 0):
            paths.go_on(turn, node)

    def _prepared(self, turn: Turn, node: Node, *, items: Any = None) -> bool:
        """Note what the loop runs over, ``items`` where they are fixed already; ``False`` when it failed because that could not
        be evaluated."""
        frame, settings = turn.frames[-1], settings_of(node)
        try:
            limit = len(items) if isinstance(items, list) else self._limit(turn, settings)
        except ExpressionError as error:
            ladder.fail_container(turn, evaluation(error, "loop"))
            return False
        except _Unusable as problem:
            ladder.fail_container(turn, Fault(str(problem), "evaluation", final=True))
            return False
        data = {"attempt": frame.data["attempt"], "limit": limit, **names_of(settings)}
        turn.frames[-1] = replace(frame, data=data)
        return True

    def _limit(self, turn: Turn, settings: Mapping[str, Any]) -> int | None:
        """At most how many iterations there are, ``None`` without a bound. Fixes the items of an ``over``."""
        most = settings.get("max_iterations")
        if "over" in settings:
            items = _items(expressions.resolve(turn, settings["over"]))
            kept = items if most is None else items[: int(most)]
            turn.enter_with(turn.frames[-1].seq, kept)
            return len(kept)
        if "times" in settings:
            times = _count(expressions.resolve(turn, settings["times"]))
            return times if most is None else min(times, int(most))
        if settings.get("unbounded") is True:
            return None
        return MAX_WHILE if most is None else int(most)

    def _next(self, turn: Turn, index: int) -> bool:
        """Start iteration ``index``, or end the loop: ``True`` when it is over and control leads on from it."""
        paths.remember(turn, index=index)  # the condition may read the number of the iteration it decides about
        frame = turn.frames[-1]
        node, limit = turn.node(frame.node), frame.data["limit"]
        condition = settings_of(node).get("while")
        over = (limit is not None and index >= limit) or not node.children
        if not over and condition is not None:
            try:
                over = not expressions.holds(turn, condition)
            except ExpressionError as error:
                ladder.fail_container(turn, evaluation(error, "while"))
                return False
        if over:
            self._finish(turn, index)
            return True
        paths.remember(turn, first=turn.position.last_seq + 1, last=None)
        turn.target = node.children[0]
        return False

    def _iteration_ended(self, turn: Turn, *, failed: bool) -> bool:
        frame = turn.frames[-1]
        node, index = turn.node(frame.node), frame.data["index"]
        self._record(turn, node, failed=failed)
        return self._next(turn, index + 1) if failed else self._after(turn, index)

    def _after(self, turn: Turn, index: int) -> bool:
        """Whether the loop is over behind this iteration, which succeeded; else the next one begins."""
        until = settings_of(turn.node(turn.frames[-1].node)).get("until")
        if until is not None:
            try:
                if expressions.holds(turn, until):
                    self._finish(turn, index + 1)
                    return True
            except ExpressionError as error:
                ladder.fail_container(turn, evaluation(error, "until"))
                return False
        return self._next(turn, index + 1)

    def _record(self, turn: Turn, node: Node, *, failed: bool) -> None:
        """Note the iteration with the last step that ran in it, and which of the body's nodes it did not reach."""
        frame = turn.frames[-1]
        last, first, index = frame.data.get("last"), frame.data["first"], frame.data["index"]
        missed = [each for each in _body(turn, node) if not _reached(turn, each, first)]
        for each in missed:
            turn.unbind(each)
        if last is None:
            return
        row: dict[str, Any] = {
            "loop_seq": frame.seq,
            "iteration": index,
            "not_run": [each.id for each in missed] or None,
        }
        turn.writes.update("visit", {"seq": last}, **row)
        if not failed:
            turn.fresh_results[frame.seq, index] = _output(turn, last)
        else:
            turn.fresh_results[frame.seq, index] = None

    def _finish(self, turn: Turn, count: int) -> None:
        seq = turn.frames[-1].seq
        known = dict(turn.run.results(seq)) if count else {}
        known |= {index: output for (loop, index), output in turn.fresh_results.items() if loop == seq}
        results = [known.get(index) for index in range(count)]
        paths.close_container(turn, output={"results": results, "count": count})


class _Unusable(Exception):
    """What the loop is to run over is not usable."""


def settings_of(node: Node) -> Mapping[str, Any]:
    found = node.settings.get("loop")
    return found if isinstance(found, Mapping) else {}


def names_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """How the body calls its item and its place among the items; nothing where the loop has no items."""
    if "over" not in settings:
        return {}
    return {"item": settings.get("item") or "item", "place": settings.get("index")}


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [{"key": key, "value": each} for key, each in value.items()]
    raise _Unusable("over: this gives neither a list nor an object.")


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != int(value):
        raise _Unusable("times: this gives no whole number from 0.")
    return int(value)


def _body(turn: Turn, node: Node) -> list[Node]:
    """Every node inside the loop that this run answers for: not the inside of a parallel, whose branches are runs."""
    found: list[Node] = []
    todo = list(node.children)
    while todo:
        each = turn.node(todo.pop())
        found.append(each)
        if each.kind != kinds.PARALLEL:
            todo += each.children
    return found


def _reached(turn: Turn, node: Node, first: int) -> bool:
    bound = turn.bindings.get(node.id)
    return bound is not None and bound.seq >= first


def _output(turn: Turn, seq: int) -> Any:
    """The output of an ended visit; null when it failed."""
    ended = next((bound for bound in turn.bindings.values() if bound.seq == seq), None)
    succeeded = ended is not None and ended.outcome == Outcome.SUCCEEDED
    return turn.outputs[seq] if succeeded else None


KINDS[kinds.LOOP] = LoopContainer()
