"""What an HTTP function sends for its arguments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn
from urllib.parse import quote, unquote, urlencode, urlsplit

from flows.expressions import ExpressionError, parse_template
from flows.http_functions import ARGUMENTS, MARKER, referred
from flows.models import HttpFunction
from flows.registry import CallContext, FunctionError
from flows.secrets import KeyUnavailable, key_of
from flows.values import dumps

FORM: Final = "application/x-www-form-urlencoded"
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent. ``secrets`` are the values among its headers that nobody may see again."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    secrets: tuple[str, ...]

    def masked(self, value: Any) -> Any:
        """``value``, any JSON value, without this request's secrets: servers like to quote what they are sent."""
        if isinstance(value, str):
            for secret in self.secrets:
                value = value.replace(secret, "***")
            return value
        if isinstance(value, list):
            return [self.masked(each) for each in value]
        if isinstance(value, dict):
            return {self.masked(name): self.masked(each) for name, each in value.items()}
        return value


def request_of(function: HttpFunction, arguments: dict[str, Any], ctx: CallContext) -> Request:
    """The request for these arguments. Raises ``FunctionError`` when they do not fill it, or a secret is missing."""
    names = {ARGUMENTS: arguments}
    headers, secrets = _headers(function, names)
    if function.idempotency_header:
        parameter = function.manifest.get("idempotency_param")
        key = arguments.get(parameter) if parameter else None
        headers[function.idempotency_header.lower()] = _sendable(
            function.idempotency_header, _text(ctx.idempotency_key if key is None else key, "its idempotency key")
        )
    content = _content(_resolved(function.body, names, "body"), headers)
    return Request(function.method, _url(function, names), headers, content, tuple(secrets))


def _url(function: HttpFunction, names: Mapping[str, Any]) -> str:
    url = MARKER.sub(lambda found: _escaped(_resolved(found[0], names, "address"), found[0]), function.url)
    if any(unquote(part) in (".", "..") for part in urlsplit(url).path.split("/")):
        _refuse("The address would lead to another folder: an argument is . or ..")
    query = urlencode(list(_pairs(_resolved(function.query, names, "query"))))
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def _escaped(value: Any, marker: str) -> str:
    """A value inside an address. An empty one is refused: ``/orders/`` is quite another thing than ``/orders/7``."""
    text = _text(value, marker)
    if not text:
        _refuse(f"{marker} in the address is empty.")
    return quote(text, safe="")


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A list repeats its name; what is null is left out."""
    for name, value in query.items():
        for each in value if isinstance(value, list) else [value]:
            if each is not None:
                yield name, _text(each, f"{name} in the query")


def _headers(function: HttpFunction, names: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """The headers by their small names, and the secrets among their values."""
    headers: dict[str, str] = {}
    secrets: list[str] = []
    for name, value in function.headers.items():
        found = referred(value)
        if found is not None:
            secrets.append(_secret(name, found.reference))
            headers[name.lower()] = _sendable(name, found.before + secrets[-1])
        else:
            resolved = _resolved(value, names, f"header {name}")
            if resolved is not None:
                headers[name.lower()] = _sendable(name, _text(resolved, f"the header {name}"))
    return headers, secrets


def _secret(name: str, reference: str) -> str:
    try:
        return key_of(reference).strip()
    except KeyUnavailable as error:
        raise FunctionError(f"The header {name} has no value: {error}", code="missing_key") from error


def _sendable(name: str, value: str) -> str:
    """Checked here, because the client would quote the whole value, and that may be a secret."""
    if not value.isascii() or not value.isprintable():
        _refuse(f"The header {name} holds letters that no header can carry.")
    return value


def _content(body: Any, headers: dict[str, str]) -> bytes | None:
    if body is None:
        return None
    kind = headers.setdefault("content-type", JSON)
    if kind.startswith(FORM) and isinstance(body, Mapping):
        return urlencode(list(_pairs(body))).encode()
    is_plain = isinstance(body, str) and "json" not in kind
    return (body if is_plain else dumps(body)).encode()


def _resolved(template: Any, names: Mapping[str, Any], place: str) -> Any:
    try:
        return parse_template(template).resolve(names)
    except ExpressionError as error:
        raise FunctionError(f"The arguments do not fill the {place}: {error}", code="invalid_arguments") from error


def _text(value: Any, place: str) -> str:
    """A single value as text; ``null`` is empty."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list | dict):
        _refuse(f"A single value is needed for {place}, not a list or a map.")
    return dumps(value)


def _refuse(words: str) -> NoReturn:
    raise FunctionError(words, code="invalid_arguments")
