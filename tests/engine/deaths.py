"""A worker that dies at one moment of a run, and another that takes over."""

from collections.abc import Callable

from engine import failpoints, recovery
from tests.engine.world import Died, World


class Killer:
    """Lets the worker die at the ``at``-th moment, counted from one; ``moment`` is its name once that happened."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, 0
        self.moment: str | None = None

    def __call__(self, name: str) -> None:
        self.seen += 1
        if self.seen == self.at:
            self.moment = name
            raise Died(name)


def live_on(world: World, killer: Killer, *, rounds: int, between: Callable[[], object] = lambda: None) -> None:
    """Settle so many times, a minute apart, through the death; ``between`` is what people do meanwhile."""
    failpoints.listen(killer)
    try:
        for _ in range(rounds):
            try:
                world.settle()
                between()
                world.later(minutes=1)
            except Died:
                bury(world)
    finally:
        failpoints.listen(None)


def bury(world: World) -> None:
    """The worker is dead and its hints are lost; the sweep finds what nobody moves any more.

    A death inside the claim's transaction leaves no lease behind, so that the sweep is needed beside the notice of the death.
    """
    world.queue.lose()
    recovery.worker_died("node:1", world.ports)
    recovery.sweep(world.ports)
