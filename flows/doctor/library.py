"""What the doctor may ask about the things a flow calls.

Three answers are possible: yes, no, and ``None`` for "nobody here knows". A check that needs to know stays silent on
``None``: a file on its own must not be blamed for what only the library can tell.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Manifest: TypeAlias = Mapping[str, Any]
Definition: TypeAlias = Mapping[str, Any]


class Library(Protocol):
    """Functions, agents, flows and notification targets, each asked for by its path or name."""

    def has_function(self, path: str) -> bool | None: ...

    def manifest(self, path: str) -> Manifest | None:
        """The function's manifest; ``None`` where it has none or is not known."""
        ...

    def has_agent(self, path: str) -> bool | None: ...

    def agent_tools(self, path: str) -> Sequence[str] | None:
        """The paths of the functions that the agent may call; ``None`` where nobody knows."""
        ...

    def has_flow(self, path: str) -> bool | None: ...

    def definition(self, path: str) -> Definition | None:
        """The ``workflow_data`` that a sub-flow step naming ``path`` would run; ``None`` where nobody knows."""
        ...

    def notification_targets(self) -> Collection[str] | None:
        """The names of all of them; ``None`` where nobody knows."""
        ...


class NothingKnown:
    """A library about which nothing is known."""

    def has_function(self, path: str) -> bool | None:
        return None

    def manifest(self, path: str) -> Manifest | None:
        return None

    def has_agent(self, path: str) -> bool | None:
        return None

    def agent_tools(self, path: str) -> Sequence[str] | None:
        return None

    def has_flow(self, path: str) -> bool | None:
        return None

    def definition(self, path: str) -> Definition | None:
        return None

    def notification_targets(self) -> Collection[str] | None:
        return None


@dataclass(frozen=True, slots=True)
class Known:
    """A library that is known to the last item: what it does not hold does not exist.

    ``functions`` maps paths to manifests (``None``: the function has none), ``agents`` to the paths of their tools,
    ``flows`` to definitions; ``targets`` are the names of notification targets.
    """

    functions: Mapping[str, Manifest | None] = field(default_factory=dict)
    agents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    flows: Mapping[str, Definition] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()

    def has_function(self, path: str) -> bool | None:
        return path in self.functions

    def manifest(self, path: str) -> Manifest | None:
        return self.functions.get(path)

    def has_agent(self, path: str) -> bool | None:
        return path in self.agents

    def agent_tools(self, path: str) -> Sequence[str] | None:
        return self.agents.get(path)

    def has_flow(self, path: str) -> bool | None:
        return path in self.flows

    def definition(self, path: str) -> Definition | None:
        return self.flows.get(path)

    def notification_targets(self) -> Collection[str] | None:
        return self.targets
