"""What a step made, by name: evaluated over its output when it succeeds and stored then (contract seed, ``resources``).

Pure. A fault leaves the step succeeded, for its effect is done (design/engine-notes.md, section 7).
"""

from collections.abc import Mapping
from typing import Any

from engine.machine import expressions
from engine.machine.turn import Turn
from flows import kinds
from flows.expressions import ExpressionError
from flows.graph import Node
from flows.values import dumps


def made_by(turn: Turn, node: Node, output: Any) -> dict[str, str]:
    """The step's own mapping, else its manifest's, as texts; null ones are left out."""
    mapping = node.settings.get("resources")
    if mapping is None and node.kind == kinds.FUNCTION:
        path = kinds.reference_path(node.settings.get("function_ref"))
        mapping = (turn.graph.manifests.get(path or "") or {}).get("resources")
    if not isinstance(mapping, Mapping):
        return {}
    try:
        found: dict[str, Any] = expressions.resolve(turn, mapping, output=output)
    except ExpressionError as error:
        words = f"The step is done, but what it made could not be evaluated: {error.message}"
        turn.event("log", node.id, level="error", message=words)
        return {}
    return {
        name: value if isinstance(value, str) else dumps(value) for name, value in found.items() if value is not None
    }
