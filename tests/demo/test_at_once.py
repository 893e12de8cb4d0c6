"""Calls that happen at the same moment: one effect a key, and no piece given away twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from demo.models import Reservation, Shift, StockItem
from flows.registry import FunctionError


@pytest.fixture
def at_once(transactional_db, call):
    """``at_once([(path, arguments, key), ...])``: outputs, or codes of refusals, of calls made by a thread each."""
    if "mode=memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("threads cannot share a database in memory")

    def one(told):
        path, arguments, key = told
        try:
            return call(path, arguments, key=key)
        except FunctionError as refused:
            return refused.code
        finally:
            connections.close_all()

    def make(calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(one, calls))

    return make


def test_one_key_acts_once(at_once):
    order = {"order": "O-1", "lines": [{"sku": "lamp", "quantity": 1}]}
    outputs = at_once([("/shop/stock/reserve", order, "the same")] * 6)
    assert outputs == [{"reservation": Reservation.objects.get().number}] * 6
    assert StockItem.objects.get(sku="lamp").available == 39


def test_the_last_pieces_are_given_away_once(at_once):
    order = {"order": "O-1", "lines": [{"sku": "sofa", "quantity": 1}, {"sku": "cup", "quantity": 1}]}
    outputs = at_once([("/shop/stock/reserve", order, f"key-{turn}") for turn in range(6)])
    assert outputs.count("out_of_stock") == 2
    left = dict(StockItem.objects.values_list("sku", "available"))
    assert (left["sofa"], left["cup"], Reservation.objects.count()) == (0, 196, 4)


def test_a_release_gives_back_once(at_once, call):
    reserved = call("/shop/stock/reserve", {"order": "O-1", "lines": [{"sku": "lamp", "quantity": 3}]})
    at_once([("/shop/stock/release", reserved, f"key-{turn}") for turn in range(6)])
    assert StockItem.objects.get(sku="lamp").available == 40


def test_a_charge_is_paid_back_once(at_once, call):
    charge = call("/shop/payment/charge", {"order": "O-1", "amount": 80})
    outputs = at_once([("/shop/payment/refund", {**charge, "amount": 50}, f"refund-{turn}") for turn in range(6)])
    assert outputs.count("refund_too_high") == 5


def test_a_shift_goes_to_one_person(at_once):
    people = ("ida", "jon", "kim", "lou")
    outputs = at_once([("/shifts/assign", {"shift": "S-12", "who": who}, f"to-{who}") for who in people])
    assert outputs.count("shift_taken") == 3
    assert Shift.objects.get(code="S-12").assignments.count() == 1
