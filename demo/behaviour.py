"""Functions that can be told to misbehave: how the demo registers what it offers to flows."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps

from django.db.models import F

from demo.models import Behaviour
from flows.registry import Arguments, CallContext, Function, FunctionError, Json, UnknownOutcome, function


def demo_function(path: str, **manifest: Json) -> Callable[[Function], Function]:
    """Register the decorated function as :func:`flows.registry.function` does; each call first asks for its behaviour.

    The wrapper stands outside the function's transactions, so nothing is locked while a call is slow or silent.
    """

    def register(call: Function) -> Function:
        @wraps(call)
        def behaving(arguments: Arguments, ctx: CallContext) -> Json:
            told = _told(path)
            if told is None:
                return call(arguments, ctx)
            return _misbehave(told, lambda: call(arguments, ctx))

        return function(path, **manifest)(behaving)

    return register


def _told(path: str) -> Behaviour | None:
    """How this call must behave, counted against ``times``. ``None``: it works."""
    told = Behaviour.objects.filter(path=path, enabled=True).exclude(mode=Behaviour.Mode.WORKS).first()
    if told is None or told.times is None:
        return told
    counted = Behaviour.objects.filter(pk=told.pk, times__gt=0).update(times=F("times") - 1)
    return told if counted else None


def _misbehave(told: Behaviour, call: Callable[[], Json]) -> Json:
    match told.mode:
        case Behaviour.Mode.FAILS:
            message = told.message or f"{told.path} was told to fail."
            raise FunctionError(message, code=told.code or None, status=told.status)
        case Behaviour.Mode.AMBIGUOUS:
            with suppress(FunctionError):  # a refusal is lost on the way like any other answer
                call()
            message = told.message or "The connection was lost before the answer came."
            raise UnknownOutcome(message, code=told.code or "connection_lost", status=told.status)
        case Behaviour.Mode.NEVER_ANSWERS:
            _wait_for_ever()
        case Behaviour.Mode.SLOW:
            time.sleep(told.delay_ms / 1000)
    return call()


def _wait_for_ever() -> None:
    """Until whoever called interrupts at the deadline. Short naps, so that a signal handler gets its turn anywhere."""
    while True:
        time.sleep(0.5)
