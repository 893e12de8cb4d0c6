"""How much is measured: the figures that count, or a quick look."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """``drive``: steps of the long flow. ``flows``: runs of ten steps. ``answers``: single runs that are timed.

    ``timers`` are spread over ``timer_seconds``; ``parts`` runs of ``part_steps`` steps make the longest chain of runs,
    ``iterations`` the longest loop, ``branches`` the widest fan-out, ``nodes`` the largest definition.
    """

    drive: int = 1000
    flows: int = 300
    answers: int = 200
    timers: int = 200
    timer_seconds: float = 20.0
    parts: int = 10
    part_steps: int = 500
    iterations: int = 10_000
    branches: int = 500
    nodes: int = 1000
    raw_seconds: float = 2.0

    def arguments(self) -> dict[str, float]:
        return asdict(self)


FULL = Sizes()
QUICK = Sizes(
    drive=200,
    flows=50,
    answers=40,
    timers=50,
    timer_seconds=5.0,
    parts=5,
    part_steps=100,
    iterations=1000,
    branches=100,
    nodes=200,
    raw_seconds=0.5,
)
STEPS = 10
"""Steps of a short flow."""
