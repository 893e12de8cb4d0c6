"""The demo's people and facts are made once and left alone afterwards."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group, User

from demo import functions
from demo.models import Behaviour, StockItem
from demo.seed import ADMIN, DEMO_PASSWORD, GROUPS, PEOPLE, seed
from flows.models import NotificationTarget

pytestmark = pytest.mark.usefixtures("seeded")


def test_everybody_can_sign_in_with_the_demo_password(rf):
    for username in (*PEOPLE, ADMIN):
        assert authenticate(rf.post("/"), username=username, password=DEMO_PASSWORD), username


def test_only_the_administrator_may_do_everything():
    assert list(User.objects.filter(is_superuser=True).values_list("username", flat=True)) == [ADMIN]
    assert list(User.objects.filter(is_staff=True).values_list("username", flat=True)) == [ADMIN]


def test_each_group_has_its_members():
    members = {
        group.name: set(group.user_set.values_list("username", flat=True))
        for group in Group.objects.filter(name__in=GROUPS)
    }
    assert members == {name: set(usernames) for name, usernames in GROUPS.items()}


def test_each_function_has_a_behaviour_to_switch():
    assert list(Behaviour.objects.values_list("path", flat=True)) == functions.paths()


def test_seeding_again_changes_nothing(rows):
    before, people = rows(), list(User.objects.order_by("pk").values())
    seed()
    assert rows() == before
    assert list(User.objects.order_by("pk").values()) == people


def test_seeding_again_keeps_what_people_changed():
    StockItem.objects.filter(sku="lamp").update(available=1)
    Behaviour.objects.filter(path="/shop/mail/send").update(mode="fails")
    Group.objects.get(name="finance").user_set.clear()
    ben = User.objects.get(username="ben")
    ben.set_password("my own")
    ben.save()
    seed()
    assert StockItem.objects.get(sku="lamp").available == 1
    assert Behaviour.objects.get(path="/shop/mail/send").mode == "fails"
    assert not Group.objects.get(name="finance").user_set.exists()
    assert User.objects.get(username="ben").check_password("my own")


def test_somebody_can_be_told_when_a_recovery_gives_up():
    assert NotificationTarget.objects.get().recipients == ["support@firm.example"]
