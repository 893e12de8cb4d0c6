"""The shop: goods, couriers, cards, mail. The order-fulfilment flow uses all of it."""

from django.db import transaction
from django.db.models import F

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, money, once, plain
from demo.functions.schemas import (
    WRITE,
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
from demo.models import Charge, CourierBooking, Refund, Reservation, Status, StockItem
from flows.registry import Arguments, CallContext, FunctionError, Json

HOME = "CH"
SERVED = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "IT", "LI", "LU", "NL", "NO", "PL", "PT", "SE")
CARD_LIMIT = 10_000
_LINE = takes({"sku": text("Article"), "quantity": optional(count("Pieces; empty: 1", 1))}, more=True)


@demo_function(
    "/shop/stock/reserve",
    title="Reserve goods",
    description="Sets goods aside for an order. Fails with code out_of_stock when there are not enough of an article: "
    "ask for more than the admin shows under Stock items.",
    category="Shop",
    input_schema=takes(
        {
            "order": text("Order number"),
            "lines": listing("Lines", _LINE),
        }
    ),
    output_schema=gives({"reservation": text("Number of the reservation")}),
    resources={"reservation": "${output.reservation}"},
    compensation=undone_by("/shop/stock/release", reservation="${output.reservation}"),
    **WRITE,
)
def reserve_stock(arguments: Arguments, ctx: CallContext) -> Json:
    lines = [{"sku": line["sku"], "quantity": int(line.get("quantity") or 1)} for line in arguments["lines"]]
    with transaction.atomic():
        reservation, is_new = once(Reservation, ctx, order=arguments["order"], lines=lines)
        if is_new:
            for line in sorted(lines, key=lambda line: line["sku"]):  # one order for all: two calls never deadlock
                _take(line["sku"], line["quantity"])
    return {"reservation": reservation.number}


def _take(sku: str, quantity: int) -> None:
    """The check and the taking are one statement: of two calls that want the last piece one gets it."""
    if StockItem.objects.filter(sku=sku, available__gte=quantity).update(available=F("available") - quantity):
        return
    item = StockItem.objects.filter(sku=sku).first()
    if item is None:
        raise FunctionError(f"The shop has no article {sku!r}.", code="unknown_article", status=404)
    message = f"Not enough {sku!r} in stock: {item.available} left, {quantity} asked for."
    raise FunctionError(message, code="out_of_stock", status=409)


