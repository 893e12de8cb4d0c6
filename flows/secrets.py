"""Secrets: sealed in the database, opened only where they are used.

A value is encrypted with a key derived from Django's ``SECRET_KEY`` and readable with those of ``SECRET_KEY_FALLBACKS``, so
that the signing key can be changed. Whoever has only the database or a backup of it has no secret.
"""

import base64
import os

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

from flows.agents import ENVIRONMENT, SECRET
from flows.models import Secret


class KeyUnavailable(Exception):
    """A key that is named cannot be had; the message says why and never holds a key."""


def seal(value: str) -> str:
    """``value`` encrypted, as the database keeps it."""
    return _box().encrypt(value.encode()).decode()


def unseal(sealed: str) -> str:
    """What was sealed. Raises :class:`KeyUnavailable` when it was sealed with another signing key."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise KeyUnavailable("it was sealed with another SULTANA_SECRET_KEY. Enter its value again.") from error


def key_of(reference: str) -> str:
    """The key that ``env:NAME`` or ``secret:name`` names; empty without a reference. Raises :class:`KeyUnavailable`."""
    if reference.startswith(ENVIRONMENT):
        return _from_environment(reference.removeprefix(ENVIRONMENT))
    if reference.startswith(SECRET):
        return _from_secrets(reference.removeprefix(SECRET))
    return ""


def _from_environment(name: str) -> str:
    found = os.environ.get(name, "")
    if not found:
        raise KeyUnavailable(f"The variable {name} is not set in the workers' environment.")
    return found


def _from_secrets(name: str) -> str:
    sealed = Secret.objects.filter(name=name).values_list("sealed", flat=True).first()
    if sealed is None:
        raise KeyUnavailable(f"There is no secret {name}.")
    try:
        return unseal(sealed)
    except KeyUnavailable as error:
        raise KeyUnavailable(f"The secret {name} cannot be read: {error}") from error


def _box() -> MultiFernet:
    return MultiFernet([Fernet(_derived(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _derived(key: str | bytes) -> bytes:
    return base64.urlsafe_b64encode(HKDF(SHA256(), 32, salt=None, info=b"sultana secrets").derive(force_bytes(key)))
