"""The functions of the chaos flow."""

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from flows.registry import Arguments, CallContext, FunctionError, Json, function
from tests.chaos.effects.models import Effect

LONGEST = 0.02  # seconds of a call


@contextmanager
def _traced(ctx: CallContext) -> Iterator[None]:
    began = time.monotonic()
    row = Effect.objects.create(
        run=ctx.instance_id,
        key=ctx.idempotency_key,
        node_id=ctx.node_id,
        attempt=ctx.attempt,
        pid=os.getpid(),
        began=began,
    )
    time.sleep(random.uniform(0, LONGEST))
    yield
    Effect.objects.filter(pk=row.pk).update(ended=time.monotonic())


@function("/chaos/act")
def act(arguments: Arguments, ctx: CallContext) -> Json:
    with _traced(ctx):
        return {ctx.node_id: ctx.idempotency_key}


@function("/chaos/stumble")
def stumble(arguments: Arguments, ctx: CallContext) -> Json:
    """Fails the first ``times`` tries."""
    with _traced(ctx):
        pass
    if ctx.attempt <= arguments["times"]:
        raise FunctionError("Not yet.", code="busy")
    return {ctx.node_id: ctx.idempotency_key}


@function("/chaos/refuse")
def refuse(arguments: Arguments, ctx: CallContext) -> Json:
    with _traced(ctx):
        pass
    raise FunctionError("Never.", code="refused")


@function("/chaos/undo")
def undo(arguments: Arguments, ctx: CallContext) -> Json:
    with _traced(ctx):
        return {"undone": arguments["what"]}
