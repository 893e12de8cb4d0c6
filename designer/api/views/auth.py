"""Signing in for programs, at raisin's paths (reference/flow-format.md, section 12)."""

from typing import Any

from axes.helpers import get_cool_off
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from designer import tokens
from designer.api.base import ApiView, responses
from designer.api.errors import InvalidCredentials, InvalidRefreshToken
from designer.api.serializers import CredentialsSerializer, RefreshSerializer, TokensSerializer
from designer.tokens import TokenPair

TENANT = "default"


class PublicView(ApiView):
    """Open to everybody. No cookie is read, so there is nothing that another site could ride on."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if kwargs["tenant"] != TENANT:
            raise Http404(f"There is no tenant {kwargs['tenant']}; the only one is {TENANT}.")


class SignInView(PublicView):
    @extend_schema(
        operation_id="sign_in",
        tags=["auth"],
        auth=[],
        request=CredentialsSerializer,
        responses=responses({200: TokensSerializer}, 413, 415, 429),
    )
    def post(self, request: Request, tenant: str) -> Response:
        """Sign in with name and password and get a pair of tokens."""
        credentials = self.sent(CredentialsSerializer)
        user = authenticate(request=request._request, **credentials)
        if getattr(request._request, "axes_locked_out", False):
            request._request.axes_locked_out = False  # type: ignore[attr-defined]  # or a page would replace our answer
            wait = get_cool_off(request._request)
            raise Throttled(wait.total_seconds() if wait else None, "Too many failed attempts to sign in.")
        if not isinstance(user, User):
            raise InvalidCredentials
        return _answer(tokens.issue(user))


class RefreshView(PublicView):
    @extend_schema(
        operation_id="refresh",
        tags=["auth"],
        auth=[],
        request=RefreshSerializer,
        responses=responses({200: TokensSerializer}, 413, 415),
    )
    def post(self, request: Request, tenant: str) -> Response:
        """Get a new pair for a refresh token; both old tokens end with that."""
        pair = tokens.renew(self.sent(RefreshSerializer)["refresh_token"])
        if pair is None:
            raise InvalidRefreshToken
        return _answer(pair)


def _answer(pair: TokenPair) -> Response:
    data = {
        "access_token": pair.access,
        "refresh_token": pair.refresh,
        "token_type": "Bearer",
        "expires_in": pair.expires_in,
    }
    return Response(data, headers={"Cache-Control": "no-store"})
