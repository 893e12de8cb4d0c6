"""Imports every kind, which puts it into :data:`engine.machine.kinds.KINDS`."""

from engine.machine.kinds import (
    agent,
    agent_decision,
    ai_sequence,
    chat,
    competition,
    decision,
    function,
    human_task,
    loop,
    parallel,
    sequence,
    stop,
    sub_flow,
    wait,
)

__all__ = [
    "agent",
    "agent_decision",
    "ai_sequence",
    "chat",
    "competition",
    "decision",
    "function",
    "human_task",
    "loop",
    "parallel",
    "sequence",
    "stop",
    "sub_flow",
    "wait",
]
