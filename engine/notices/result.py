"""What came of one try to tell somebody."""

from dataclasses import dataclass

from engine.states import NoticeState


@dataclass(frozen=True, slots=True)
class Tried:
    """``state`` is the notice's end, ``None`` when it certainly did not arrive and may be tried again; ``problem`` says why."""

    state: NoticeState | None
    problem: str = ""


SENT = Tried(NoticeState.SENT)


def refused(problem: str) -> Tried:
    """It did not arrive, and would not the next time."""
    return Tried(NoticeState.FAILED, problem)


def unknown(problem: str) -> Tried:
    """It may have arrived."""
    return Tried(NoticeState.UNKNOWN, problem)


def not_now(problem: str) -> Tried:
    """It did not arrive, and may the next time."""
    return Tried(None, problem)
