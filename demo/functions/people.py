"""Human resources: accounts, equipment, desks, badges. The employee-onboarding flow uses them."""

from django.db import transaction
from django.utils.text import slugify

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, once
from demo.functions.schemas import READ, WRITE, flag, gives, optional, takes, text, undone_by
from demo.models import Account, Equipment, Status
from flows.registry import Arguments, CallContext, FunctionError, Json

STANDARD_MACHINE = "laptop-14"


@demo_function(
    "/people/accounts/create",
    title="Create accounts",
    description="Opens the accounts of a new colleague, with a mail address made from the name.",
    category="People",
    input_schema=takes({"name": text("Name"), "role": text("Role")}),
    output_schema=gives({"account": text("Number of the account"), "email": text("Mail address")}),
    resources={"account": "${output.account}"},
    compensation=undone_by("/people/accounts/withdraw", account="${output.account}"),
    **WRITE,
)
def create_accounts(arguments: Arguments, ctx: CallContext) -> Json:
    name = arguments["name"]
    account, _ = once(Account, ctx, name=name, role=arguments["role"], email=_free_address(name))
    return {"account": account.number, "email": account.email}


def _free_address(name: str) -> str:
    """``ann@firm.example``, or ``ann2@`` where there is one. Two calls that take the same: the database refuses one,
    and its retry finds the next.
    """
    base = slugify(name) or "colleague"
    taken = set(Account.objects.filter(email__startswith=base).values_list("email", flat=True))
    candidates = (f"{base}{number or ''}@firm.example" for number in [0, *range(2, len(taken) + 3)])
    return next(address for address in candidates if address not in taken)


@demo_function(
    "/people/accounts/withdraw",
    title="Withdraw accounts",
    description="Closes the accounts of somebody who does not start after all.",
    category="People",
    input_schema=takes({"account": text("Number of the account")}),
    output_schema=gives({"withdrawn": flag("Withdrawn")}),
    **WRITE,
)
def withdraw_accounts(arguments: Arguments, ctx: CallContext) -> Json:
    end(find(Account, arguments["account"]), Status.TAKEN_BACK)
    return {"withdrawn": True}


@demo_function(
    "/people/equipment/standard",
    title="Look up the standard machine",
    description="The machine somebody gets when nobody chooses one.",
    category="People",
    input_schema=takes({}),
    output_schema=gives({"model": text("Model")}),
    **READ,
)
def standard_machine(arguments: Arguments, ctx: CallContext) -> Json:
    return {"model": STANDARD_MACHINE}


@demo_function(
    "/people/equipment/order",
    title="Order equipment",
    description="Orders a machine for somebody's account: the model that was chosen, or the fallback.",
    category="People",
    input_schema=takes(
        {
            "model": optional(text("Model")),
            "fallback": optional(text("Model where none was chosen")),
            "for": text("Number of the account"),
        }
    ),
    output_schema=gives({"order": text("Number of the equipment"), "model": text("Model")}),
    resources={"equipment": "${output.order}"},
    compensation=undone_by("/people/equipment/return", order="${output.order}"),
    **WRITE,
)
def order_equipment(arguments: Arguments, ctx: CallContext) -> Json:
    model = arguments.get("model") or arguments.get("fallback")
    if not model:
        raise FunctionError("No model is given, and no fallback either.", code="no_model", status=422)
    with transaction.atomic():
        account = find(Account, arguments["for"])
        machine, is_new = once(Equipment, ctx, kind=Equipment.Kind.MACHINE, label=model, holder=account.name)
        if is_new and account.status != Status.OPEN:
            message = f"The account {account.number} was withdrawn."
            raise FunctionError(message, code="not_open", status=409)
    return {"order": machine.number, "model": machine.label}


@demo_function(
    "/people/equipment/return",
    title="Return equipment",
    description="Sends ordered equipment back.",
    category="People",
    input_schema=takes({"order": text("Number of the equipment")}),
    output_schema=gives({"returned": flag("Returned")}),
    **WRITE,
)
def return_equipment(arguments: Arguments, ctx: CallContext) -> Json:
    end(find(Equipment, arguments["order"]), Status.TAKEN_BACK)
    return {"returned": True}


@demo_function(
    "/people/office/desk",
    title="Assign a desk",
    description="Gives a new colleague a desk.",
    category="People",
    input_schema=takes({"name": text("Name")}),
    output_schema=gives({"desk": text("Desk, floor first")}),
    resources={"desk": "${output.desk}"},
    **WRITE,
)
def assign_desk(arguments: Arguments, ctx: CallContext) -> Json:
    return {"desk": _hand_out(Equipment.Kind.DESK, arguments["name"], ctx)}


@demo_function(
    "/people/office/badge",
    title="Print a badge",
    description="Prints the badge of a new colleague.",
    category="People",
    input_schema=takes({"name": text("Name")}),
    output_schema=gives({"badge": text("Number of the badge")}),
    resources={"badge": "${output.badge}"},
    **WRITE,
)
def print_badge(arguments: Arguments, ctx: CallContext) -> Json:
    return {"badge": _hand_out(Equipment.Kind.BADGE, arguments["name"], ctx)}


def _hand_out(kind: Equipment.Kind, name: str, ctx: CallContext) -> str:
    """The label of a desk (``3-14``) or a badge (``B-77``) that nobody else has."""
    with transaction.atomic():
        thing, is_new = once(Equipment, ctx, kind=kind, label="", holder=name)
        if is_new:
            thing.label = f"B-{thing.pk}" if kind == Equipment.Kind.BADGE else f"{thing.pk % 4 + 1}-{thing.pk}"
            thing.save(update_fields=["label"])
    return thing.label


@demo_function(
    "/people/mail/welcome",
    title="Send the welcome mail",
    description=f"Puts a welcome with desk and badge into the demo's outbox. {REFUSES}",
    category="People",
    input_schema=takes({"to": text("Mail address"), "desk": optional(text("Desk")), "badge": optional(text("Badge"))}),
    output_schema=gives({"sent": flag("Sent")}),
    **WRITE,
)
def send_welcome(arguments: Arguments, ctx: CallContext) -> Json:
    lines = ["Good to have you with us."]
    if desk := arguments.get("desk"):
        lines.append(f"Your desk is {desk}.")
    if badge := arguments.get("badge"):
        lines.append(f"Your badge is {badge}.")
    post(ctx, to=arguments["to"], subject="Welcome", text="\n".join(lines))
    return {"sent": True}
