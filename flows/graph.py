"""A definition as the engine walks it: a flat list of numbered nodes.

Pure and frozen; :mod:`flows.lowering` makes it once per version, and a version stores it as JSON, so that a run goes on
with the graph it started with whatever a later release does (design/engine-notes.md, section 8).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from flows import kinds

LOWERING: Final = 2
"""Number of the lowering's format; stored with every graph."""

READABLE: Final = (1, 2)
"""Formats that this release can walk: the first knew no probes and no reads."""

END_INDEX: Final = -1
"""The index that stands for the end of the graph in a jump."""

BRANCH_INPUT: Final = "__branch_input"
"""A setting of a parallel branch that only lowering makes: the template of its input."""

DELAY_TABLE: Final = (10_000, 30_000, 60_000, 120_000)
"""Delays in milliseconds where neither ``retry`` nor a preset says one; the last one repeats."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a visit is tried again, and after which delays. ``base_ms`` of ``None`` means the delay table."""

    max_retries: int = 0
    base_ms: float | None = None
    max_ms: float | None = None
    jitter: float = 0.0

    def delay_ms(self, retry: int, *, random: float = 0.0) -> float:
        """The delay before the ``retry``-th retry (1-based): base x 2^(n-1), at most the maximum, plus jitter.

        ``random`` in [0, 1) spreads the delay by up to ``jitter`` of its length; it never shortens it.
        """
        if self.base_ms is None:
            delay = float(DELAY_TABLE[min(retry, len(DELAY_TABLE)) - 1])
        else:
            delay = self.base_ms * 2.0 ** min(retry - 1, 60)
        if self.max_ms is not None:
            delay = min(delay, self.max_ms)
        return delay * (1 + self.jitter * random)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a node declares for its own failure: the first four rows of the ladder (design/semantics.md)."""

    retry: RetryPolicy = RetryPolicy()
    must_succeed: bool = False
    error_edge: int | None = None
    timeout_edge: int | None = None
    passes: bool = False
    """``continue_on_fail``, ``optional`` or ``on_error: continue|skip``."""
    declares_handling: bool = False
    """The step says how it wants to be handled, so a flow-wide ``error_strategy`` leaves it alone."""
    on_error: Literal["continue", "stop"] | None = None
    """What an enclosing loop or parallel does with a failed iteration or branch; ``None`` when not written out."""


@dataclass(frozen=True, slots=True)
class Node:
    """One step or container. Indexes point into :attr:`Graph.nodes`; ``None`` means there is none."""

    index: int
    id: str
    kind: str
    policy: Policy
    parent: int | None = None
    next: int | None = None
    children: tuple[int, ...] = ()
    disabled: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Properties (of a step) or keys (of a container) as authored, templates unresolved; jump names as indexes
    are in ``edges``."""
    edges: Mapping[str, int] = field(default_factory=dict)
    """``yes_branch`` and ``no_branch`` of a decision as indexes."""
    owner: int | None = None
    """The step in whose ``reconcile`` the node stands, which is its ``parent`` as well when it stands in no other container."""
    probes: tuple[int, ...] = ()
    """The root nodes of the step's ``reconcile``."""
    reads: tuple[str, ...] = ()
    """Ids whose results its templates and conditions read, ``*`` for those of every node; told where a ``recovery`` asks."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole flow. ``first`` is the root node a run begins with, ``None`` for an empty flow."""

    nodes: tuple[Node, ...]
    first: int | None
    error_strategy: str = "fail_fast"
    on_failure: str = "rollback"
    recovery: Mapping[str, Any] | None = None
    manifests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By function path: the manifest's policy part as it was when the version was made."""
    lowering: int = LOWERING

    def ancestors(self, index: int) -> tuple[int, ...]:
        """The containers around a node, outermost first."""
        found: list[int] = []
        parent = self.nodes[index].parent
        while parent is not None:
            found.append(parent)
            parent = self.nodes[parent].parent
        return tuple(reversed(found))

    @property
    def recovers(self) -> bool:
        """Whether any scope of the flow declares ``recovery``."""
        return self.recovery is not None or any(recovery_of(node) is not None for node in self.nodes)

    def inside(self, index: int) -> tuple[int, ...]:
        """Every node inside a container, at any depth, in document order."""
        found: list[int] = []
        stack = list(reversed(self.nodes[index].children))
        while stack:
            found.append(stack.pop())
            stack += reversed(self.nodes[found[-1]].children)
        return tuple(found)

    def manifest_of(self, node: Node) -> Mapping[str, Any] | None:
        """The policy part of the manifest of the function that ``node`` calls, as the version was made with it."""
        return self.manifests.get(kinds.reference_path(node.settings.get("function_ref")) or "")

    def find(self, node_id: str) -> Node | None:
        """The node of that id, or ``None``."""
        return next((node for node in self.nodes if node.id == node_id), None)


def recovery_of(node: Node) -> Mapping[str, Any] | None:
    """What a container declares for failures inside it; ``None`` where it declares nothing."""
    found = node.settings.get("recovery") if node.children else None
    return found if isinstance(found, Mapping) else None


def limit_of(node: Node) -> float | None:
    """How many milliseconds a container may take; ``None`` where it does not say."""
    limit = node.settings.get("timeout_ms")
    is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
    return float(limit) if is_number and limit > 0 else None  # type: ignore[operator,arg-type]


def to_json(graph: Graph) -> dict[str, Any]:
    """The graph as plain JSON values; :func:`from_json` is its inverse."""
    return asdict(graph)


def from_json(data: Mapping[str, Any]) -> Graph:
    """The graph that :func:`to_json` wrote. Raises ``ValueError`` for a lowering this release cannot read."""
    if data["lowering"] not in READABLE:
        raise ValueError(f"This version was made by lowering {data['lowering']}, this release reads up to {LOWERING}.")
    return Graph(**{**data, "nodes": tuple(_node(each) for each in data["nodes"])})


def _node(data: Mapping[str, Any]) -> Node:
    policy = data["policy"]
    return Node(
        **{
            **data,
            "children": tuple(data["children"]),
            "probes": tuple(data.get("probes", ())),
            "reads": tuple(data.get("reads", ())),
            "policy": Policy(**{**policy, "retry": RetryPolicy(**policy["retry"])}),
        }
    )
