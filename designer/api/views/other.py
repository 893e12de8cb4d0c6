"""The schema, and every path under ``/api/`` that does not exist."""

from typing import Any, NoReturn

from django.http import Http404
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from designer.api.base import ApiView, OneFormat


class SchemaView(SpectacularJSONAPIView):
    """OpenAPI 3, for people who are signed in, like all of the API."""

    content_negotiation_class = OneFormat
    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Signed out it is a 401 as everywhere, else a 404 for every method."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        super().initial(request, *args, **kwargs)
        raise Http404(f"There is nothing at {request.path}.")
