"""The functions an agent may use by itself, as a model is offered them and as they are called for it."""

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from engine.executors.conversation import Tool, Use
from engine.executors.http import sender
from engine.executors.library import PLAIN, argument_problem, leave_broken_transaction
from engine.ports import Call
from flows import library, registry
from flows.registry import CallContext, FunctionError
from flows.values import dumps

log = logging.getLogger("sultana.agents")
MOST_BYTES: Final = 65_536
"""Of one tool's result: a longer one would crowd everything else out of the conversation."""

CallFunction: TypeAlias = Callable[[str, dict[str, Any], CallContext], Any]
"""Calls the function of a path with arguments. May raise whatever the function raises."""


def offered(paths: Iterable[str]) -> list[Tool]:
    """The tools of an agent; functions that are not in the library are left out."""
    found: list[Tool] = []
    for path in paths:
        if registry.find(path) is not None or library.is_http(path):
            manifest = library.manifest_of(path) or {}
            words = str(manifest.get("description") or manifest.get("title") or path)
            parameters = manifest.get("input_schema") or {"type": "object"}
            found.append(Tool(_name(path, [each.name for each in found]), path, words, parameters))
    return found


def call_function(call: Call, ctx: CallContext) -> Any:
    """Call the function of the library that ``call`` names. Raises what the function raises."""
    found = registry.find(call.path)
    return sender(call)(call.arguments, ctx) if found is None else found.call(call.arguments, ctx)


class Toolbox:
    """The tools of one run. What goes wrong in one is told to the model, which may try something else."""

    def __init__(self, tools: Sequence[Tool], ctx: CallContext, call: CallFunction) -> None:
        self._by_name = {tool.name: tool for tool in tools}
        self._ctx = ctx
        self._call = call
        self._calls: dict[str, int] = {}

    def find(self, use: Use) -> Tool | None:
        return self._by_name.get(use.name)

    def result(self, use: Use) -> Any:
        """What the model is told: the function's output, or ``{error}``."""
        tool = self.find(use)
        if tool is None:
            return {"error": f"There is no tool {use.name}."}
        arguments, problem = read_arguments(tool.path, use)
        if problem is not None:
            return {"error": problem}
        try:
            return self._bounded(self._call(tool.path, arguments, self._context(tool.path, arguments)))
        except FunctionError as error:
            return {"error": error.message, **({"code": error.code} if error.code else {})}
        except (Exception, SystemExit) as error:
            log.warning("%s failed for an agent", tool.path, exc_info=error)
            leave_broken_transaction()
            return {"error": PLAIN}

    def _context(self, path: str, arguments: Mapping[str, Any]) -> CallContext:
        """The key is the same when another attempt makes the same call, so that its effect is had once."""
        digest = hashlib.sha256(dumps([path, arguments]).encode()).hexdigest()[:16]
        count = self._calls[digest] = self._calls.get(digest, 0) + 1
        return replace(self._ctx, idempotency_key=f"{self._ctx.idempotency_key}:{digest}:{count}")

    def _bounded(self, output: Any) -> Any:
        try:
            size = len(dumps(output).encode())
        except (TypeError, ValueError, RecursionError):
            return {"error": "The function's output is not JSON."}
        too_long = f"The output has {size:,} bytes; an agent is given at most {MOST_BYTES:,}."
        return output if size <= MOST_BYTES else {"error": too_long}


def read_arguments(path: str, use: Use) -> tuple[dict[str, Any], str | None]:
    """The arguments a model wrote, and what is wrong with them under the function's manifest, in words."""
    try:
        arguments = json.loads(use.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return {}, f"The arguments are not JSON: {error}"
    if not isinstance(arguments, dict):
        return {}, "The arguments must be an object."
    return arguments, argument_problem(path, arguments, library.manifest_of(path))


def _name(path: str, taken: Sequence[str]) -> str:
    """A name that the protocol allows: letters, digits, ``_`` and ``-``, at most 64."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", path.strip("/"))[-60:] or "tool"
    count = sum(1 for each in taken if each == plain or each.startswith(f"{plain}__"))
    return plain if count == 0 else f"{plain}__{count}"
