"""The function library: what flows may call, with the manifests as administrators left them."""

from collections.abc import Mapping
from typing import Any

from flows import registry
from flows.models import LibraryFunction


def manifest_of(path: str) -> Mapping[str, Any] | None:
    """The manifest of the function at ``path``: as its code declares it, key by key overruled by administrators.

    ``None`` for a function that is not known or that declares no manifest.
    """
    found = registry.find(path)
    declared: Mapping[str, Any] = found.manifest if found is not None else {}
    override = LibraryFunction.objects.filter(path=path).values_list("override", flat=True).first()
    return {**declared, **(override or {})} or None
