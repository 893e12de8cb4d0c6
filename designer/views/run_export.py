"""``GET /runs/-/export.csv`` and ``.json``: what the filters find, as a file."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from designer import access, run_export, run_filters
from designer.http import SignedIn
from designer.presenters.run_rows import light
from designer.workspaces import current

_TYPES: Final = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@login_required
@require_GET
def export_runs(request: SignedIn, form: str) -> StreamingHttpResponse:
    """Every run that fits, however many; sent as it is read."""
    if form not in _TYPES:
        raise Http404(f"Runs are exported as CSV or JSON, not as {form}.")
    access.check_export(request.user)
    query = run_filters.read(request.GET).query()
    found = query.among(access.instances_for(request.user, current(request)), current(request))
    runs = light(query.by_status(found))
    name = f"runs-{timezone.localdate():%Y-%m-%d}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(run_export.stream(runs, form), content_type=_TYPES[form], headers=headers)
