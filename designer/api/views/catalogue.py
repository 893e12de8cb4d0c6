"""What flows of a workspace can be made of, for the designer and for other editors."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from designer import access
from designer.api.base import ApiView, responses
from designer.catalogue import catalogue


class CatalogueView(ApiView):
    @extend_schema(
        operation_id="get_catalogue",
        tags=["flows"],
        responses=responses({200: OpenApiTypes.OBJECT}, 403),
    )
    def get(self, request: Request, repo: str) -> Response:
        """Kinds of step with their fields, types, help and defaults; functions, agents, people, flows, targets to choose from."""
        return Response(catalogue(access.get_workspace_with_flows_for(self.person, repo)))
