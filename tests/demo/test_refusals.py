"""The demo's functions refuse in words, with a code and a status that manifests can classify."""

import pytest

from demo.models import Mail, Note, PurchaseOrder, Reservation, Shift, StockItem, TicketBlock
from flows.registry import FunctionError


def test_goods_that_are_not_there_are_refused_and_nothing_is_taken(call):
    lines = [{"sku": "lamp", "quantity": 1}, {"sku": "sofa", "quantity": 5}]
    with pytest.raises(FunctionError, match="Not enough 'sofa' in stock: 4 left, 5 asked for.") as refused:
        call("/shop/stock/reserve", {"order": "O-1", "lines": lines})
    assert (refused.value.code, refused.value.status) == ("out_of_stock", 409)
    assert StockItem.objects.get(sku="lamp").available == 40
    assert not Reservation.objects.exists()


def test_a_refused_reservation_can_be_repeated_with_its_key_once_goods_came(call):
    order = {"order": "O-1", "lines": [{"sku": "piano", "quantity": 1}]}
    with pytest.raises(FunctionError):
        call("/shop/stock/reserve", order, key="k")
    StockItem.objects.filter(sku="piano").update(available=1)
    call("/shop/stock/reserve", order, key="k")
    assert StockItem.objects.get(sku="piano").available == 0


def test_seats_run_out(call):
    call("/tickets/seats/hold", {"event": "Nocturne", "quantity": 59})
    with pytest.raises(FunctionError, match="Not enough seats in Nocturne, block A: 1 left, 2 asked for."):
        call("/tickets/seats/hold", {"event": "nocturne", "quantity": 2, "block": "a"})
    assert TicketBlock.objects.get(name="A").free == 1


@pytest.mark.parametrize(
    ("path", "arguments", "code", "status", "words"),
    [
        ("/shop/stock/reserve", {"order": "O", "lines": [{"sku": "x"}]}, "unknown_article", 404, "no article 'x'"),
        ("/shop/stock/release", {"reservation": "R-99"}, "not_found", 404, "There is no reservation 'R-99'."),
        ("/shop/stock/release", {"reservation": "C-1"}, "not_found", 404, "There is no reservation 'C-1'."),
        ("/shop/stock/release", {"reservation": "R-" + "9" * 30}, "not_found", 404, "There is no reservation"),
        ("/shop/courier/book", {"order": "O", "country": "XX"}, "unknown_country", 422, "does not deliver to 'XX'"),
        ("/shop/payment/charge", {"order": "O-2-DECLINED", "amount": 1}, "card_declined", 402, "declined"),
        ("/shop/payment/charge", {"order": "O-2", "amount": 10000.01}, "card_declined", 402, "above its limit"),
        ("/shop/mail/send", {"to": "x@y.invalid", "subject": "s"}, "address_refused", 422, "'x@y.invalid'"),
        ("/office/budget/check", {"requester": "eve", "amount": 1}, "unknown_employee", 404, "Known: ben, bert, "),
        ("/buying/request-quote", {"supplier": "West", "item": "pump", "quantity": 1}, "no_quote", 422, "no offer"),
        ("/buying/order", {"chosen": "Ost", "item": "pump", "quantity": 1}, "not_offered", 404, "Nord, Sued, West"),
        ("/buying/order", {"item": "pump", "quantity": 1}, "no_supplier", 422, "Neither a chosen nor a best"),
        ("/people/equipment/order", {"model": None, "for": "A-1"}, "no_model", 422, "No model is given"),
        ("/tickets/seats/hold", {"event": "Fair", "quantity": 1}, "unknown_block", 404, "no block 'A' at 'Fair'"),
        ("/shifts/colleagues", {"shift": "S-99"}, "unknown_shift", 404, "There is: S-12, S-13, S-14."),
        ("/reports/read", {"region": "moon"}, "unknown_region", 404, "There is: east, north, south, west."),
    ],
)
def test_a_refusal_has_words_a_code_and_a_status(call, path, arguments, code, status, words):
    with pytest.raises(FunctionError) as refused:
        call(path, arguments)
    assert (refused.value.code, refused.value.status) == (code, status)
    assert words in refused.value.message


@pytest.mark.parametrize(("country", "abroad"), [("CH", False), (None, False), ("ch ", False), ("DE", True)])
def test_abroad_is_every_country_but_the_shops_own(call, country, abroad):
    assert call("/shop/courier/book", {"order": "O-1", "country": country})["abroad"] is abroad


def test_what_was_handed_over_cannot_be_taken_back(call):
    booking = call("/shop/courier/book", {"order": "O-1"})["booking"]
    reserved = call("/shop/stock/reserve", {"order": "O-1", "lines": []})
    call("/shop/courier/hand-over", {"booking": booking, **reserved})
    with pytest.raises(FunctionError, match="is on its way and cannot be called back"):
        call("/shop/courier/cancel", {"booking": booking})
    with pytest.raises(FunctionError, match="The courier has the goods of R-"):
        call("/shop/stock/release", reserved)


def test_nothing_is_handed_over_to_a_courier_that_was_cancelled(call):
    booking = call("/shop/courier/book", {"order": "O-1"})["booking"]
    reserved = call("/shop/stock/reserve", {"order": "O-1", "lines": []})
    call("/shop/courier/cancel", {"booking": booking})
    with pytest.raises(FunctionError, match="was cancelled"):
        call("/shop/courier/hand-over", {"booking": booking, **reserved})
    assert Reservation.objects.get().status == "open"


