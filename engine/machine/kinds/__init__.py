"""What each kind of node does, one module a kind.

Pure. A kind overrides only what it has an opinion on; the order of events (open, guard, begin, retry, finish, fail) belongs to
the modules around it. Importing :mod:`engine.machine.kinds.all` fills :data:`KINDS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.machine.happenings import ChildEnded
    from engine.machine.turn import Turn
    from engine.outcomes import Result
    from flows.graph import Node


class Kind:
    """Base of all kinds. A method that a kind does not have never happens to it: the default changes nothing."""

    def enter(self, turn: Turn, node: Node) -> None:
        """The node was reached and its guard is true."""

    def try_again(self, turn: Turn, node: Node) -> None:
        """The delay before the next attempt of the open visit is over."""

    def call_ended(self, turn: Turn, node: Node, result: Result) -> None:
        """The call that the open attempt made ended."""

    def woke(self, turn: Turn, node: Node) -> None:
        """The time the open visit waited for has come."""

    def answered(self, turn: Turn, node: Node, output: dict[str, Any]) -> None:
        """A person answered the open visit's task."""

    def arrived(self, turn: Turn, node: Node, data: Any) -> None:
        """The event the open visit waits for arrived."""

    def child_ended(self, turn: Turn, node: Node, child: ChildEnded) -> None:
        """A child run of the open visit ended, the last one it waits for."""

    def body_ended(self, turn: Turn) -> bool:
        """The last child in this container (the innermost open one) is over. ``True`` when the container is over, too."""
        return True

    def iteration_failed(self, turn: Turn) -> None:
        """The iteration of this loop (the innermost open container) failed, and the loop goes on all the same."""

    def start_anew(self, turn: Turn) -> None:
        """This construct (the innermost open container) failed and has retries left: it starts anew after their delay."""

    def resumed(self, turn: Turn, node: Node, ask: Mapping[str, Any]) -> bool:
        """The run failed in this node's visit and is resumed. ``True`` when the visit goes on, in the child runs that
        failed; else the node is visited again."""
        return False

    def begin_again(self, turn: Turn, node: Node) -> None:
        """A redo of all that is in this container (the innermost open one) starts at its entry."""

    def left(self, turn: Turn) -> None:
        """A jump leaves this container (the innermost open one)."""


KINDS: Final[dict[str, Kind]] = {}
