"""What happens if a step fails, told before it does: the engine's own ladder, climbed over a graph instead of a run.

Pure. design/semantics.md, "When an attempt fails"; design/recovery.md, "Ladder, in detail" and "Unknown outcomes".
"""

from engine.whatif.foreseeing import HOWS, How, foresee
from engine.whatif.rungs import Rung, Undo

__all__ = ["HOWS", "How", "Rung", "Undo", "foresee"]
