"""What a flow's page shows, read tab by tab."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from designer import access
from designer.http import SignedIn
from designer.presenters.outline import outline_of
from designer.presenters.run_rows import light, run_rows, with_gist
from engine.models import Instance
from flows.doctor import Finding, check_document
from flows.library import DatabaseLibrary
from flows.loader import Document, load
from flows.models import Flow, FlowVersion
from flows.text import DocumentError

TABS: Final = ("outline", "yaml", "versions", "runs")
RUNS_SHOWN: Final = 20
VERSIONS_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as the editor shows it: ``document`` is ``None`` where it is no flow, and ``findings`` say why."""

    text: str
    document: Document | None
    findings: list[dict[str, Any]]

    @property
    def errors(self) -> int:
        return sum(1 for each in self.findings if each["severity"] == "error")

    @property
    def marked(self) -> list[int]:
        """The lines that have an error."""
        return [each["line"] for each in self.findings if each["line"] and each["severity"] == "error"]


def draft_of(flow: Flow, text: str) -> Draft:
    """``text`` under the doctor's eyes, as the draft of ``flow``."""
    try:
        document = load(text)
    except DocumentError as error:
        return Draft(text, None, [_fault(error)])
    found = check_document(document, library=DatabaseLibrary(flow.workspace_id), flow_path=flow.path)
    return Draft(text, document, [_finding(each) for each in found])


def _finding(found: Finding) -> dict[str, Any]:
    return {
        "severity": found.severity,
        "code": found.code,
        "node": found.node,
        "field": _place(found.field, found.line),
        "message": found.message,
        "line": found.line,
        "url": f"#L{found.line}" if found.line else "",
    }


def _fault(error: DocumentError) -> dict[str, Any]:
    place, url = _place("", error.line), f"#L{error.line}" if error.line else ""
    return {
        "severity": "error",
        "code": error.code,
        "node": "",
        "field": place,
        "message": error.message,
        "line": error.line,
        "url": url,
    }


def _place(field: str, line: int | None) -> str:
    said = [field] if field else []
    return " · ".join([*said, _("line %(n)d") % {"n": line}] if line else said)


def flow_page(flow: Flow, request: SignedIn, *, tab: str = "", sent: str | None = None) -> dict[str, Any]:
    """The context of ``flow.html``; ``sent`` is a text that was not saved."""
    user = request.user
    asked = tab or request.GET.get("tab", "")
    tab = asked if asked in TABS else "outline"
    draft = draft_of(flow, flow.draft if sent is None else sent)
    newest = flow.versions.published().newest_first().select_related("published_by").first()
    is_newer = newest is not None and newest.source != flow.draft
    can_run, can_publish = access.can_run(user, flow), access.can_publish(user)
    return {
        "flow": flow,
        "draft": draft,
        "newest": newest,
        "number": newest.number if newest else None,
        "next_number": (newest.number or 0) + 1 if newest else 1,
        "is_draft_newer": is_newer,
        "problems": draft.errors,
        "tab": tab,
        "tabs": [("outline", _("Outline")), ("yaml", "YAML"), ("versions", _("Versions")), ("runs", _("Runs"))],
        "can_change": access.can_change_flows(user),
        "can_publish": can_publish,
        "can_run": can_run and newest is not None and flow.enabled,
        "can_test": access.can_test(user, flow),
        "why_not_run": "" if not can_run else _why_not_run(flow, newest),
        "may_publish_now": can_publish and not draft.errors and (newest is None or is_newer) and sent is None,
        "is_unsaved": sent is not None,
        **_content(tab, flow, draft, request),
    }


def _why_not_run(flow: Flow, newest: FlowVersion | None) -> str:
    if newest is None:
        return _("Publish it first: runs use a published version.")
    return "" if flow.enabled else _("This flow is switched off.")


def _content(tab: str, flow: Flow, draft: Draft, request: SignedIn) -> dict[str, Any]:
    match tab:
        case "outline":
            data = draft.document.workflow_data if draft.document else None
            return {"lines": outline_of(data, flow.workspace_id)}
        case "versions":
            versions = flow.versions.published().newest_first().select_related("published_by")
            return {"versions": list(versions.defer("source", "definition", "graph")[:VERSIONS_SHOWN])}
        case "runs":
            return {"rows": run_rows(_runs(flow, request))}
    return {}


def _runs(flow: Flow, request: SignedIn) -> Sequence[Instance]:
    visible: QuerySet[Instance] = access.instances_for(request.user, flow.workspace.slug)
    return list(with_gist(light(visible.filter(flow=flow, parent=None))).order_by("-pk")[:RUNS_SHOWN])
