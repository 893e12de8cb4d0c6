"""Gives each call to the executor that its kind needs."""

from engine.outcomes import Pending, Result
from engine.ports import AGENT, Call, Executor


class Dispatcher:
    """Implements :class:`engine.ports.Executor`: agents here, functions and compensations there."""

    def __init__(self, *, functions: Executor, agents: Executor) -> None:
        self._functions = functions
        self._agents = agents

    def start(self, call: Call) -> Result | Pending:
        executor = self._agents if call.kind == AGENT else self._functions
        return executor.start(call)
