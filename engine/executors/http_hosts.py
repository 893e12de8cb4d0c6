"""Which hosts HTTP functions may reach: public ones, and those that ``SULTANA_HTTP_ALLOWED_HOSTS`` names.

A worker often stands where a database, a cloud's metadata service or an intranet answers it without asking who it is. The
addresses that were checked here are those that are connected to: a name that is asked for twice may answer twice.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from django.conf import settings
from django.http.request import validate_host

from flows.registry import FunctionError

PUBLIC: Final = "*"
"""The entry that allows every public address."""
Address: TypeAlias = IPv4Address | IPv6Address
_NAT64: Final = IPv6Network("64:ff9b::/96")


def addresses_of(host: str, port: int) -> list[str]:
    """The addresses of ``host``, all of which may be reached. Raises ``FunctionError``: ``connection_failed`` when there are
    none, ``host_not_allowed`` when one of them may not be reached."""
    found = _resolved(host, port)
    entries: Sequence[str] = settings.SULTANA_HTTP_ALLOWED_HOSTS
    named = [each.lower() for each in entries if each != PUBLIC]
    if not validate_host(host.lower(), named):
        networks = list(_networks(named))
        for address in found:
            if not any(address in network for network in networks):
                _check(host, address, is_public_allowed=PUBLIC in entries)
    return [str(each) for each in found]


def _check(host: str, address: Address, *, is_public_allowed: bool) -> None:
    if not is_public_allowed:
        why = f"{host} is not among the hosts that functions may call."
    elif not is_public(address):
        why = f"{host} is at {address}, which is no public address."
    else:
        return
    fix = f"If functions are to reach it, add {host} to SULTANA_HTTP_ALLOWED_HOSTS and restart the workers."
    raise FunctionError(f"{why} {fix}", code="host_not_allowed")


def is_public(address: Address) -> bool:
    """Whether anybody in the internet could reach the same address. One that wraps another is what it wraps."""
    inner = _wrapped(address)
    return is_public(inner) if inner is not None else address.is_global and not address.is_multicast


def _wrapped(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _resolved(host: str, port: int) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FunctionError(f"{host} has no address: {error}.", code="connection_failed") from error
    return list(dict.fromkeys(ip_address(str(each[4][0]).split("%")[0]) for each in found))


def _networks(entries: Sequence[str]) -> Iterator[IPv4Network | IPv6Network]:
    for entry in entries:
        with suppress(ValueError):  # a name
            yield ip_network(entry.strip("[]"), strict=False)
