"""The box office: seats are held, paid and issued. The event-tickets flow uses it."""

from django.db import transaction
from django.db.models import F

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, money, once, plain
from demo.functions.schemas import WRITE, amount, count, flag, gives, listing, optional, takes, text, undone_by
from demo.models import Note, SeatHold, Status, TicketBlock
from flows.registry import Arguments, CallContext, FunctionError, Json

FIRST_BLOCK = "A"
SALE = "ticket sale"


@demo_function(
    "/tickets/seats/hold",
    title="Hold seats",
    description="Keeps seats for a buyer and tells their price. Fails with code sold_out when the block has not "
    "enough: ask for more than the admin shows under Ticket blocks.",
    category="Tickets",
    input_schema=takes(
        {
            "event": text("Event"),
            "quantity": count("Number of seats", 1),
            "block": optional(text(f"Block; empty: {FIRST_BLOCK}")),
        }
    ),
    output_schema=gives({"hold": text("Number of the hold"), "price": amount("Price in all")}),
    resources={"hold": "${output.hold}"},
    compensation=undone_by("/tickets/seats/let-go", hold="${output.hold}"),
    **WRITE,
)
def hold_seats(arguments: Arguments, ctx: CallContext) -> Json:
    quantity = int(arguments["quantity"])
    block = _block(arguments["event"], arguments.get("block") or FIRST_BLOCK)
    with transaction.atomic():
        hold, is_new = once(SeatHold, ctx, block=block, quantity=quantity, price=block.price * quantity)
        if is_new:
            _take(block, quantity)
    return {"hold": hold.number, "price": plain(hold.price)}


def _block(event: str, name: str) -> TicketBlock:
    found = TicketBlock.objects.filter(event__iexact=event, name__iexact=name).first()
    if found is None:
        known = "; ".join(str(block) for block in TicketBlock.objects.all())
        message = f"There is no block {name!r} at {event!r}. There is: {known}."
        raise FunctionError(message, code="unknown_block", status=404)
    return found


def _take(block: TicketBlock, quantity: int) -> None:
    """The check and the taking are one statement: of two calls that want the last seat one gets it."""
    if not TicketBlock.objects.filter(pk=block.pk, free__gte=quantity).update(free=F("free") - quantity):
        block.refresh_from_db()
        message = f"Not enough seats in {block}: {block.free} left, {quantity} asked for."
        raise FunctionError(message, code="sold_out", status=409)


@demo_function(
    "/tickets/seats/let-go",
    title="Let seats go",
    description="Frees seats that were held. Seats whose tickets were issued stay sold.",
    category="Tickets",
    input_schema=takes({"hold": text("Number of the hold")}),
    output_schema=gives({"free": flag("Free again")}),
    **WRITE,
)
def let_go(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        hold = find(SeatHold, arguments["hold"])
        if end(hold, Status.TAKEN_BACK, refusal=f"The tickets for {hold.number} were issued."):
            TicketBlock.objects.filter(pk=hold.block_id).update(free=F("free") + hold.quantity)
    return {"free": True}


@demo_function(
    "/tickets/pay/link",
    title="Send a payment link",
    description=f"Puts a mail with the payment link into the demo's outbox. {REFUSES}",
    category="Tickets",
    input_schema=takes({"to": text("Buyer"), "amount": amount("Amount"), "hold": text("Number of the hold")}),
    output_schema=gives({"link": text("Payment link")}),
    **WRITE,
)
def send_payment_link(arguments: Arguments, ctx: CallContext) -> Json:
    hold, asked = arguments["hold"], plain(money(arguments["amount"]))
    link = f"https://pay.example/{hold}"
    post(ctx, to=arguments["to"], subject=f"Please pay {asked} for {hold}", text=f"Pay here: {link}")
    return {"link": link}


@demo_function(
    "/tickets/issue",
    title="Issue tickets",
    description="Makes the tickets of a hold. Fails with code underpaid when less was paid than they cost.",
    category="Tickets",
    input_schema=takes(
        {
            "hold": text("Number of the hold"),
            "paid": optional(amount("Amount paid")),
            "reference": optional(text("Payment reference")),
        }
    ),
    output_schema=gives({"tickets": listing("Tickets", text("Number of a ticket"))}),
    **WRITE,
)
def issue_tickets(arguments: Arguments, ctx: CallContext) -> Json:
    paid = money(arguments.get("paid") or 0)
    with transaction.atomic():
        hold = find(SeatHold, arguments["hold"])
        if paid < hold.price:
            message = f"The tickets for {hold.number} cost {plain(hold.price)}, {plain(paid)} was paid."
            raise FunctionError(message, code="underpaid", status=402)
        if end(hold, Status.DONE, refusal=f"The seats of {hold.number} were let go."):
            hold.reference = arguments.get("reference") or ""
            hold.save(update_fields=["reference"])
    return {"tickets": [f"{hold.number}/{seat}" for seat in range(1, hold.quantity + 1)]}


@demo_function(
    "/tickets/mail",
    title="Mail tickets",
    description=f"Puts a mail with the tickets into the demo's outbox. {REFUSES}",
    category="Tickets",
    input_schema=takes({"to": text("Buyer"), "tickets": listing("Tickets", text("Number of a ticket"))}),
    output_schema=gives({"mailed": flag("Mailed")}),
    **WRITE,
)
def mail_tickets(arguments: Arguments, ctx: CallContext) -> Json:
    post(ctx, to=arguments["to"], subject="Your tickets", text="\n".join(arguments["tickets"]))
    return {"mailed": True}


@demo_function(
    "/tickets/stats",
    title="Count a sale",
    description="Notes how many tickets were sold and whether they were mailed.",
    category="Tickets",
    input_schema=takes({"event": text("Event"), "sold": count("Tickets sold"), "mailed": optional(flag("Mailed"))}),
    output_schema=gives({"sold_so_far": count("Tickets sold for the event so far")}),
    **WRITE,
)
def count_sale(arguments: Arguments, ctx: CallContext) -> Json:
    event = arguments["event"]
    facts = {"sold": arguments["sold"], "mailed": arguments.get("mailed")}
    once(Note, ctx, topic=SALE, about=event, facts=facts)
    sales = Note.objects.filter(topic=SALE, about=event)
    return {"sold_so_far": sum(sale.facts["sold"] for sale in sales)}
