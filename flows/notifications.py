"""How a notification target is set up: its name, its mail addresses, the address and headers of its webhook.

Each check raises Django's ``ValidationError`` with a sentence that says what to do; the admin's form and the
model use them alike.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _

from flows.http_functions import check_headers, is_address

MOST_ADDRESSES: Final = 50
"""Everybody of a mail reads who else got it: for more people there are mailing lists."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")


def check_name(name: str) -> None:
    """The name by which flows say whom to tell (``notify``)."""
    if not _NAME.fullmatch(name):
        raise ValidationError(_("Use small letters, digits, - and _, beginning with a letter, such as support-team."))


def addresses_in(text: str) -> list[str]:
    """The mail addresses of a text with one in a line, or commas between them; each once."""
    return list(dict.fromkeys(each for each in re.split(r"[\s,;]+", text) if each))


def check_addresses(text: str) -> None:
    """Mail addresses, and no more than one mail can go to."""
    found = addresses_in(text)
    for address in found:
        try:
            validate_email(address)
        except ValidationError as error:
            words = _("%(address)s is no mail address, such as support@example.org.")
            raise ValidationError(words, params={"address": address}) from error
    if len(found) > MOST_ADDRESSES:
        raise ValidationError(_("One mail goes to at most %(most)s addresses."), params={"most": MOST_ADDRESSES})


def check_url(url: str) -> None:
    """Where a webhook listens. Nothing is filled in: every notice goes to the same place."""
    if not is_address(url):
        raise ValidationError(_("This is no address such as https://chat.example.org/hooks/support."))


def check_webhook_headers(headers: Any) -> None:
    """Names and texts; what is secret is referred to, as in an HTTP function."""
    check_headers(headers)
    if any("{{" in value or "${" in value for value in headers.values()):
        raise ValidationError(_("Nothing can be filled into a header here: write it out, or name a secret."))


def problems_together(kind: str, addresses: str, url: str, headers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is missing for the kind, or of no use to it, as the field's name and words."""
    if kind == "email":
        if not addresses_in(addresses):
            yield "addresses", _("Say to whom the mail goes.")
        for name, value in (("url", url), ("headers", headers)):
            if value:
                yield name, _("Only a webhook has this: leave it empty, or choose the webhook.")
    else:
        if not url:
            yield "url", _("Say where the webhook listens.")
        if addresses_in(addresses):
            yield "addresses", _("Only e-mail has this: leave it empty, or choose e-mail.")
