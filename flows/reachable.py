"""Every node that a run of a flow can come to, in the flow itself and in the flows that it runs.

Pure, and at ease with definitions that the doctor refuses.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from flows import kinds
from flows.doctor.library import Definition, Library
from flows.kinds import RawNode


def nodes_of(definition: Definition) -> Iterator[tuple[RawNode, bool]]:
    """Every node of one definition in document order, and whether it is a probe of a ``reconcile``. Disabled steps never run."""
    for node in kinds.walk(_listed(definition.get("nodes"))):
        if kinds.properties(node).get("disabled") is True and not kinds.is_container(node):
            continue
        yield node, False
        reconcile = kinds.properties(node).get("reconcile")
        for probe in kinds.walk(_listed(reconcile.get("steps") if isinstance(reconcile, Mapping) else None)):
            yield probe, True


def sub_flows(definition: Definition, library: Library) -> dict[str, Definition]:
    """The flows that it can come to run, by path, at whatever depth; those that nobody knows are left out."""
    found: dict[str, Definition] = {}
    waiting = [definition]
    while waiting:
        for path in _called(waiting.pop()):
            inner = None if path in found else library.definition(path)
            if inner is not None:
                found[path] = inner
                waiting.append(inner)
    return found


def all_nodes(definition: Definition, library: Library) -> Iterator[tuple[str, RawNode, bool]]:
    """The nodes of a flow and of those that it runs: the path of the flow (empty for itself), the node, whether it is a probe."""
    for flow, each in {"": definition, **sub_flows(definition, library)}.items():
        for node, is_probe in nodes_of(each):
            yield flow, node, is_probe


def _called(definition: Definition) -> list[str]:
    found = (
        kinds.reference_path(kinds.properties(node).get("flow_ref"))
        for node, _ in nodes_of(definition)
        if kinds.kind_of(node) == kinds.SUB_FLOW
    )
    return [path for path in found if path]


def _listed(nodes: Any) -> list[RawNode]:
    return [each for each in nodes if isinstance(each, Mapping)] if isinstance(nodes, list) else []
