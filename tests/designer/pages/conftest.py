"""People in front of pages. Alice started the run, Bob operates, Eve may only look, Charlie is a stranger."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from demo.models import StockItem
from flows.models import FlowVersion
from tests.designer.pages.real import demo_flow
from tests.factories import UserFactory

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def alice(db: None) -> User:
    return UserFactory(username="alice", first_name="Alice", last_name="Ahrens")


@pytest.fixture
def bob(db: None) -> User:
    return UserFactory(username="bob", first_name="Bob", groups=["Operators"])


@pytest.fixture
def eve(db: None) -> User:
    """She sees everything and may do nothing."""
    return UserFactory(username="eve", first_name="Eve", is_staff=True)


@pytest.fixture
def ada(db: None) -> User:
    """An administrator."""
    return UserFactory(username="ada", first_name="Ada", is_superuser=True, is_staff=True)


@pytest.fixture
def charlie(db: None) -> User:
    return UserFactory(username="charlie")


@pytest.fixture
def as_(db: None) -> Callable[[User | None], Client]:
    """``as_(bob)``: a browser in which Bob is signed in; ``as_(None)``: nobody."""

    def signed_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user, backend=BACKEND)
        return client

    return signed_in


@pytest.fixture
def queries() -> Callable[[Client, str], int]:
    """``queries(client, url)``: how many queries the page asks; it must answer 200."""

    def count(client: Client, url: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(url).status_code == 200
        return len(asked)

    return count


@pytest.fixture
def order(db: None) -> FlowVersion:
    """The demo's order fulfilment, published, with a lamp in stock and a manager who checks large orders."""
    StockItem.objects.create(sku="lamp", title="Lamp", available=100)
    UserFactory(username="manager", first_name="Manager")
    return demo_flow("order-fulfilment")
