"""Telling people and programs that a recovery gave up (design/recovery.md, "Scope recovery": ``notify``).

A notice is a row, written in the transaction of the decision, so that no death loses it; a worker sends it after the commit, and
whatever comes of it changes no run.

At most once: a worker claims the row before it sends. If it dies then, or nobody answers, the notice may have arrived, and is not
sent again: whoever is woken twice by one failure looks for a second one, and Sultana itself shows what is held or failed, so a
notice that got lost loses nothing else. The run's record says so. What certainly did not arrive (no connection, a refusal for
now) is tried again, for some hours.
"""

from engine.notices.delivery import deliver
from engine.notices.sweeping import sweep

__all__ = ["deliver", "sweep"]
