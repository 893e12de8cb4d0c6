"""How a request says who sends it: a bearer token, or the session of somebody signed in to the pages."""

from copy import copy
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from designer import tokens
from designer.models import ApiToken

REFUSED = "The access token is unknown, expired or revoked. Renew it, or sign in again."


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer <access_token>``. First in the list, so its challenge makes the 401."""

    def authenticate(self, request: Request | HttpRequest) -> tuple[User, ApiToken] | None:
        scheme, _, access = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = tokens.find(access.strip())
        if token is None:
            raise AuthenticationFailed(REFUSED)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Tells the schema what the class above does."""

    target_class = BearerAuthentication
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def still_signed_in(request: HttpRequest) -> User | None:
    """Who sends a request that was let in a while ago, asked again from the start; ``None`` when nobody any more.

    For answers that take long: tokens run out or are revoked, people sign out, change their password or leave.
    """
    try:
        found = BearerAuthentication().authenticate(request)
    except AuthenticationFailed:
        return None
    return found[0] if found else _session_user(request)


def _session_user(request: HttpRequest) -> User | None:
    again = copy(request)
    again.session = import_module(settings.SESSION_ENGINE).SessionStore(request.session.session_key)
    user = get_user(again)
    return user if isinstance(user, User) and user.is_active else None


__all__ = ["BearerAuthentication", "SessionAuthentication", "still_signed_in"]
