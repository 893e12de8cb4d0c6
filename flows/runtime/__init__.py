"""raisin's runtime format: a flat graph with ``start``, ``end`` and ``next_node`` (reference/flow-format.md, section 14).

Pure. Such a flow is imported as it is and run as it is: :func:`runtime_layout` says where its nodes stand, in the shape in which
steps and containers are lowered, so that the engine walks one kind of graph.
"""

from flows.runtime.layout import runtime_layout
from flows.runtime.nodes import FlatGraph, FlatNode, is_runtime, read_graphs
from flows.runtime.translation import as_steps

__all__ = ["FlatGraph", "FlatNode", "as_steps", "is_runtime", "read_graphs", "runtime_layout"]
