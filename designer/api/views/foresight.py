"""What happens if a step fails, for the designer and for programs."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.api.serializers import ForesightSerializer, StepFilterSerializer
from designer.presenters.foresight import foresight
from engine.errors import Conflict
from flows.errors import DefinitionRejected
from flows.graph import Graph
from flows.models import Flow, FlowVersion
from flows.publishing import draft_graph
from flows.text import DocumentError
from flows.versions import graph_of


class ForesightView(ApiView):
    @extend_schema(
        operation_id="if_it_fails",
        tags=["flows"],
        parameters=[StepFilterSerializer],
        responses=responses({200: ForesightSerializer}, 409),
    )
    def get(self, request: Request, repo: str) -> Response:
        """What happens if a step of a flow fails, if its time is up, or if nobody can know what it did.

        The engine's own ladder, climbed in advance: each line comes when the one before it was not enough. Of the draft, or of
        the version that is named; 409 while the draft has errors.
        """
        asked = self.asked(StepFilterSerializer)
        flow = access.get_flow_for(self.person, repo, asked["flow_path"])
        definition, graph = _drawn(flow, asked.get("version"))
        try:
            ways = foresight(graph, definition, flow.workspace_id, asked["step"])
        except KeyError:
            raise Http404(f"There is no step {asked['step']} in {flow}.") from None
        return Response(
            {"step": asked["step"], "version": asked.get("version"), "ways": [asdict(each) for each in ways]}
        )


def _drawn(flow: Flow, number: int | None) -> tuple[Mapping[str, Any], Graph]:
    if number is not None:
        version = FlowVersion.objects.filter(flow=flow, number=number).first()
        if version is None:
            raise Http404(f"There is no version {number} of {flow}.")
        return version.definition, graph_of(version.pk)
    try:
        return draft_graph(flow)
    except (DefinitionRejected, DocumentError) as error:
        raise Conflict(f"The draft of {flow} has errors: {error}") from error
