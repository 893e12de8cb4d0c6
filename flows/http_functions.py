"""How an HTTP function is set up: what its address, headers, query and body may say.

A template is any JSON value with markers that read ``arguments``: ``{{ arguments.order_id }}``. Each check raises Django's
``ValidationError`` with a sentence that says what to do; the admin's form and the model use them alike.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from flows import registry
from flows.agents import check_key
from flows.expressions import parse_template
from flows.manifest import FUNCTION_PATH, validate_manifest

SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
"""Those that only look something up (RFC 9110, 9.2.1)."""
ARGUMENTS: Final = "arguments"
MARKER: Final = re.compile(r"\{\{.*?\}\}")
"""One marker of an address: each is filled in and escaped by itself."""

_REFERENCE: Final = re.compile(r"(?P<before>(?:[A-Za-z][\w-]* )?)(?P<reference>(?:secret|env):\S+)")
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FAMILY: Final = re.compile(r"[1-5]xx")
_SECRET_WORDS: Final = ("authorization", "cookie", "token", "secret", "password", "api-key", "apikey")
_OURS: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect"})


class Referred(NamedTuple):
    """A header's value that names a secret: ``Bearer secret:shop`` is ``before`` and ``reference``."""

    before: str
    reference: str


def referred(value: str) -> Referred | None:
    """What a header's value refers to; ``None`` when it is a text or a template."""
    found = _REFERENCE.fullmatch(value)
    return None if found is None else Referred(found["before"], found["reference"])


def check_path(path: str) -> None:
    """The path by which flows call it. Code goes before: it cannot be taken from it."""
    if registry.find(path) is not None:
        raise ValidationError(_("A function of the code has this path. Give this one another."))
    if not re.fullmatch(FUNCTION_PATH, path) or path.startswith(("/agents/", "/users/", "/groups/", "/flows/")):
        raise ValidationError(
            _("A path looks like /shop/orders/find, and not like that of a flow, an agent or a person.")
        )


def check_url(url: str) -> None:
    """A whole address. Its host is fixed: an argument must not decide who is sent what, secrets included."""
    if "{{" in "/".join(url.split("/", 3)[:3]).split("?")[0]:
        raise ValidationError(_("Write the host out: markers may stand only behind it."))
    if not is_address(MARKER.sub("x", url)):
        raise ValidationError(_("This is no address such as https://shop.example.org/orders/{{ arguments.order_id }}."))
    for marker in MARKER.findall(url):
        _check_template(marker)


def is_address(url: str) -> bool:
    """Whether a request can go there: ``http`` or ``https`` and a host; no user name, no fragment, nothing to be filled in."""
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return is_fine and not parts.username and not parts.password and not parts.fragment and _is_written(url)


def check_headers(headers: Any) -> None:
    """Names and texts. What looks like a credential is referred to, never written down."""
    if not _is_map_of(headers, str):
        raise ValidationError(
            _('Headers are a map of names to texts, such as {"Authorization": "Bearer secret:shop"}.')
        )
    for name, value in headers.items():
        check_header_name(name)
        found = referred(value)
        if found is not None:
            check_key(found.reference)
        elif any(word in name.lower() for word in _SECRET_WORDS):
            words = _(
                "%(name)s holds a secret: write secret: and its name, or env: and a variable, such as Bearer secret:shop."
            )
            raise ValidationError(words, params={"name": name})
        else:
            _check_template(value)


def check_header_name(name: str) -> None:
    """A header that a function may set; the others are the client's."""
    if not _NAME.fullmatch(name):
        raise ValidationError(_("%(name)s is no name of a header."), params={"name": repr(name)})
    if name.lower() in _OURS:
        raise ValidationError(_("%(name)s is set by Sultana itself."), params={"name": name})


def check_header_names(names: Any) -> None:
    """The headers of an answer that are kept in the output."""
    if not isinstance(names, list) or not all(isinstance(each, str) and _NAME.fullmatch(each) for each in names):
        raise ValidationError(_('This is a list of names of headers, such as ["ETag"].'))
    if any(each.lower() in ("set-cookie", "set-cookie2") for each in names):
        raise ValidationError(_("Cookies are secrets: they are not kept."))


def check_query(query: Any) -> None:
    """What stands behind the ``?``: by name a template."""
    if not _is_map_of(query, object):
        raise ValidationError(_('A query is a map, such as {"page": "{{ arguments.page }}"}.'))
    _check_template(query)


def check_body(body: Any) -> None:
    """A template of any shape."""
    _check_template(body)


def check_statuses(statuses: Any) -> None:
    """Statuses such as ``504``, or families such as ``5xx``."""
    if not isinstance(statuses, list) or not all(_is_status(each) for each in statuses):
        raise ValidationError(_('This is a list of statuses from 400 on, such as [502, 504] or ["5xx"].'))


def problems_together(
    method: str, body: Any, idempotency_header: str, manifest: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """What does not fit together, as the field's name and words."""
    problems = validate_manifest(manifest)
    if problems:
        yield "manifest", problems
    if method in SAFE_METHODS and body is not None:
        yield "body", _("A %(method)s request has no body: leave it empty.") % {"method": method}
    if idempotency_header and manifest.get("idempotent") is True and manifest.get("idempotency_param") is None:
        # The key of a call is another one when a redo visits the step again: only the flow knows what is one effect.
        yield "manifest", _("Name in idempotency_param the argument whose value the idempotency header carries.")


def matches(status: int, statuses: list[Any]) -> bool:
    """Whether ``status`` is among ``statuses`` (:func:`check_statuses`)."""
    return status in statuses or f"{status // 100}xx" in statuses


def _check_template(value: Any) -> None:
    template = parse_template(value)
    if template.errors:
        raise ValidationError([str(each) for each in template.errors])
    for reference in template.references():
        if reference.root != ARGUMENTS:
            words = _("%(name)s is not known here: write arguments.%(name)s.")
            raise ValidationError(words, params={"name": reference.root})


def _is_written(url: str) -> bool:
    return url.isascii() and url.isprintable() and not re.search(r"[\s{}\\]", url)


def _is_map_of(value: Any, kind: type) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, kind) for each in value.values())


def _is_status(value: Any) -> bool:
    if isinstance(value, str):
        return _FAMILY.fullmatch(value) is not None and value[0] in "45"
    return isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599
