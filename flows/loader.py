"""A flow's document: ``.node.yaml`` text in, :class:`Document` out, and back.

Pure. The form is reference/flow-format.md, section 1; a bare ``workflow_data`` mapping (YAML or JSON) is read too.
Unknown keys are kept: nothing a document says is lost on its way through.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flows.text import MAX_BYTES, DocumentError, Format, Lines, Path, read, write_json, write_yaml

NODE_TYPE: Final = "raisin:Flow"
NAME: Final = re.compile(r"\w[\w.-]{0,99}")
"""A flow's name: the last segment of its path."""

_BARE_KEYS: Final = frozenset({"version", "nodes"})


@dataclass(frozen=True, slots=True)
class Document:
    """One flow as it was written. ``content`` is the whole text's value, in the form in which it came.

    ``lines`` knows where its parts stand and plays no part in comparisons.
    """

    content: Mapping[str, Any]
    lines: Lines = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_bare(self) -> bool:
        """Whether the text was a ``workflow_data`` mapping without its node around it."""
        return self.content.get("node_type") != NODE_TYPE

    @property
    def properties(self) -> Mapping[str, Any]:
        """What stands beside ``workflow_data``; empty for a bare document."""
        return {} if self.is_bare else self.content["properties"]

    @property
    def workflow_data(self) -> Mapping[str, Any]:
        """The definition itself."""
        return self.content if self.is_bare else self.content["properties"]["workflow_data"]

    @property
    def root(self) -> Path:
        """The path of ``workflow_data`` in the text."""
        return () if self.is_bare else ("properties", "workflow_data")

    @property
    def name(self) -> str:
        """The flow's name, empty when the document gives none."""
        return self._text("name")

    @property
    def title(self) -> str:
        return self._text("title")

    @property
    def description(self) -> str:
        return self._text("description")

    @property
    def enabled(self) -> bool | None:
        """``None`` where the document does not say."""
        found = self.properties.get("enabled")
        return found if isinstance(found, bool) else None

    def line_of(self, path: Path) -> int | None:
        """The line of the value at ``path`` within ``workflow_data``, or of the closest thing around it."""
        whole = (*self.root, *path)
        for length in range(len(whole), -1, -1):
            if whole[:length] in self.lines:
                return self.lines[whole[:length]]
        return None

    def enveloped(self, **defaults: Any) -> "Document":
        """The same flow in the ``.node.yaml`` form; ``defaults`` fill in what its properties do not say."""
        given = {key: value for key, value in self.properties.items() if key != "workflow_data"}
        around = {key: value for key, value in self.content.items() if not self.is_bare and key != "properties"}
        properties = {**defaults, **given, "workflow_data": self.workflow_data}
        return Document({"node_type": NODE_TYPE, **around, "properties": properties})

    def _text(self, key: str) -> str:
        found = self.properties.get(key)
        return found if isinstance(found, str) else ""


def load(text: str | bytes, *, format: Format | None = None, max_bytes: int = MAX_BYTES) -> Document:
    """The document in ``text`` (YAML or JSON). Raises :class:`~flows.text.DocumentError`."""
    parsed = read(text, format=format, max_bytes=max_bytes)
    content = parsed.value
    if not isinstance(content, dict):
        raise DocumentError("This is no flow: it has no node_type and no nodes.", 1, code="not_a_flow")
    if "node_type" not in content and content.keys() & _BARE_KEYS:
        return Document(content, parsed.lines)
    if content.get("node_type") != NODE_TYPE:
        raise DocumentError(f"This is no flow: node_type is not {NODE_TYPE}.", 1, code="not_a_flow")
    properties = content.get("properties")
    if not isinstance(properties, dict) or not isinstance(properties.get("workflow_data"), dict):
        line = parsed.lines.get(("properties",), 1)
        raise DocumentError("properties.workflow_data is missing or no map.", line, code="not_a_flow")
    return Document(content, parsed.lines)


def dump(document: Document, *, format: Format = "yaml") -> str:
    """``document`` as text; :func:`load` reads it back as an equal document."""
    return write_json(document.content) if format == "json" else write_yaml(document.content)
