"""The doctor: what is wrong with a definition, where, and what to do about it.

Pure. It never raises, whatever JSON value it is given. An error keeps a flow from being published, imported and
started; warnings and suggestions do not.
"""

from collections.abc import Mapping
from typing import Any

from flows.doctor import (  # noqa: F401 - each registers its checks; their order is that of the findings on one node
    containers,
    edges,
    functions,
    ids,
    recovery,
    redo,
    shapes,
    steps,
    tasks,
    templates,
)
from flows.doctor.codes import CODES, Code, Severity
from flows.doctor.exam import Examination, LineOf, examine
from flows.doctor.findings import Finding
from flows.doctor.library import Known, Library, NothingKnown
from flows.doctor.runtime import examine_runtime
from flows.loader import Document
from flows.runtime import is_runtime
from flows.text import MAX_DEPTH, short
from flows.values import is_shallow

__all__ = [
    "CODES",
    "Code",
    "Finding",
    "Known",
    "Library",
    "NothingKnown",
    "Severity",
    "check",
    "check_document",
    "errors",
]

_PROPERTIES = {"title": str, "name": str, "description": str, "enabled": bool, "workflow_data": Mapping}


def check(
    workflow_data: Any,
    *,
    library: Library | None = None,
    flow_path: str | None = None,
    line_of: LineOf = lambda path: None,
) -> list[Finding]:
    """The findings of a definition in document order.

    ``library`` answers for what the flow calls; without one such checks are silent. ``flow_path`` is where the flow
    lives, for circles of sub-flows. ``line_of`` gives the line of a path, see :meth:`~flows.loader.Document.line_of`.
    """
    if not isinstance(workflow_data, Mapping):
        words = f"A flow's definition is a map with nodes, not {short(type(workflow_data).__name__)}."
        return [Finding("INVALID_VALUE", "error", "", "", words)]
    if not is_shallow(workflow_data, MAX_DEPTH):
        words = f"The definition is nested more than {MAX_DEPTH} levels deep. Move steps into sub-flows."
        return [Finding("INVALID_VALUE", "error", "", "", words)]
    if is_runtime(workflow_data):
        return examine_runtime(workflow_data, library or NothingKnown(), line_of)
    return examine(Examination(workflow_data, library or NothingKnown(), flow_path), line_of)


def check_document(
    document: Document, *, library: Library | None = None, flow_path: str | None = None
) -> list[Finding]:
    """As :func:`check`, for a whole document: also of what stands around the definition, and with lines."""
    around: list[Finding] = []
    for key, value in document.properties.items():
        line = document.lines.get(("properties", key))
        expected = _PROPERTIES.get(key)
        if expected is None:
            words = f"{short(key)} means nothing here and is kept."
            around.append(Finding("UNKNOWN_PROPERTY", "suggestion", "", f"properties.{key}", words, line))
        elif value is not None and not isinstance(value, expected):
            words = f"{key} is {'true or false' if expected is bool else 'text'}, not {short(value)}."
            around.append(Finding("INVALID_VALUE", "error", "", f"properties.{key}", words, line))
    found = check(document.workflow_data, library=library, flow_path=flow_path, line_of=document.line_of)
    return around + found


def errors(findings: list[Finding]) -> list[Finding]:
    """Those that keep the flow from being published and started."""
    return [finding for finding in findings if finding.is_error]
