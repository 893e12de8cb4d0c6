"""Errands: what is asked for once and carried out in portions, whatever gets lost on the way."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ

from engine import errands
from engine.models import Errand

pytestmark = pytest.mark.django_db

FUNCTION = "tests.engine.test_errands.portion"


def begin(owner="7"):
    found = errands.find(errands.begin(FUNCTION, {"done": 0}, owner=owner), FUNCTION)
    assert found is not None
    return found


def messages():
    """The functions and arguments of the messages that lie in the queue."""
    return [(row.task["func"], *row.task["args"]) for row in OrmQ.objects.order_by("id")]


def rest(errand, length):
    """As if nobody had noted anything for so long."""
    Errand.objects.filter(pk=errand.pk).update(noted_at=timezone.now() - length)


def test_beginning_one_keeps_it_and_sends_its_first_message():
    errand = begin()
    assert (errand.state, errand.number, errand.owner, errand.is_over) == ({"done": 0}, 0, "7", False)
    assert messages() == [(FUNCTION, str(errand.id))]


def test_what_is_rolled_back_was_never_begun():
    with transaction.atomic():
        begin()
        transaction.set_rollback(True)
    assert messages() == [] and errands.latest(FUNCTION, most=10) == []


def test_a_note_on_an_older_number_writes_nothing():
    errand = begin()
    ahead = errands.note(errand, {"done": 1})
    assert ahead is not None and ahead.number == 1
    assert errands.note(errand, {"done": 9}) is None
    assert errands.find(errand.id, FUNCTION) == ahead
    assert ahead.state == {"done": 1}


def test_nothing_is_noted_of_one_that_is_over():
    errand = begin()
    over = errands.note(errand, {"done": 1}, is_over=True)
    assert over is not None and over.is_over
    assert errands.note(over, {"done": 2}) is None


def test_the_latest_come_first_and_are_those_of_their_owner():
    first, other, second = begin("7"), begin("8"), begin("7")
    assert [each.id for each in errands.latest(FUNCTION, owner="7", most=10)] == [second.id, first.id]
    assert [each.id for each in errands.latest(FUNCTION, most=2)] == [second.id, other.id]


def test_one_that_lost_its_message_is_sent_again_once():
    errand = begin()
    OrmQ.objects.all().delete()
    assert errands.sweep() == 0
    rest(errand, timedelta(minutes=2))
    assert (errands.sweep(), errands.sweep()) == (1, 0)
    assert messages() == [(FUNCTION, str(errand.id))]


def test_one_whose_message_waits_in_a_long_queue_is_left_alone():
    errand = begin()
    rest(errand, timedelta(minutes=2))
    OrmQ.objects.update(lock=timezone.now() - timedelta(minutes=3))
    assert errands.sweep() == 0


def test_one_that_is_over_is_not_sent_again_and_is_forgotten_after_a_month():
    errand = begin()
    OrmQ.objects.all().delete()
    errands.note(errand, {}, is_over=True)
    rest(errand, timedelta(days=29))
    assert errands.sweep() == 0 and errands.find(errand.id, FUNCTION) is not None
    rest(errand, timedelta(days=31))
    assert errands.sweep() == 0 and errands.find(errand.id, FUNCTION) is None
