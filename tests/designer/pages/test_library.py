"""The library: what functions say of themselves, for those who see flows."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import library
from flows.models import HttpFunction, NotificationTarget
from tests.designer.pages.real import demo_flow
from tests.engine.drawing import call, group
from tests.factories import FlowVersionFactory, UserFactory

As = Callable[[User | None], Client]


@pytest.fixture(autouse=True)
def functions(db: None) -> None:
    library.sync()


def test_functions_are_shown_with_what_they_do_and_who_calls_them(as_: As, eve: User) -> None:
    demo_flow("order-fulfilment")
    text = as_(eve).get(reverse("library"), {"q": "/shop/payment/charge"}).content.decode()
    assert "/shop/payment/charge" in text and "Changes something in the world." in text and "Order fulfilment" in text


def test_a_function_has_a_page_with_its_schemas(as_: As, eve: User) -> None:
    text = as_(eve).get(reverse("library-function"), {"path": "/shop/payment/charge"}).content.decode()
    assert "amount" in text and "card_declined" in text


@pytest.fixture
def http(db: None) -> HttpFunction:
    return HttpFunction.objects.create(
        path="/shop/find",
        title="Find an order",
        method="GET",
        url="https://shop.example.org/orders",
        headers={"Authorization": "Bearer secret:shop"},
        manifest={"effect": "read"},
    )


def test_an_http_function_says_what_it_sends_and_names_its_secrets(as_: As, eve: User, http: HttpFunction) -> None:
    text = as_(eve).get(reverse("library-function"), {"path": "/shop/find"}).content.decode()
    assert "GET https://shop.example.org/orders" in text and "Bearer secret:shop" in text
    assert "Only looks something up." in text


def test_an_http_function_that_is_switched_off_is_shown_as_such(as_: As, eve: User, http: HttpFunction) -> None:
    HttpFunction.objects.update(available=False)
    text = as_(eve).get(reverse("library"), {"q": "/shop/find"}).content.decode()
    assert "Find an order" in text and "Switched off" in text and "code is not installed" not in text


@pytest.fixture
def targets(db: None) -> None:
    """Two, and a flow that tells one of them as a whole and one in a group."""
    NotificationTarget.objects.create(
        name="support-team", addresses="ida@example.org", description="Looks after orders"
    )
    hook = {"kind": "webhook", "url": "https://chat.example.org/hooks/hidden", "enabled": False}
    NotificationTarget.objects.create(name="night-desk", **hook)
    nodes = [group("g", call("a"), recovery={"notify": "night-desk"})]
    definition = {"nodes": nodes, "recovery": {"notify": "support-team"}}
    FlowVersionFactory(flow__title="Close the till", definition=definition)


def row_of(name: str, page: str) -> str:
    """The row of the table that begins with ``name``, down to its words."""
    return str(next(each for each in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if f">{name}<" in each))


def test_who_can_be_told_is_listed_with_the_way_and_the_flows(as_: As, eve: User, targets: None) -> None:
    page = as_(eve).get(reverse("library")).content.decode()
    mail, hook = row_of("support-team", page), row_of("night-desk", page)
    assert "ida@example.org" in mail and "Looks after orders" in mail and "Close the till" in mail
    assert "Switched off" not in mail
    assert "chat.example.org" in hook and "hooks/" not in hook and "Close the till" in hook and "Switched off" in hook


def test_targets_are_found_by_name_and_by_what_they_are_for(as_: As, eve: User, targets: None) -> None:
    page = as_(eve).get(reverse("library"), {"q": "looks AFTER"}).content.decode()
    assert "support-team" in page and "night-desk" not in page and "Nothing by that name" not in page
    assert "Nothing by that name" in as_(eve).get(reverse("library"), {"q": "no such thing"}).content.decode()


def test_administrators_alone_set_up_who_is_told(as_: As, eve: User, ada: User, targets: None) -> None:
    target = NotificationTarget.objects.get(name="night-desk")
    places = [
        reverse("admin:flows_notificationtarget_add"),
        reverse("admin:flows_notificationtarget_change", args=[target.pk]),
    ]
    own = UserFactory(username="otto", is_staff=True, groups=["Administrators"])
    for place in places:
        assert place in as_(ada).get(reverse("library")).content.decode()
        assert place not in as_(eve).get(reverse("library")).content.decode()
        assert [as_(user).get(place).status_code for user in (ada, own, eve)] == [200, 200, 403]


@pytest.mark.parametrize(("who", "status"), [("eve", 200), ("ada", 200), ("charlie", 403), (None, 302)])
def test_the_library_is_for_those_who_see_flows(who: str | None, status: int, as_: As, request: Any) -> None:
    user = request.getfixturevalue(who) if who else None
    assert as_(user).get(reverse("library")).status_code == status


def test_an_unknown_function_is_not_found(as_: As, eve: User) -> None:
    assert as_(eve).get(reverse("library-function"), {"path": "/no/such"}).status_code == 404


def test_the_list_does_not_ask_for_each_function(as_: As, eve: User, queries: Any) -> None:
    assert queries(as_(eve), reverse("library")) < 12
