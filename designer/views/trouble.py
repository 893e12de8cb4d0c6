"""What waits for a person to decide: runs that are held, that failed and can go on, or whose undoing is not complete."""

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import access
from designer.http import SignedIn
from designer.paging import as_uuid, keyset
from designer.presenters.failure_part import failure_part
from designer.presenters.run_rows import run_rows, with_gist
from designer.workspaces import current
from engine.models import Compensation, Instance, Resolution
from engine.states import CompensationState, ResolutionKind, Status

CARDS: Final = 10
"""Runs a page: each is read whole, to tell what the choices will do."""
KINDS: Final = ("held", "failed", "rolled_back")


@login_required
@require_GET
def held_and_failed(request: SignedIn) -> HttpResponse:
    """One card a run: what was attempted, why it stopped, and every choice with what it will do."""
    if not access.can_operate(request.user):
        raise PermissionDenied("Runs that failed are for those who may decide about them.")
    asked = request.GET.get("kind", "")
    kind = asked if asked in KINDS else "held"
    waiting = {name: _waiting(request, name) for name in KINDS}
    before, after = as_uuid(request.GET.get("before")), as_uuid(request.GET.get("after"))
    rows = with_gist(waiting[kind]).select_related("flow", "version", "started_by", "workspace")
    page = keyset(rows, before=before, after=after, size=CARDS)
    context = {
        "kind": kind,
        "kinds": [(name, _count(waiting[name])) for name in KINDS],
        "page": page,
        "cards": [_card(row, request) for row in run_rows(page.rows)],
    }
    return render(request, "held_and_failed.html", context)


def _card(row: Any, request: SignedIn) -> dict[str, Any]:
    return {"row": row, "run": row.run, "failure": failure_part(row.run, request.user)}


def _waiting(request: SignedIn, kind: str) -> QuerySet[Instance]:
    """The runs of that kind about which nobody has decided yet; a part of another run is decided about with that."""
    runs = access.instances_for(request.user, current(request)).filter(parent=None, status=Status(kind))
    given_up = Exists(Resolution.objects.filter(instance=OuterRef("pk"), kind=ResolutionKind.ABANDON))
    left = Exists(Compensation.objects.filter(instance=OuterRef("pk"), state=CompensationState.FAILED))
    return runs.filter(left if kind == "rolled_back" else ~Q(given_up))


def _count(runs: QuerySet[Instance]) -> str:
    """How many there are, as far as it is cheap to say."""
    found = len(runs.order_by().values_list("pk")[:100])
    return "99+" if found == 100 else str(found)
