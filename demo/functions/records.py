"""How the demo's functions find, make and end their rows: each effect once, each refusal in words."""

from decimal import Decimal
from typing import TypeVar

from demo.models import Record, Status, Undoable
from flows.registry import CallContext, FunctionError

AnyRecord = TypeVar("AnyRecord", bound=Record)


def once(model: type[AnyRecord], ctx: CallContext, **fields: object) -> tuple[AnyRecord, bool]:
    """The row this call makes, and whether it made it now; a repeated call gets the row of the first one back.

    Effects beside the row belong into the same transaction and under the flag.
    """
    told = {"instance_id": ctx.instance_id, "is_test": ctx.is_test, **fields}
    return model._default_manager.get_or_create(key=ctx.idempotency_key, defaults=told)


def find(model: type[AnyRecord], number: str) -> AnyRecord:
    """The row that people call ``number`` (``R-17``). Raises ``FunctionError`` with status 404."""
    prefix, _, key = number.rpartition("-")
    found = None
    if prefix == model.prefix and key.isascii() and key.isdigit() and len(key) < 18:
        found = model._default_manager.filter(pk=int(key)).first()
    if found is None:
        name = model._meta.verbose_name
        raise FunctionError(f"There is no {name} {number!r}.", code="not_found", status=404)
    return found


def end(row: Undoable, status: Status, *, refusal: str = "") -> bool:
    """Move an open row to ``status``. True: done now. False: it was there already, so there is nothing left to do.

    Raises ``FunctionError`` with status 409 and ``refusal`` when the row ended in the other way before.
    """
    rows = type(row)._default_manager.filter(pk=row.pk)
    moved = rows.filter(status=Status.OPEN).update(status=status)
    row.refresh_from_db()
    if not moved and row.status != status:
        message = refusal or f"{row.number} is {row.status} and stays so."
        raise FunctionError(message, code="not_open", status=409)
    return bool(moved)


def money(amount: float) -> Decimal:
    """An amount as the database keeps it: two decimals."""
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def plain(amount: Decimal) -> int | float:
    """An amount as flows read it: 90, 12.5."""
    return int(amount) if amount == int(amount) else float(amount)


def username(person: str) -> str:
    """``kim`` out of ``/users/kim`` or of ``kim``."""
    return person.rstrip("/").rpartition("/")[2]
