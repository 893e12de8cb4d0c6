"""The service desk: credit notes and refunds. The refund-triage flow uses it."""

from django.db import transaction

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, money, once
from demo.functions.schemas import READ, WRITE, amount, count, flag, gives, optional, takes, text, undone_by
from demo.models import CreditNote, CustomerOrder, Note, Refund, Status
from flows.registry import Arguments, CallContext, FunctionError, Json


@demo_function(
    "/service/history",
    title="Look up a customer",
    description="Counts a customer's orders and the refunds paid for them. The admin shows whose order is whose under "
    "Customer orders; somebody who is not there has no history.",
    category="Service",
    input_schema=takes({"customer": text("Customer")}),
    output_schema=gives({"orders": count("Orders"), "refunds": count("Refunds paid")}),
    **READ,
)
def look_up_history(arguments: Arguments, ctx: CallContext) -> Json:
    orders = CustomerOrder.objects.filter(customer__iexact=arguments["customer"])
    refunds = CreditNote.objects.filter(status=Status.DONE, order__in=orders.values("order"))
    return {"orders": orders.count(), "refunds": refunds.count()}


@demo_function(
    "/service/credit-note",
    title="Write a credit note",
    description="Promises a customer money back for an order.",
    category="Service",
    input_schema=takes(
        {
            "order": text("Order"),
            "amount": amount("Amount"),
            "decided_because": optional(text("Reason of the decision")),
        }
    ),
    output_schema=gives({"note": text("Number of the credit note")}),
    resources={"note": "${output.note}"},
    compensation=undone_by("/service/void-credit-note", note="${output.note}"),
    **WRITE,
)
def write_credit_note(arguments: Arguments, ctx: CallContext) -> Json:
    because = arguments.get("decided_because") or ""
    note, _ = once(CreditNote, ctx, order=arguments["order"], amount=money(arguments["amount"]), because=because)
    return {"note": note.number}


@demo_function(
    "/service/void-credit-note",
    title="Void a credit note",
    description="Takes a promise back. A credit note that was paid cannot be voided.",
    category="Service",
    input_schema=takes({"note": text("Number of the credit note")}),
    output_schema=gives({"void": flag("Void")}),
    **WRITE,
)
def void_credit_note(arguments: Arguments, ctx: CallContext) -> Json:
    note = find(CreditNote, arguments["note"])
    end(note, Status.TAKEN_BACK, refusal=f"{note.number} was paid and cannot be voided.")
    return {"void": True}


@demo_function(
    "/service/refund",
    title="Pay a refund",
    description="Pays a credit note. To see the bank refuse (code account_unknown, status 422), let the order end in "
    "-DECLINED.",
    category="Service",
    input_schema=takes({"note": text("Number of the credit note"), "amount": amount("Amount")}),
    output_schema=gives({"payment": text("Number of the payment")}),
    resources={"payment": "${output.payment}"},
    **WRITE,
)
def pay_refund(arguments: Arguments, ctx: CallContext) -> Json:
    paid = money(arguments["amount"])
    with transaction.atomic():
        note = find(CreditNote, arguments["note"])
        if note.order.upper().endswith("-DECLINED"):
            message = f"The bank does not know the account behind {note.order}."
            raise FunctionError(message, code="account_unknown", status=422)
        if paid > note.amount:
            message = f"{note.number} promises {note.amount}, {paid} is more."
            raise FunctionError(message, code="refund_too_high", status=422)
        refund, is_new = once(Refund, ctx, note=note, amount=paid)
        if is_new and not end(note, Status.DONE, refusal=f"{note.number} is void."):
            raise FunctionError(f"{note.number} was paid already.", code="not_open", status=409)
    return {"payment": refund.number}


@demo_function(
    "/service/explain",
    title="Explain a refusal",
    description=f"Puts a mail with the reason into the demo's outbox. {REFUSES}",
    category="Service",
    input_schema=takes({"customer": text("Customer"), "why": optional(text("Reason"))}),
    output_schema=gives({"sent": flag("Sent")}),
    **WRITE,
)
def explain(arguments: Arguments, ctx: CallContext) -> Json:
    why = arguments.get("why") or "We are sorry, there is no refund in this case."
    post(ctx, to=arguments["customer"], subject="Your request for a refund", text=why)
    return {"sent": True}


@demo_function(
    "/service/close",
    title="Close a case",
    description="Notes how a customer's case ended.",
    category="Service",
    input_schema=takes(
        {
            "order": text("Order"),
            "paid": optional(text("Number of the payment")),
            "explained": optional(flag("The refusal was explained")),
        }
    ),
    output_schema=gives({"closed": flag("Closed")}),
    **WRITE,
)
def close_case(arguments: Arguments, ctx: CallContext) -> Json:
    facts = {"paid": arguments.get("paid"), "explained": arguments.get("explained")}
    once(Note, ctx, topic="case closed", about=arguments["order"], facts=facts)
    return {"closed": True}
