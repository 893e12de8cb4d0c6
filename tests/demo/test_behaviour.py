"""A function can be told to misbehave, for a while or for good."""

import signal
import time
from contextlib import contextmanager

import pytest

from demo.models import Behaviour, Reservation, StockItem
from flows.registry import FunctionError, UnknownOutcome

PATH = "/shop/stock/reserve"
ORDER = {"order": "O-1", "lines": [{"sku": "lamp", "quantity": 1}]}


@pytest.fixture
def told(seeded):
    """``told(mode=..., ...)``: the function from now on behaves so."""
    return lambda **fields: Behaviour.objects.filter(path=PATH).update(**fields)


def test_a_function_works_unless_it_is_told_otherwise(call):
    assert Behaviour.objects.get(path=PATH).mode == "works"
    assert call(PATH, ORDER)["reservation"]


def test_a_function_fails_as_told_and_does_nothing(call, told):
    told(mode="fails", message="The shelf fell over.", code="shelf", status=503)
    with pytest.raises(FunctionError, match="The shelf fell over.") as failed:
        call(PATH, ORDER)
    assert (failed.value.code, failed.value.status) == ("shelf", 503)
    assert not Reservation.objects.exists()


def test_a_failure_that_nothing_is_said_about_names_the_function(call, told):
    told(mode="fails")
    with pytest.raises(FunctionError, match="/shop/stock/reserve was told to fail.") as failed:
        call(PATH, ORDER)
    assert (failed.value.code, failed.value.status) == (None, None)


def test_a_function_works_again_after_the_times_it_was_told(call, told):
    told(mode="fails", times=2)
    for _ in range(2):
        with pytest.raises(FunctionError):
            call(PATH, ORDER)
    assert call(PATH, ORDER)["reservation"]
    assert Behaviour.objects.get(path=PATH).times == 0


def test_a_behaviour_that_is_switched_off_is_not_met(call, told):
    told(mode="fails", enabled=False)
    assert call(PATH, ORDER)["reservation"]


def test_a_behaviour_is_that_of_its_own_function(call, told):
    told(mode="fails")
    assert call("/shop/courier/book", {"order": "O-1"})["booking"]


def test_a_slow_function_takes_its_time_and_works(call, told):
    told(mode="slow", delay_ms=60)
    begun = time.monotonic()
    assert call(PATH, ORDER)["reservation"]
    assert time.monotonic() - begun >= 0.06


def test_an_ambiguous_call_took_effect_and_its_repetition_tells_so(call, told):
    told(mode="ambiguous", times=1)
    with pytest.raises(UnknownOutcome, match="The connection was lost before the answer came.") as lost:
        call(PATH, ORDER, key="k")
    assert lost.value.code == "connection_lost"
    assert call(PATH, ORDER, key="k") == {"reservation": Reservation.objects.get().number}
    assert StockItem.objects.get(sku="lamp").available == 39


def test_a_refusal_behind_an_ambiguous_call_is_lost_too(call, told):
    told(mode="ambiguous", code="timeout")
    with pytest.raises(UnknownOutcome) as lost:
        call(PATH, {"order": "O-1", "lines": [{"sku": "piano"}]})
    assert lost.value.code == "timeout"
    assert not Reservation.objects.exists()


def test_a_function_that_never_answers_can_be_interrupted_and_did_nothing(call, told):
    told(mode="never_answers")
    with pytest.raises(Interrupted), deadline(0.1):
        call(PATH, ORDER)
    assert not Reservation.objects.exists()


class Interrupted(BaseException):
    """Raised by the timer, like the engine's own deadline."""


@contextmanager
def deadline(seconds):
    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
