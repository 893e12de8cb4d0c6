"""Mail of the demo: it goes into a table that people look at in the admin, and no further."""

from demo.functions.records import once
from demo.models import Mail
from flows.registry import CallContext, FunctionError

REFUSES = "An address that ends in .invalid is refused (code address_refused)."
"""For descriptions: how a person sees a mail fail."""


def post(ctx: CallContext, *, to: str, subject: str, text: str = "") -> Mail:
    """The mail this call sends, once; ``to`` may list several addresses.

    Raises ``FunctionError`` with status 422 for an address that nobody can have.
    """
    for address in to.split(","):
        if not address.strip() or address.strip().endswith(".invalid"):
            raise FunctionError(f"The mail server refused the address {address!r}.", code="address_refused", status=422)
    mail, _ = once(Mail, ctx, to=to, subject=subject, text=text)
    return mail
