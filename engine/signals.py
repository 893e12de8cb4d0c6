"""What the rows of :class:`engine.models.Signal` say, as happenings.

A signal is written by whoever has news for a run and read by its driver, in the transaction of the transition it leads to.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from engine import outcomes
from engine.machine.happenings import (
    AbandonAsked,
    Answered,
    Arrived,
    BranchFailed,
    CallEnded,
    CancelAsked,
    ChildEnded,
    ChildHeld,
    Happening,
    ResumeAsked,
    Ruled,
    TreeHeld,
    Woke,
)
from engine.store.loading import News


def happening_of(news: News) -> Happening:
    """The happening a signal stands for. Raises ``KeyError`` for a kind this release does not know."""
    payload: Mapping[str, Any] = news.payload
    match news.kind:
        case "wake":
            return Woke(
                payload["kind"], payload["seq"], payload["attempt"], payload.get("early", 0.0), payload.get("by", "")
            )
        case "answered":
            return Answered(payload["seq"], payload["output"])
        case "arrived":
            return Arrived(payload["seq"], payload["data"])
        case "result":
            return CallEnded(outcomes.tidied(outcomes.from_json(payload["result"])), payload["seq"], payload["attempt"])
        case "child_ended":
            return ChildEnded(
                payload["seq"],
                UUID(payload["child"]),
                payload["status"],
                payload["output"],
                payload["error"],
                payload["compensations"],
            )
        case "branch_failed":
            return BranchFailed(**{**payload, "child": UUID(payload["child"])})
        case "ruled":
            return Ruled(**payload)
        case "cancel":
            return CancelAsked(payload["by"], payload["roll_back"])
        case "resume":
            held = payload.get("held")
            return ResumeAsked(**{**payload, "held": UUID(held) if held else None})
        case "abandon":
            return AbandonAsked(**payload)
        case "child_held":
            return ChildHeld(UUID(payload["child"]), payload["reason"], payload["message"])
        case "tree_held":
            return TreeHeld()
        case _:
            raise KeyError(f"A signal of the kind {news.kind} is not known to this release.")
