"""The buying desk: suppliers, quotes, orders. The supplier-quotes flow uses it."""

from decimal import Decimal

from django.db.models import QuerySet

from demo.behaviour import demo_function
from demo.functions.office import book
from demo.functions.records import end, find, money, once, plain
from demo.functions.schemas import (
    READ,
    WRITE,
    Schema,
    amount,
    count,
    flag,
    gives,
    listing,
    optional,
    takes,
    text,
    undone_by,
)
from demo.models import PurchaseOrder, Status, SupplierOffer
from flows.registry import Arguments, CallContext, FunctionError, Json

COST_CENTRE = "K-9"
_OFFER = gives({"supplier": text("Supplier"), "price": amount("Price in all")})
_ANSWER: Schema = {
    "type": "object",
    "properties": {"status": text("completed or failed"), "output": {"type": ["object", "null"]}},
    "required": ["status"],
}


@demo_function(
    "/buying/suppliers",
    title="List suppliers",
    description="Lists who sells an item, as one request for each. The admin shows them under Supplier offers; nobody "
    "sells an item that is not there.",
    category="Buying",
    input_schema=takes({"item": text("Item"), "quantity": count("Quantity", 1)}),
    output_schema=gives(
        {
            "requests": listing(
                "Requests",
                gives({"supplier": text("Supplier"), "item": text("Item"), "quantity": count("Quantity", 1)}),
            )
        }
    ),
    **READ,
)
def list_suppliers(arguments: Arguments, ctx: CallContext) -> Json:
    item, quantity = arguments["item"], arguments["quantity"]
    suppliers = _offers(item).values_list("supplier", flat=True)
    return {"requests": [{"supplier": each, "item": item, "quantity": quantity} for each in suppliers]}


def _offers(item: str) -> QuerySet[SupplierOffer]:
    return SupplierOffer.objects.filter(item__iexact=item)


@demo_function(
    "/buying/request-quote",
    title="Request a quote",
    description="Asks one supplier for a price. A supplier whose offer has no price answers with a refusal "
    "(code no_quote); give this function the behaviour 'never answers' to see one stay silent.",
    category="Buying",
    input_schema=takes(
        {
            "supplier": text("Supplier"),
            "item": text("Item"),
            "quantity": count("Quantity", 1),
            "turn": optional(count("Position among the requests")),
        }
    ),
    output_schema=_OFFER,
    **READ,
)
def request_quote(arguments: Arguments, ctx: CallContext) -> Json:
    offer = _offer(arguments["supplier"], arguments["item"])
    return {"supplier": offer.supplier, "price": plain(_price(offer, int(arguments["quantity"])))}


def _offer(supplier: str, item: str) -> SupplierOffer:
    """A supplier's offer with a price. Raises ``FunctionError``, 404 or 422, in words that name who does offer."""
    found = _offers(item).filter(supplier__iexact=supplier).first()
    if found is None:
        others = ", ".join(_offers(item).values_list("supplier", flat=True)) or "nobody"
        message = f"{supplier} does not sell {item!r}. Who does: {others}."
        raise FunctionError(message, code="not_offered", status=404)
    if found.unit_price is None:
        raise FunctionError(f"{supplier} makes no offer for {item!r}.", code="no_quote", status=422)
    return found


def _price(offer: SupplierOffer, quantity: int) -> Decimal:
    return (offer.unit_price or Decimal(0)) * quantity


@demo_function(
    "/buying/compare",
    title="Compare quotes",
    description="Orders the quotes by price and counts who answered. It takes the branches of a parallel container.",
    category="Buying",
    input_schema=takes({"answers": listing("Answers", _ANSWER)}),
    output_schema=gives(
        {
            "best": {**optional(_OFFER), "title": "Best offer, or null"},
            "answered": count("How many answered"),
            "offers": listing("Offers, cheapest first", _OFFER),
        }
    ),
    **READ,
)
def compare_quotes(arguments: Arguments, ctx: CallContext) -> Json:
    given = [answer["output"] for answer in arguments["answers"] if answer["status"] == "completed"]
    offers = [{"supplier": each["supplier"], "price": each["price"]} for each in given if _is_offer(each)]
    offers.sort(key=lambda offer: offer["price"])
    return {"best": offers[0] if offers else None, "answered": len(offers), "offers": offers}


def _is_offer(output: Json) -> bool:
    return isinstance(output, dict) and isinstance(output.get("price"), int | float) and "supplier" in output


@demo_function(
    "/buying/order",
    title="Order from a supplier",
    description="Places the order with the supplier somebody chose, or with the best one where nobody chose.",
    category="Buying",
    input_schema=takes(
        {
            "chosen": optional(text("Supplier that was chosen")),
            "best": optional(text("Supplier with the best offer")),
            "item": text("Item"),
            "quantity": count("Quantity", 1),
        }
    ),
    output_schema=gives(
        {"order": text("Number of the order"), "supplier": text("Supplier"), "amount": amount("Price in all")}
    ),
    resources={"order": "${output.order}"},
    compensation=undone_by("/buying/cancel", order="${output.order}"),
    **WRITE,
)
def order(arguments: Arguments, ctx: CallContext) -> Json:
    supplier = arguments.get("chosen") or arguments.get("best")
    if not supplier:
        raise FunctionError("Neither a chosen nor a best supplier is given.", code="no_supplier", status=422)
    offer = _offer(supplier, arguments["item"])
    quantity = int(arguments["quantity"])
    placed, _ = once(
        PurchaseOrder,
        ctx,
        what=offer.item,
        supplier=offer.supplier,
        quantity=quantity,
        amount=_price(offer, quantity),
    )
    return {"order": placed.number, "supplier": placed.supplier, "amount": plain(placed.amount)}


@demo_function(
    "/buying/cancel",
    title="Cancel a supplier's order",
    description="Takes an order back. What was booked for it no longer weighs on the budget.",
    category="Buying",
    input_schema=takes({"order": text("Number of the order")}),
    output_schema=gives({"cancelled": flag("Cancelled")}),
    **WRITE,
)
def cancel(arguments: Arguments, ctx: CallContext) -> Json:
    end(find(PurchaseOrder, arguments["order"]), Status.TAKEN_BACK)
    return {"cancelled": True}


@demo_function(
    "/buying/book",
    title="Book a supplier's order",
    description=f"Books an order on the cost centre {COST_CENTRE} of the buying desk, at the price of the supplier it "
    "went to; the best quote is noted beside it.",
    category="Buying",
    input_schema=takes({"order": text("Number of the order"), "price": optional(amount("Best quote"))}),
    output_schema=gives({"entry": text("Number of the entry"), "amount": amount("Amount booked")}),
    resources={"entry": "${output.entry}"},
    **WRITE,
)
def book_order(arguments: Arguments, ctx: CallContext) -> Json:
    quote = arguments.get("price")
    text = "" if quote is None else f"best quote {plain(money(quote))}"
    entry = book(arguments["order"], ctx, cost_centre=COST_CENTRE, text=text)
    return {"entry": entry.number, "amount": plain(entry.amount)}
