"""Slots: the iterations around a visit, named by what they are about, so that a later visit for the same effect is recognised.

Pure.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from engine.machine.turn import Turn
from flows.values import dumps

NO_LOOP: Final = "."
"""The slot of what stands in no loop."""


def slot(turn: Turn) -> str:
    """The iterations around this place by what they are about: their numbers and items. Another item is another effect."""
    return "/".join(
        [NO_LOOP, *(_iteration(turn, frame.seq, frame.data) for frame in turn.frames if "index" in frame.data)]
    )


def _iteration(turn: Turn, loop: int, data: Mapping[str, Any]) -> str:
    index = data["index"]
    if data.get("item") is None:
        return str(index)
    item = dumps(turn.entries[loop][index]).encode()
    return f"{index}#{hashlib.sha256(item).hexdigest()[:16]}"
