"""What the engine makes of a flow, for people: every step with its ways out, its retries and what undoes it.

Pure. The shape is that of reference/flow-format.md, section 15: an ``and`` passes through, an ``or`` becomes decisions
``<id>``, ``<id>__rule1``, ... and ``<id>__router``, a branch ends at its own end, a loop's body leads back to the loop.
"""

from flows.explain.lines import Compensation, Explanation, Line, Way, explain
from flows.explain.render import as_json, as_mermaid, as_text

__all__ = ["Compensation", "Explanation", "Line", "Way", "as_json", "as_mermaid", "as_text", "explain"]