@demo_function(
    "/shop/stock/release",
    title="Release goods",
    description="Puts reserved goods back on the shelf. Goods that the courier has already cannot be released.",
    category="Shop",
    input_schema=takes({"reservation": text("Number of the reservation")}),
    output_schema=gives({"released": flag("Released")}),
    **WRITE,
)
def release_stock(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        reservation = find(Reservation, arguments["reservation"])
        refusal = f"The courier has the goods of {reservation.number} already."
        if end(reservation, Status.TAKEN_BACK, refusal=refusal):
            for line in sorted(reservation.lines, key=lambda line: line["sku"]):
                StockItem.objects.filter(sku=line["sku"]).update(available=F("available") + line["quantity"])
    return {"released": True}


@demo_function(
    "/shop/courier/book",
    title="Book a courier",
    description=f"Books a courier. The shop is at home in {HOME}, which no country means too; any other one is abroad. "
    f"Countries it does not serve are refused with code unknown_country. Served: {', '.join(SERVED)}.",
    category="Shop",
    input_schema=takes({"order": text("Order number"), "country": optional(text("Country, e.g. CH"))}),
    output_schema=gives({"booking": text("Number of the booking"), "abroad": flag("Goes abroad")}),
    resources={"booking": "${output.booking}"},
    compensation=undone_by("/shop/courier/cancel", booking="${output.booking}"),
    **WRITE,
)
def book_courier(arguments: Arguments, ctx: CallContext) -> Json:
    country = (arguments.get("country") or HOME).strip().upper()
    if country not in SERVED:
        message = f"The courier does not deliver to {country!r}. It serves {', '.join(SERVED)}."
        raise FunctionError(message, code="unknown_country", status=422)
    booking, _ = once(CourierBooking, ctx, order=arguments["order"], country=country, abroad=country != HOME)
    return {"booking": booking.number, "abroad": booking.abroad}


@demo_function(
    "/shop/courier/cancel",
    title="Cancel the courier",
    description="Sends the courier away. A parcel that was handed over cannot be called back.",
    category="Shop",
    input_schema=takes({"booking": text("Number of the booking"), "reason": optional(text("Reason"))}),
    output_schema=gives({"cancelled": flag("Cancelled")}),
    **WRITE,
)
def cancel_courier(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        booking = find(CourierBooking, arguments["booking"])
        refusal = f"The parcel of {booking.number} is on its way and cannot be called back."
        if end(booking, Status.TAKEN_BACK, refusal=refusal):
            booking.reason = arguments.get("reason") or ""
            booking.save(update_fields=["reason"])
    return {"cancelled": True}


@demo_function(
    "/shop/courier/hand-over",
    title="Hand over to the courier",
    description="Gives the reserved goods to the courier and answers with the number to track the parcel.",
    category="Shop",
    input_schema=takes({"booking": text("Number of the booking"), "reservation": text("Number of the reservation")}),
    output_schema=gives({"tracking": text("Tracking number")}),
    resources={"tracking": "${output.tracking}"},
    **WRITE,
)
def hand_over(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        booking = find(CourierBooking, arguments["booking"])
        reservation = find(Reservation, arguments["reservation"])
        end(booking, Status.DONE, refusal=f"The courier of {booking.number} was cancelled.")
        end(reservation, Status.DONE, refusal=f"The goods of {reservation.number} were released.")
    return {"tracking": f"T-{booking.pk}"}


@demo_function(
    "/shop/payment/charge",
    title="Charge a card",
    description="Takes money from the customer's card. To see it declined (code card_declined, status 402), let the "
    f"order number end in -DECLINED or the amount be above {CARD_LIMIT}.",
    category="Shop",
    input_schema=takes({"order": text("Order number"), "amount": amount("Amount")}),
    output_schema=gives({"charge": text("Number of the charge")}),
    resources={"charge": "${output.charge}"},
    compensation=undone_by("/shop/payment/refund", charge="${output.charge}"),
    **WRITE,
)
def charge_card(arguments: Arguments, ctx: CallContext) -> Json:
    if arguments["order"].upper().endswith("-DECLINED"):
        raise FunctionError("The card was declined.", code="card_declined", status=402)
    if arguments["amount"] > CARD_LIMIT:
        message = f"The card was declined: {arguments['amount']} is above its limit of {CARD_LIMIT}."
        raise FunctionError(message, code="card_declined", status=402)
    charge, _ = once(Charge, ctx, order=arguments["order"], amount=money(arguments["amount"]))
    return {"charge": charge.number}


@demo_function(
    "/shop/payment/refund",
    title="Refund a charge",
    description="Pays a charge back to the card, in whole or in part; never more than is left of it.",
    category="Shop",
    input_schema=takes(
        {"charge": text("Number of the charge"), "amount": optional(amount("Amount; empty: all of it"))}
    ),
    output_schema=gives({"refund": text("Number of the refund"), "amount": amount("Amount paid back")}),
    resources={"refund": "${output.refund}"},
    **WRITE,
)
def refund_charge(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        charge = find(Charge, arguments["charge"])
        Charge.objects.select_for_update().get(pk=charge.pk)  # two refunds of one charge come one after the other
        asked = arguments.get("amount")
        paid = charge.amount if asked is None else money(asked)
        refund, is_new = once(Refund, ctx, charge=charge, amount=paid)
        left = charge.amount - sum(other.amount for other in charge.refunds.exclude(pk=refund.pk))
        if is_new and paid > left:
            message = f"{plain(paid)} cannot be refunded: {plain(left)} is left of {charge.number}."
            raise FunctionError(message, code="refund_too_high", status=422)
    return {"refund": refund.number, "amount": plain(refund.amount)}


@demo_function(
    "/shop/mail/send",
    title="Send a mail",
    description=f"Puts a mail into the demo's outbox, where the admin shows it; nothing leaves the machine. {REFUSES}",
    category="Shop",
    input_schema=takes(
        {
            "to": text("To"),
            "subject": text("Subject"),
            "because": optional(text("Reason, for the text")),
            "tracking": optional(text("Tracking number, for the text")),
        }
    ),
    output_schema=gives({"sent": flag("Sent"), "mail": text("Number of the mail")}),
    resources={"mail": "${output.mail}"},
    **WRITE,
)
def send_mail(arguments: Arguments, ctx: CallContext) -> Json:
    lines = []
    if because := arguments.get("because"):
        lines.append(because)
    if tracking := arguments.get("tracking"):
        lines.append(f"Follow your parcel with {tracking}.")
    mail = post(ctx, to=arguments["to"], subject=arguments["subject"], text="\n".join(lines))
    return {"sent": True, "mail": mail.number}
