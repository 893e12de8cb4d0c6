"""Imports every kind, which puts it into :data:`engine.machine.kinds.KINDS`."""

from engine.machine.kinds import agent, decision, function, human_task, loop, parallel, sequence, stop, sub_flow, wait

__all__ = ["agent", "decision", "function", "human_task", "loop", "parallel", "sequence", "stop", "sub_flow", "wait"]
