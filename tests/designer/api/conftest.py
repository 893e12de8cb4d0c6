"""Clients of the API that are signed in the way programs are."""

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from designer import tokens
from tests.factories import UserFactory


def bearer(user: User) -> dict[str, str]:
    """The header that signs ``user`` in."""
    return {"Authorization": f"Bearer {tokens.issue(user).access}"}


class Program(APIClient):
    """A client that holds a token of ``user``."""

    def __init__(self, user: User) -> None:
        super().__init__(headers=bearer(user))
        self.user = user


@pytest.fixture
def signed_in(db):
    """``signed_in(user)``, or ``signed_in("Operators")`` for a new person in that group; ``client.user`` says who."""

    def make(who: User | str | None = None, **fields: object) -> Program:
        user = who if isinstance(who, User) else UserFactory(groups=[who] if who else [], **fields)
        return Program(user)

    return make
