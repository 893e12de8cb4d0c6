"""Gives each call to the executor that its kind, or the kind of its function, needs."""

from engine.outcomes import Failed, Pending, Result
from engine.ports import AGENT, Call, Executor
from flows import library, registry


class Dispatcher:
    """Implements :class:`engine.ports.Executor`: agents, functions of the code and HTTP functions each have their own."""

    def __init__(self, *, functions: Executor, http: Executor, agents: Executor) -> None:
        self._functions = functions
        self._http = http
        self._agents = agents

    def start(self, call: Call) -> Result | Pending:
        if call.kind == AGENT:
            return self._agents.start(call)
        if registry.find(call.path) is None:
            return self._http.start(call)
        if library.is_http(call.path):
            return Failed(library.TAKEN_TWICE.format(call.path), "function_ambiguous")
        return self._functions.start(call)
