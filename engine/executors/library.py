"""Calls functions of the library in the worker itself, under a deadline that really interrupts them."""

import json
import logging
import traceback
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from jsonschema import Draft202012Validator

from engine.cluster.deadline import DeadlinePassed, deadline
from engine.outcomes import Failed, Pending, Result, Succeeded, TimedOut, Unknown
from engine.ports import Call, Clock
from flows import library, registry
from flows.registry import CallContext, FunctionError, UnknownOutcome
from flows.values import NotKept, dumps, recorded

log = logging.getLogger("sultana.functions")
PLAIN = "The function stopped with an error of its own."


class LibraryExecutor:
    """Runs the function that a call names. User exceptions become results; only the death of the process is raised."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def start(self, call: Call) -> Result | Pending:
        found = registry.find(call.path)
        if found is None:
            return Failed(f"There is no function {call.path} in the library.", "function_not_found")
        problem = argument_problem(call.path, call.arguments, library.manifest_of(call.path))
        if problem is not None:
            return Failed(problem, "invalid_arguments", error_type="validation")
        return carry_out(found.call, call, self._clock)


def carry_out(function: registry.Function, call: Call, clock: Clock) -> Result:
    """Call ``function`` with the call's arguments and under its deadline: its answer, or what became of it."""
    left = (call.deadline_at - clock.now()).total_seconds()
    return _finished(_guarded(function, call, left)) if left > 0 else TimedOut()


def _guarded(function: registry.Function, call: Call, seconds: float) -> Result:
    """The function's answer, or what its exception or its deadline means."""
    arguments: dict[str, Any] = json.loads(dumps(call.arguments))  # its own copy: user code cannot change the run
    context = CallContext(
        instance_id=str(call.instance_id),
        node_id=call.node_id,
        visit=call.visit,
        attempt=call.attempt,
        idempotency_key=call.idempotency_key,
        deadline=call.deadline_at,
        is_test=call.is_test,
        log=log,
    )
    try:
        with deadline(seconds):
            return Succeeded(function(arguments, context))
    except DeadlinePassed:
        _close_connections()
        return TimedOut()
    except UnknownOutcome as error:
        return Unknown(error.message, error.code or "connection_lost", error.status)
    except FunctionError as error:
        raised = names_of(type(error))
        return Failed(error.message, error.code, error.status, error.retry_after, raised=raised)
    except (Exception, SystemExit) as error:
        log.warning("%s failed", call.path, exc_info=error)
        leave_broken_transaction()
        text = "".join(traceback.format_exception(error))
        return Failed(PLAIN, type(error).__name__, traceback=text, raised=names_of(type(error)))


def _finished(result: Result) -> Result:
    """A success only counts when its output is JSON and within the limit."""
    if not isinstance(result, Succeeded):
        return result
    try:
        return Succeeded(recorded(result.output, most=settings.SULTANA_OUTPUT_LIMIT))
    except NotKept as problem:
        return Failed(f"The output {problem}", "invalid_output", error_type="validation")


def argument_problem(path: str, arguments: Any, manifest: Mapping[str, Any] | None) -> str | None:
    """What does not fit the ``input_schema`` of the function's manifest, in words; ``None`` when everything does."""
    schema = (manifest or {}).get("input_schema")
    if schema is None:
        return None
    error = next(Draft202012Validator(schema).iter_errors(arguments), None)
    if error is None:
        return None
    place = "/".join(map(str, error.absolute_path)) or "arguments"
    return f"The arguments do not fit {path} at {place}: {error.message}"


def names_of(kind: type[BaseException]) -> tuple[str, ...]:
    """The names by which a manifest may class an exception: of the class and its bases, bare and dotted."""
    own = [each for each in kind.__mro__ if issubclass(each, Exception) and each is not Exception]
    return tuple(name for each in own for name in (each.__name__, f"{each.__module__}.{each.__qualname__}"))


def _close_connections() -> None:
    """An interruption may have left a transaction half open: nothing of it may be reused."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        connection.in_atomic_block = False
        connection.savepoint_ids = []
        connection.needs_rollback = False
        connection.atomic_blocks = []


def leave_broken_transaction() -> None:
    """A function that left a transaction open by hand must not lend it to the driver."""
    for connection in connections.all(initialized_only=True):
        if connection.in_atomic_block:
            _close_connections()
            return
        if not connection.get_autocommit():
            transaction.set_autocommit(True, using=connection.alias)
