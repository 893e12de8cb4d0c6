"""The office: budgets, purchases and the ledger. The purchase-approval flow uses them."""

from decimal import Decimal

from django.db import transaction
from django.db.models import Sum

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, money, once, plain, username
from demo.functions.schemas import READ, WRITE, amount, flag, gives, optional, takes, text, undone_by
from demo.models import Budget, Employee, LedgerEntry, PurchaseOrder, Status
from flows.registry import Arguments, CallContext, FunctionError, Json


@demo_function(
    "/office/budget/check",
    title="Look up a budget",
    description="Finds the budget of somebody's team, who leads it and what would be left after a purchase; that may "
    "be less than nothing. The admin shows who is in which team under Employees.",
    category="Office",
    input_schema=takes({"requester": text("Employee, e.g. kim"), "amount": amount("Amount")}),
    output_schema=gives(
        {
            "lead": text("Lead of the team, e.g. /users/lea"),
            "left": {"type": "number", "title": "Left after the purchase"},
            "cost_centre": text("Cost centre"),
        }
    ),
    **READ,
)
def check_budget(arguments: Arguments, ctx: CallContext) -> Json:
    budget = _employee(arguments["requester"]).budget
    left = budget.amount - _spent(budget.cost_centre) - money(arguments["amount"])
    return {"lead": f"/users/{budget.lead}", "left": plain(left), "cost_centre": budget.cost_centre}


def _employee(who: str) -> Employee:
    found = Employee.objects.select_related("budget").filter(username__iexact=username(who)).first()
    if found is None:
        known = ", ".join(Employee.objects.values_list("username", flat=True))
        raise FunctionError(f"Nobody here is called {who!r}. Known: {known}.", code="unknown_employee", status=404)
    return found


def _spent(cost_centre: str) -> Decimal:
    """What is booked on a cost centre, orders that were taken back left out."""
    booked = LedgerEntry.objects.filter(cost_centre=cost_centre).exclude(order__status=Status.TAKEN_BACK)
    return booked.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


@demo_function(
    "/office/orders/place",
    title="Place an order",
    description="Orders something from a supplier.",
    category="Office",
    input_schema=takes(
        {"what": text("What"), "supplier": optional(text("Supplier")), "amount": amount("Price in all")}
    ),
    output_schema=gives({"order": text("Number of the order")}),
    resources={"order": "${output.order}"},
    compensation=undone_by("/office/orders/cancel", order="${output.order}"),
    **WRITE,
)
def place_order(arguments: Arguments, ctx: CallContext) -> Json:
    supplier = arguments.get("supplier") or ""
    order, _ = once(PurchaseOrder, ctx, what=arguments["what"], supplier=supplier, amount=money(arguments["amount"]))
    return {"order": order.number}


@demo_function(
    "/office/orders/cancel",
    title="Cancel an order",
    description="Takes an order back. What was booked for it no longer weighs on the budget.",
    category="Office",
    input_schema=takes({"order": text("Number of the order")}),
    output_schema=gives({"cancelled": flag("Cancelled")}),
    **WRITE,
)
def cancel_order(arguments: Arguments, ctx: CallContext) -> Json:
    end(find(PurchaseOrder, arguments["order"]), Status.TAKEN_BACK)
    return {"cancelled": True}


@demo_function(
    "/office/ledger/book",
    title="Book a cost",
    description="Books the cost of an order on a cost centre.",
    category="Office",
    input_schema=takes(
        {"order": text("Number of the order"), "amount": amount("Amount"), "cost_centre": text("Cost centre")}
    ),
    output_schema=gives({"entry": text("Number of the entry")}),
    resources={"entry": "${output.entry}"},
    **WRITE,
)
def book_cost(arguments: Arguments, ctx: CallContext) -> Json:
    cost_centre = arguments["cost_centre"]
    if not Budget.objects.filter(cost_centre=cost_centre).exists():
        raise FunctionError(f"There is no cost centre {cost_centre!r}.", code="unknown_cost_centre", status=404)
    entry = book(arguments["order"], ctx, amount=money(arguments["amount"]), cost_centre=cost_centre)
    return {"entry": entry.number}


def book(
    number: str, ctx: CallContext, *, cost_centre: str, amount: Decimal | None = None, text: str = ""
) -> LedgerEntry:
    """The ledger entry of an order, at its own price where no amount is given. A cancelled one is refused with 409."""
    with transaction.atomic():
        order = find(PurchaseOrder, number)
        cost = order.amount if amount is None else amount
        entry, is_new = once(LedgerEntry, ctx, order=order, amount=cost, cost_centre=cost_centre, text=text)
        if is_new and order.status == Status.TAKEN_BACK:
            raise FunctionError(f"{number} was cancelled and cannot be booked.", code="not_open", status=409)
    return entry


@demo_function(
    "/office/mail/send",
    title="Send a message",
    description=f"Puts a mail to a colleague into the demo's outbox. {REFUSES}",
    category="Office",
    input_schema=takes({"to": text("To"), "text": text("Text")}),
    output_schema=gives({"sent": flag("Sent")}),
    **WRITE,
)
def send_message(arguments: Arguments, ctx: CallContext) -> Json:
    post(ctx, to=arguments["to"], subject="A message from the office", text=arguments["text"])
    return {"sent": True}
