"""A workspace, people and flows for the tests of the tables."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User

from flows import library, publishing
from flows.models import Flow, Workspace


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    """No test sees what another one's rolled-back tables said."""
    library.forget()
    yield
    library.forget()


@pytest.fixture
def workspace(db: None) -> Workspace:
    return Workspace.objects.get_or_create(slug="default", defaults={"title": "Default"})[0]


@pytest.fixture
def ida(db: None) -> User:
    return User.objects.create_user("ida")


@pytest.fixture
def make_flow(workspace: Workspace, ida: User) -> Callable[..., Flow]:
    """A flow made from text, not yet published."""

    def make(text: str) -> Flow:
        return publishing.import_flow(workspace, text, by=ida, draft=True).flow

    return make