def test_no_more_is_refunded_than_was_charged(call):
    charge = call("/shop/payment/charge", {"order": "O-1", "amount": 80})
    call("/shop/payment/refund", {**charge, "amount": 50})
    with pytest.raises(FunctionError, match="50 cannot be refunded: 30 is left of P-"):
        call("/shop/payment/refund", {**charge, "amount": 50})
    assert call("/shop/payment/refund", {**charge, "amount": 30})["amount"] == 30


def test_a_cancelled_order_is_not_booked_and_weighs_on_no_budget(call):
    order = call("/office/orders/place", {"what": "a gong", "amount": 900})
    call("/office/ledger/book", {**order, "amount": 900, "cost_centre": "K-7"})
    assert call("/office/budget/check", {"requester": "kim", "amount": 100})["left"] == 49_000
    call("/office/orders/cancel", order)
    assert call("/office/budget/check", {"requester": "kim", "amount": 100})["left"] == 49_900
    with pytest.raises(FunctionError, match="was cancelled and cannot be booked"):
        call("/office/ledger/book", {**order, "amount": 900, "cost_centre": "K-7"})


def test_a_supplier_order_costs_what_its_supplier_asks(call):
    order = call("/buying/order", {"chosen": "Nord", "best": "Sued", "item": "pump", "quantity": 2})
    assert (order["supplier"], order["amount"]) == ("Nord", 1900)
    assert call("/buying/book", {"order": order["order"], "price": 1800})["amount"] == 1900
    assert PurchaseOrder.objects.get().entries.get().text == "best quote 1800"


def test_quotes_are_compared_over_the_branches_that_answered(call):
    answers = [
        {"branch_id": "quotes-0", "status": "completed", "output": {"supplier": "Nord", "price": 950}, "error": None},
        {"branch_id": "quotes-1", "status": "failed", "output": None, "error": "no offer"},
        {"branch_id": "quotes-2", "status": "completed", "output": {"supplier": "Sued", "price": 900}, "error": None},
    ]
    found = call("/buying/compare", {"answers": answers})
    assert (found["best"], found["answered"]) == ({"supplier": "Sued", "price": 900}, 2)
    assert [offer["supplier"] for offer in found["offers"]] == ["Sued", "Nord"]


def test_a_shift_is_covered_by_one_person(call):
    call("/shifts/assign", {"shift": "S-12", "who": "/users/kim"})
    with pytest.raises(FunctionError, match="Kim has S-12 already.") as refused:
        call("/shifts/assign", {"shift": "S-12", "who": "/users/jon"})
    assert refused.value.code == "shift_taken"
    call("/shifts/unassign", {"shift": "S-12", "who": "/users/kim"})
    call("/shifts/assign", {"shift": "S-12", "who": "/users/jon"})
    assert Shift.objects.get(code="S-12").assignments.get(status="open").who == "Jon"


def test_tickets_are_issued_for_the_full_price_only(call):
    hold = call("/tickets/seats/hold", {"event": "Nocturne", "quantity": 2})["hold"]
    with pytest.raises(FunctionError, match=f"The tickets for {hold} cost 90, 45 was paid.") as refused:
        call("/tickets/issue", {"hold": hold, "paid": 45})
    assert refused.value.code == "underpaid"
    assert call("/tickets/issue", {"hold": hold, "paid": 90})["tickets"] == [f"{hold}/1", f"{hold}/2"]


def test_a_refund_is_paid_once_and_then_in_the_history(call):
    note = call("/service/credit-note", {"order": "O-10", "amount": 60})
    call("/service/refund", {**note, "amount": 60})
    with pytest.raises(FunctionError, match="was paid already"):
        call("/service/refund", {**note, "amount": 60})
    with pytest.raises(FunctionError, match="was paid and cannot be voided"):
        call("/service/void-credit-note", note)
    assert call("/service/history", {"customer": "uma"}) == {"orders": 5, "refunds": 5}


def test_a_report_names_what_is_odd_and_what_is_missing(call):
    figures = [{"sales": 11}, None, {"sales": 99}]
    report = call("/reports/build", {"figures": figures, "regions": ["north", "moon", "west"]})
    assert report["odd"] == [{"region": "west", "sales": 99, "usual": 30}]
    assert report["missing"] == ["moon"]
    call(
        "/reports/send",
        {"report": report["report"], "to": ["board", "ana"], "checked_by": "/users/arn", "remark": "a fair"},
    )
    mail = Mail.objects.get()
    assert (mail.to, "Looked at by /users/arn. a fair" in mail.text) == ("board, ana", True)


def test_colleagues_of_one_name_get_addresses_of_their_own(call):
    emails = [call("/people/accounts/create", {"name": "Zoë Li", "role": "temp"})["email"] for _ in range(3)]
    assert emails == ["zoe-li@firm.example", "zoe-li2@firm.example", "zoe-li3@firm.example"]


def test_sales_of_an_event_add_up(call):
    call("/tickets/stats", {"event": "Nocturne", "sold": 2, "mailed": True})
    assert call("/tickets/stats", {"event": "Nocturne", "sold": 3, "mailed": None})["sold_so_far"] == 5
    assert Note.objects.count() == 2
