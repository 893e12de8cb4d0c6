"""Failed and held runs: the failure document, and what people decide (design/failure-document.md, "Operations")."""

from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.api.failure_schema import failure_schema
from designer.api.serializers import AbandonedSerializer, AbandonSerializer
from engine import resolutions
from engine.failure import failure_document
from engine.models import Instance
from engine.ports_production import ports
from engine.states import ResolutionKind, ResolutionState

ABOUT_A_FAILURE = ("ack", "result", "failure", "note")
"""Members of a resume's body that speak of a failure and not of an event."""


class FailureView(ApiView):
    @extend_schema(
        operation_id="get_failure",
        tags=["runs"],
        responses=responses({200: OpenApiResponse(failure_schema(), "Why it failed, and what can be done.")}),
    )
    def get(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """Why a failed, rolled-back or held run is where it is. 404 with `no_failure` for any other."""
        return Response(failure_document(access.get_instance_for(self.person, repo, instance_id).pk))


class AbandonView(ApiView):
    @extend_schema(
        operation_id="abandon_instance",
        tags=["runs"],
        request=AbandonSerializer,
        responses=responses({200: AbandonedSerializer}, 403, 409, 413, 415),
    )
    def post(self, request: Request, repo: str, instance_id: UUID) -> Response:
        """Give a failed or held run up: all that is registered is undone, newest first. Again: what could not be is retried."""
        asked = self.sent(AbandonSerializer)
        instance = access.get_operable_instance_for(self.person, repo, instance_id)
        by = access.user_path(self.person)
        resolutions.abandon(instance.pk, **asked, by=by, ports=ports())
        instance.refresh_from_db(fields=["status"])
        return Response(AbandonedSerializer(instance).data)


def speaks_of_a_failure(asked: dict[str, Any]) -> bool:
    """Whether a resume's body says that it means a failure, and no event."""
    return any(name in asked for name in ABOUT_A_FAILURE)


def resume_failed(instance: Instance, asked: dict[str, Any], by: str) -> Response:
    """Let the run go on; 202 while what must go in any case is still being undone."""
    said = {name: asked[name] for name in ABOUT_A_FAILURE if name in asked}
    decision = resolutions.resume_failed(instance.pk, **said, by=by, ports=ports())
    if decision.kind == ResolutionKind.ABANDON:
        status = "abandoned"
    elif decision.state == ResolutionState.DONE or not resolutions.unwinds_first(instance.pk):
        status = "resumed"
    else:
        decided = resolutions.carried_out(decision, within=settings.SULTANA_RESUME_WAIT_SECONDS)
        status = "resumed" if decided.state == ResolutionState.DONE else "unwinding"
    answer = {"instance_id": instance.pk, "job_id": str(decision.pk), "status": status}
    return Response(answer, status=202 if status == "unwinding" else 200)
