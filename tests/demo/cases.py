"""A working call of each function: path -> how its arguments come about in a freshly seeded demo."""

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def _reserve(call: Call) -> Any:
    return call("/shop/stock/reserve", CASES["/shop/stock/reserve"](call))


def _book(call: Call) -> Any:
    return call("/shop/courier/book", CASES["/shop/courier/book"](call))


def _hold(call: Call) -> Any:
    return call("/tickets/seats/hold", CASES["/tickets/seats/hold"](call))


def _note(call: Call) -> Any:
    return call("/service/credit-note", CASES["/service/credit-note"](call))


def _account(call: Call) -> Any:
    return call("/people/accounts/create", CASES["/people/accounts/create"](call))


def _report(call: Call) -> Any:
    return call("/reports/build", CASES["/reports/build"](call))


CASES: dict[str, Callable[[Call], dict[str, Any]]] = {
    "/shop/stock/reserve": lambda call: {"order": "O-1", "lines": [{"sku": "lamp", "quantity": 2}, {"sku": "cup"}]},
    "/shop/stock/release": lambda call: _reserve(call),
    "/shop/courier/book": lambda call: {"order": "O-1", "country": "DE"},
    "/shop/courier/cancel": lambda call: {"booking": _book(call)["booking"], "reason": "order refused"},
    "/shop/courier/hand-over": lambda call: {"booking": _book(call)["booking"], **_reserve(call)},
    "/shop/payment/charge": lambda call: {"order": "O-1", "amount": 120},
    "/shop/payment/refund": lambda call: call("/shop/payment/charge", {"order": "O-1", "amount": 80}) | {"amount": 80},
    "/shop/mail/send": lambda call: {"to": "lena", "subject": "On its way", "tracking": "T-1"},
    "/office/budget/check": lambda call: {"requester": "kim", "amount": 300},
    "/office/orders/place": lambda call: {"what": "a gong", "supplier": None, "amount": 900},
    "/office/orders/cancel": lambda call: call("/office/orders/place", {"what": "a gong", "amount": 900}),
    "/office/ledger/book": lambda call: {
        **call("/office/orders/place", {"what": "a gong", "amount": 900}),
        "amount": 900,
        "cost_centre": "K-7",
    },
    "/office/mail/send": lambda call: {"to": "kim", "text": "Not this year."},
    "/buying/suppliers": lambda call: {"item": "screws", "quantity": 100},
    "/buying/request-quote": lambda call: {"supplier": "Nord", "item": "screws", "quantity": 100, "turn": 0},
    "/buying/compare": lambda call: {"answers": []},
    "/buying/order": lambda call: {"chosen": None, "best": "Nord", "item": "screws", "quantity": 100},
    "/buying/cancel": lambda call: {"order": _supplier_order(call)},
    "/buying/book": lambda call: {"order": _supplier_order(call), "price": 40},
    "/people/accounts/create": lambda call: {"name": "Ann", "role": "developer"},
    "/people/accounts/withdraw": lambda call: {"account": _account(call)["account"]},
    "/people/equipment/standard": lambda call: {},
    "/people/equipment/order": lambda call: {"model": None, "fallback": "laptop-14", "for": _account(call)["account"]},
    "/people/equipment/return": lambda call: {
        "order": call("/people/equipment/order", {"model": "phone", "for": _account(call)["account"]})["order"]
    },
    "/people/office/desk": lambda call: {"name": "Ann"},
    "/people/office/badge": lambda call: {"name": "Ann"},
    "/people/mail/welcome": lambda call: {"to": "ann@firm.example", "desk": "3-14", "badge": "B-77"},
    "/tickets/seats/hold": lambda call: {"event": "Nocturne", "quantity": 2, "block": "B"},
    "/tickets/seats/let-go": lambda call: {"hold": _hold(call)["hold"]},
    "/tickets/pay/link": lambda call: {"to": "lena", "amount": 90, "hold": "H-1"},
    "/tickets/issue": lambda call: {"hold": _hold(call)["hold"], "paid": 90, "reference": "PAY-7"},
    "/tickets/mail": lambda call: {"to": "lena", "tickets": ["H-1/1", "H-1/2"]},
    "/tickets/stats": lambda call: {"event": "Nocturne", "sold": 2, "mailed": None},
    "/service/history": lambda call: {"customer": "uma"},
    "/service/credit-note": lambda call: {"order": "O-9", "amount": 18, "decided_because": "damage on arrival"},
    "/service/void-credit-note": lambda call: _note(call),
    "/service/refund": lambda call: {**_note(call), "amount": 18},
    "/service/explain": lambda call: {"customer": "uma", "why": "normal wear"},
    "/service/close": lambda call: {"order": "O-9", "paid": "F-1", "explained": None},
    "/shifts/colleagues": lambda call: {"shift": "S-12"},
    "/shifts/withdraw-question": lambda call: {"who": "Jon", "shift": "S-12"},
    "/shifts/note": lambda call: {"who": "Jon", "answer": None},
    "/shifts/assign": lambda call: {"shift": "S-12", "who": "/users/kim"},
    "/shifts/unassign": lambda call: call("/shifts/assign", {"shift": "S-13", "who": "/users/ida"}),
    "/shifts/report": lambda call: {"to": "/users/paul", "shift": "S-12", "asked": 3, "assigned": "Kim"},
    "/reports/read": lambda call: {"region": "north"},
    "/reports/build": lambda call: {"figures": [{"sales": 10}, None, {"sales": 99}], "regions": ["north", "x", "west"]},
    "/reports/discard": lambda call: {"report": _report(call)["report"]},
    "/reports/send": lambda call: {"report": _report(call)["report"], "to": ["board"], "checked_by": None},
}


def _supplier_order(call: Call) -> Any:
    return call("/buying/order", CASES["/buying/order"](call))["order"]
