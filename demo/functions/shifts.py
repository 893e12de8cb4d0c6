"""Shift planning: who could take a shift, who does. The shift-cover flow uses it."""

from django.db import transaction

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import once, username
from demo.functions.schemas import READ, WRITE, count, flag, gives, listing, optional, takes, text, undone_by
from demo.models import Employee, Note, Shift, ShiftAssignment, Status
from flows.registry import Arguments, CallContext, FunctionError, Json

_COLLEAGUE = gives({"name": text("Name"), "home": text("Where to ask, e.g. /users/kim")})


@demo_function(
    "/shifts/colleagues",
    title="Find colleagues",
    description="Lists who could take a shift, and when and where it is. The admin shows it under Shifts.",
    category="Shifts",
    input_schema=takes({"shift": text("Shift, e.g. S-12")}),
    output_schema=gives(
        {"when": text("When"), "where": text("Where"), "people": listing("Who could take it", _COLLEAGUE)}
    ),
    **READ,
)
def find_colleagues(arguments: Arguments, ctx: CallContext) -> Json:
    shift = _shift(arguments["shift"])
    people = [{"name": each.name, "home": f"/users/{each.username}"} for each in shift.suitable.all()]
    return {"when": shift.when, "where": shift.where, "people": people}


def _shift(code: str) -> Shift:
    found = Shift.objects.filter(code__iexact=code).first()
    if found is None:
        known = ", ".join(Shift.objects.values_list("code", flat=True))
        raise FunctionError(f"There is no shift {code!r}. There is: {known}.", code="unknown_shift", status=404)
    return found


@demo_function(
    "/shifts/withdraw-question",
    title="Withdraw a question",
    description="Notes that somebody was asked about a shift and need not answer any more.",
    category="Shifts",
    input_schema=takes({"who": text("Name"), "shift": text("Shift")}),
    output_schema=gives({"withdrawn": flag("Withdrawn")}),
    **WRITE,
)
def withdraw_question(arguments: Arguments, ctx: CallContext) -> Json:
    once(Note, ctx, topic="question withdrawn", about=arguments["shift"], facts={"who": arguments["who"]})
    return {"withdrawn": True}


@demo_function(
    "/shifts/note",
    title="Note an answer",
    description="Notes what somebody answered about a shift; empty: nothing.",
    category="Shifts",
    input_schema=takes({"who": text("Name"), "answer": optional(text("Answer"))}),
    output_schema=gives({"noted": flag("Noted")}),
    **WRITE,
)
def note_answer(arguments: Arguments, ctx: CallContext) -> Json:
    once(Note, ctx, topic="answer", about=arguments["who"], facts={"answer": arguments.get("answer")})
    return {"noted": True}


@demo_function(
    "/shifts/assign",
    title="Assign a shift",
    description="Gives a shift to a colleague. Fails with code shift_taken when somebody else has it.",
    category="Shifts",
    input_schema=takes({"shift": text("Shift"), "who": text("Colleague, e.g. /users/kim")}),
    output_schema=gives({"shift": text("Shift"), "who": text("Name of the colleague")}),
    resources={"who": "${output.who}"},
    compensation=undone_by("/shifts/unassign", shift="${output.shift}", who="${output.who}"),
    **WRITE,
)
def assign_shift(arguments: Arguments, ctx: CallContext) -> Json:
    with transaction.atomic():
        shift = _shift(arguments["shift"])
        Shift.objects.select_for_update().get(pk=shift.pk)  # two calls for one shift come one after the other
        other = shift.assignments.filter(status=Status.OPEN).exclude(key=ctx.idempotency_key).first()
        if other is not None:
            raise FunctionError(f"{other.who} has {shift.code} already.", code="shift_taken", status=409)
        assignment, _ = once(ShiftAssignment, ctx, shift=shift, who=_name(arguments["who"]))
    return {"shift": shift.code, "who": assignment.who}


def _name(person: str) -> str:
    """The name of a colleague; of somebody who is none, what was given."""
    found = Employee.objects.filter(username__iexact=username(person)).first()
    return found.name if found else username(person)


@demo_function(
    "/shifts/unassign",
    title="Take a shift back",
    description="Frees a shift that was given to a colleague.",
    category="Shifts",
    input_schema=takes({"shift": text("Shift"), "who": text("Colleague, e.g. /users/kim")}),
    output_schema=gives({"unassigned": flag("Free again")}),
    **WRITE,
)
def unassign_shift(arguments: Arguments, ctx: CallContext) -> Json:
    shift = _shift(arguments["shift"])
    assigned = shift.assignments.filter(status=Status.OPEN, who=_name(arguments["who"]))
    assigned.update(status=Status.TAKEN_BACK)
    return {"unassigned": True}


@demo_function(
    "/shifts/report",
    title="Report to the planner",
    description=f"Puts a mail with the result into the demo's outbox. {REFUSES}",
    category="Shifts",
    input_schema=takes(
        {
            "to": text("Planner"),
            "shift": text("Shift"),
            "asked": optional(count("How many were asked")),
            "assigned": optional(text("Who has the shift")),
            "decision": optional(text("What the planner decided")),
        }
    ),
    output_schema=gives({"sent": flag("Sent")}),
    **WRITE,
)
def report(arguments: Arguments, ctx: CallContext) -> Json:
    result = arguments.get("assigned") or arguments.get("decision") or "nobody"
    text = f"Asked: {arguments.get('asked') or 0}. Result: {result}."
    post(ctx, to=arguments["to"], subject=f"Shift {arguments['shift']}", text=text)
    return {"sent": True}
