"""Opaque tokens for the API: given for a password, valid for an hour, renewed with a second token, revoked at any time.

A token is 256 random bits, so one round of SHA-256 is enough to keep it: there is nothing to guess.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from designer.models import ApiToken

USED_AT_STEP = timedelta(minutes=1)
"""``used_at`` is written at most this often: a request should not cost a write."""


@dataclass(frozen=True, slots=True)
class TokenPair:
    """What a program gets once and keeps; ``expires_in`` in seconds."""

    access: str
    refresh: str
    expires_in: int


def issue(user: User) -> TokenPair:
    """Sign ``user`` in: a new pair. Rows of theirs that can never be used again are removed on the way."""
    now = timezone.now()
    ApiToken.objects.filter(user=user, refresh_expires_at__lte=now).delete()
    pair = _new_pair()
    ApiToken.objects.create(user=user, session_hash=user.get_session_auth_hash(), **_columns(pair, now))
    return pair


def find(access: str) -> ApiToken | None:
    """The usable token with its user, or ``None``: unknown, expired, revoked, person inactive or password changed."""
    now = timezone.now()
    token = _usable().filter(access_digest=_digest(access), expires_at__gt=now).first()
    if token is None or not _still_theirs(token):
        return None
    _note_use(token, now)
    return token


def renew(refresh: str) -> TokenPair | None:
    """A new pair in place of the old one, which ends; ``None`` when it cannot be renewed (any more)."""
    now = timezone.now()
    token = _usable().filter(refresh_digest=_digest(refresh), refresh_expires_at__gt=now).first()
    if token is None or not _still_theirs(token):
        return None
    pair = _new_pair()
    unchanged = ApiToken.objects.filter(pk=token.pk, refresh_digest=token.refresh_digest, revoked_at=None)
    # Of two that renew at the same moment one gets a pair: a refresh token is good for one use.
    return pair if unchanged.update(**_columns(pair, now)) == 1 else None


def revoke(tokens: QuerySet[ApiToken]) -> int:
    """End these tokens now; the number of those that were still good. Safe to repeat."""
    return tokens.filter(revoked_at=None).update(revoked_at=timezone.now())


def _usable() -> QuerySet[ApiToken]:
    return ApiToken.objects.select_related("user").filter(revoked_at=None, user__is_active=True)


def _still_theirs(token: ApiToken) -> bool:
    return constant_time_compare(token.session_hash, token.user.get_session_auth_hash())


def _note_use(token: ApiToken, now: datetime) -> None:
    if token.used_at is None or token.used_at < now - USED_AT_STEP:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)


def _new_pair() -> TokenPair:
    lifetime = int(settings.API_TOKEN_LIFETIME.total_seconds())
    return TokenPair(secrets.token_urlsafe(32), secrets.token_urlsafe(32), lifetime)


def _columns(pair: TokenPair, now: datetime) -> dict[str, object]:
    return {
        "access_digest": _digest(pair.access),
        "refresh_digest": _digest(pair.refresh),
        "expires_at": now + settings.API_TOKEN_LIFETIME,
        "refresh_expires_at": now + settings.API_REFRESH_LIFETIME,
    }


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
