"""What the designer's page starts with and gets back after each save, as plain JSON values."""

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language

from designer import access
from designer.catalogue import catalogue
from designer.design_words import words
from designer.people import name_of
from flows import kinds
from flows.doctor import check_document
from flows.library import DatabaseLibrary
from flows.loader import load
from flows.models import Flow, FlowVersion

VERSIONS: Final = 100
VERSIONS_READ: Final = 20


def start(flow: Flow, user: User) -> dict[str, Any]:
    """Everything that the page needs before its first drawing; the browser asks for nothing else."""
    may_change = access.can_change_flows(user)
    return {
        "path": flow.path,
        "language": get_language(),
        "words": words(),
        "icons": static("icons.svg"),
        "urls": {
            "draft": reverse("design-draft", args=[flow.path]),
            "check": reverse("design-check", args=[flow.path]),
            "samples": reverse("design-samples", args=[flow.path]),
            "preview": reverse("design-preview", args=[flow.path]),
            "editing": reverse("design-editing", args=[flow.path]),
            "publish": reverse("design-publish", args=[flow.path]),
            "version": reverse("design-version", args=[flow.path, 0]).removesuffix("0"),
            "compare": reverse("compare-versions", args=[flow.path]),
            "page": reverse("flow-detail", args=[flow.path]),
            "run": reverse("run-form", args=[flow.path]),
            "export": reverse("export-flow", args=[flow.path, "yaml"]),
            "sign_in": reverse("sign-in"),
            "if_it_fails": f"{reverse('api-if-it-fails', args=[flow.workspace.slug])}?{urlencode({'flow_path': flow.path})}",
        },
        "can": {
            "change": may_change,
            "publish": access.can_publish(user),
            "run": access.can_run(user, flow),
        },
        "catalogue": catalogue(flow.workspace),
        "state": state(flow),
        "published_ids": published_ids(flow),
    }


def state(flow: Flow) -> dict[str, Any]:
    """The draft as it is stored now, what the doctor finds in it, and the versions."""
    document = load(flow.draft)
    found = check_document(document, library=DatabaseLibrary(flow.workspace_id), flow_path=flow.path)
    return {
        "title": flow.title or flow.path,
        "revision": flow.revision,
        "text": flow.draft,
        "content": document.content,
        "findings": [each.as_json() for each in found],
        "changed_by": name_of(flow.changed_by) if flow.changed_by else "",
        "changed_at": flow.changed_at.isoformat() if flow.changed_at else None,
        "enabled": flow.enabled,
        "versions": versions_of(flow),
    }


def versions_of(flow: Flow) -> list[dict[str, Any]]:
    """The published versions, newest first, without what they say; whether the newest says what the draft says."""
    newest_first = flow.versions.published().newest_first().select_related("published_by")
    rows = list(newest_first.defer("source", "definition", "graph")[:VERSIONS])
    is_same = bool(rows) and flow.versions.filter(pk=rows[0].pk, source=flow.draft).exists()
    return [{**_line(row), "is_draft": at == 0 and is_same} for at, row in enumerate(rows)]


def published_ids(flow: Flow) -> list[str]:
    """The ids of steps in published versions: people may know them from runs. Old versions no longer bind anybody."""
    newest = flow.versions.published().newest_first().values_list("definition", flat=True)[:VERSIONS_READ]
    nodes = (node for definition in newest for node in kinds.walk(definition.get("nodes") or []))
    return sorted({str(node["id"]) for node in nodes if node.get("id")})


def version_of(version: FlowVersion) -> dict[str, Any]:
    """One version with its text and definition."""
    return {**_line(version), "text": version.source, "content": load(version.source).content}


def _line(version: FlowVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "note": version.note,
        "by": name_of(version.published_by) if version.published_by else "",
        "at": version.published_at.isoformat() if version.published_at else None,
    }


def same(a: Any, b: Any) -> bool:
    """Whether two values say the same, numbers as a browser has them: 1.0 is 1, and very large ones are rounded."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or _as_float(a) == _as_float(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


def _as_float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")
