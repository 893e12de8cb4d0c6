"""YAML and JSON text to plain JSON values and back, keeping the line each value stands on.

Pure. Text comes from people and from other systems, so nothing in it may cost more than it is worth: size, nesting and
aliases are bounded, and what JSON cannot say (tags, dates, NaN, keys that are no text) is refused with its place.

Plain scalars follow YAML 1.2's core schema, as raisin reads them: ``yes``, ``on`` and ``2030-01-07`` are text. Digits
with a leading zero (``0123``) are text as well. What :func:`write_yaml` writes reads the same under YAML 1.1 and 1.2.
"""

from typing import Literal, TypeAlias

from flows.text import json_text, yaml_text
from flows.text.builder import Lines, Parsed, Path
from flows.text.json_text import write_json
from flows.text.limits import MAX_BYTES, MAX_DEPTH, DocumentError
from flows.text.words import short
from flows.text.yaml_text import write_yaml

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "DocumentError",
    "Format",
    "Lines",
    "Parsed",
    "Path",
    "read",
    "read_all",
    "short",
    "write_json",
    "write_yaml",
]

Format: TypeAlias = Literal["yaml", "json"]


def read(text: str | bytes, *, format: Format | None = None, max_bytes: int = MAX_BYTES) -> Parsed:
    """The one value in ``text``. Without ``format``, text that begins like JSON and is JSON is read as JSON, all else
    as YAML. Raises :class:`DocumentError`.
    """
    decoded = _decoded(text, max_bytes)
    if format == "json" or (format is None and decoded.lstrip().startswith(("{", "["))):
        try:
            return json_text.document(decoded)
        except DocumentError as error:
            if format == "json" or error.code != "syntax":
                raise
    found = list(yaml_text.documents(decoded))
    if len(found) > 1:
        raise DocumentError("This text holds several documents (---). Write one.", code="several_documents")
    return found[0] if found else Parsed(None)


def read_all(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> list[Parsed]:
    """Every document of a YAML text. Raises :class:`DocumentError`."""
    return list(yaml_text.documents(_decoded(text, max_bytes)))


def _decoded(text: str | bytes, max_bytes: int) -> str:
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        size = len(text) if isinstance(text, bytes) else len(text.encode())
    except UnicodeError as error:
        raise DocumentError("This text is not UTF-8. Save the file as UTF-8.", code="encoding") from error
    if size > max_bytes:
        raise DocumentError(
            f"This text has {size:,} bytes; at most {max_bytes:,} are read. Split the flow into sub-flows.",
            code="too_large",
        )
    return decoded.removeprefix("\ufeff")
