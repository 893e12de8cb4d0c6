"""Flows: bring whole folders of them in."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.api.serializers import ImportedSerializer, ImportSerializer
from engine.errors import InvalidInput
from flows import library
from flows.files import FlowFile, read_texts
from flows.imports import FileReport, ImportRefused, import_files
from flows.models import Flow


class ImportView(ApiView):
    @extend_schema(
        operation_id="import_flows",
        tags=["flows"],
        request=ImportSerializer,
        responses=responses({200: ImportedSerializer}, 403, 413, 415),
    )
    def post(self, request: Request, repo: str) -> Response:
        """Bring flow files in, all of them or none: new flows are made, the drafts of those that are there are written over.

        Files are those of a folder, in raisin's form or in its runtime format; folders below it become part of the flows' paths.
        The answer holds everything that the doctor finds; what means nothing here is kept and reported.
        """
        asked = self.sent(ImportSerializer)
        workspace = access.get_workspace_for_new_flows(self.person, repo)
        found = list(read_texts((each["path"], each["text"].encode()) for each in asked["files"]))
        paths = [each.path for each in found if isinstance(each, FlowFile)]
        if asked["publish"] and not access.can_publish(self.person):
            raise PermissionDenied("You may not publish flows. Bring them in as drafts.")
        is_there = Flow.objects.filter(workspace=workspace, path__in=paths).exists()
        if is_there and not access.can_change_flows(self.person):
            raise PermissionDenied("Some of these flows are there already, and you may not change them.")
        library.sync()
        try:
            done = import_files(workspace, found, by=self.person, publish=asked["publish"], draft=asked["draft"])
        except ImportRefused as refused:
            raise InvalidInput(refused.message, field="files", problems=_problems(refused)) from refused
        return Response(ImportedSerializer({"files": [_as_json(each) for each in done]}).data)


def _as_json(report: FileReport) -> dict[str, Any]:
    imported = report.imported
    if imported is None:
        state, version = "left_out", None
    else:
        state = "new" if imported.is_new else "changed" if imported.is_changed else "unchanged"
        version = imported.version.number if imported.version else None
    findings = [each.as_json() for each in report.findings]
    return {"file": report.file, "flow_path": report.path, "state": state, "version": version, "findings": findings}


def _problems(refused: ImportRefused) -> list[dict[str, str]]:
    """The doctor's errors by file and place; what is wrong with the files themselves as it is."""
    found = [
        {
            "field": ": ".join(part for part in (report.file, _place(each.node, each.field)) if part),
            "message": each.message,
        }
        for report in refused.reports
        for each in report.findings
        if each.is_error
    ]
    return found or [{"field": "files", "message": problem} for problem in refused.problems]


def _place(node: str, field: str) -> str:
    return ".".join(part for part in (node, field) if part)
