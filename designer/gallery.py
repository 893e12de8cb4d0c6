"""Flows to start from: the files of the folders that ``SULTANA_TEMPLATE_FOLDERS`` names."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from flows.loader import load
from flows.text import DocumentError


@dataclass(frozen=True, slots=True)
class FlowTemplate:
    """One flow to start from. ``name`` is the last part of the path it gets."""

    name: str
    title: str
    description: str
    text: str


def flow_templates() -> Iterator[FlowTemplate]:
    """Every template, by file name; a file that is no flow is passed over."""
    for folder in settings.SULTANA_TEMPLATE_FOLDERS:
        for file in sorted(Path(folder).glob("*.yaml")):
            if not file.name.endswith(".scenarios.yaml"):
                found = _template(file, file.stat().st_mtime)
                if found is not None:
                    yield found


@lru_cache(maxsize=128)
def _template(file: Path, changed: float) -> FlowTemplate | None:
    text = file.read_text()
    try:
        document = load(text)
    except DocumentError:
        return None
    return FlowTemplate(document.name or file.stem, document.title or file.stem, document.description, text)
