"""What the measured flows call: as little as a step can do, so that what is measured is the step around it."""

import time

from flows.registry import Arguments, CallContext, Json, function


@function("/bench/add")
def add(arguments: Arguments, ctx: CallContext) -> Json:
    """One more than ``n``: a small output that the next step reads."""
    return {"n": arguments["n"] + 1}


@function("/bench/stamp")
def stamp(arguments: Arguments, ctx: CallContext) -> Json:
    """The moment of the call, by the clock that all processes of the machine share and by the time of day (seconds)."""
    return {"monotonic": time.monotonic(), "time": time.time()}
