"""Bringing in several flows at once, as files or as the ZIP archive of a folder."""

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from designer import access
from designer.http import SignedIn
from designer.toasts import toast
from designer.views.flow_list import Unusable, may_overwrite, show_new
from designer.workspaces import current
from flows.files import FlowFile, UnreadableFile, read_texts, unpacked
from flows.imports import ImportRefused, import_files
from flows.models import Flow, Workspace
from flows.text import MAX_BYTES


@login_required
@require_POST
def import_flows(request: SignedIn) -> HttpResponse:
    """Make a draft of every flow in these files; all of them or, when one cannot be read, none."""
    workspace = access.get_workspace_for_new_flows(request.user, current(request))
    try:
        count = _bring_in(request, workspace)
    except Unusable as problem:
        return show_new(request, workspace, str(problem), status=400)
    said = ngettext("%(n)d flow is here as a draft.", "%(n)d flows are here as drafts.", count)
    toast(request, said % {"n": count})
    return redirect("flow-list")


def _bring_in(request: SignedIn, workspace: Workspace) -> int:
    try:
        named = [each for file in request.FILES.getlist("files") for each in _contents(file)]
        found = list(read_texts(named))
        paths = [each.path for each in found if isinstance(each, FlowFile)]
        known = Flow.objects.filter(workspace=workspace, path__in=paths).order_by("path").first()
        if known is not None and not may_overwrite(request):
            told = {"path": known.path, "flow": known}
            raise Unusable(_("There is a flow at %(path)s already: %(flow)s. Nothing was brought in.") % told)
        reports = import_files(workspace, found, by=request.user, draft=True)
    except (UnreadableFile, ImportRefused) as refused:
        raise Unusable(str(refused)) from refused
    return sum(1 for each in reports if each.imported is not None)


def _contents(file: "UploadedFile[bytes]") -> list[tuple[str, bytes]]:
    """A file by its name, or those inside it where it is an archive. Raises :class:`~flows.files.UnreadableFile`."""
    name = file.name or ""
    if file.size is None or file.size > MAX_BYTES:
        raise UnreadableFile(_("%(file)s is too large: at most 5 MB are read.") % {"file": name})
    content: bytes = file.read()
    return unpacked(content) if name.lower().endswith(".zip") else [(name, content)]
