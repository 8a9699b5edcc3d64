"""Middleware that finds the client's address behind trusted proxies."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_LENGTH: Final = 45  # of IPv4 in IPv6, written out
SCHEMES: Final = frozenset({"http", "https"})


class ClientAddressMiddleware:
    """ASGI middleware that replaces the address and scheme of a trusted proxy by those of the client."""

    def __init__(self, app: ASGIApp, *, trusted: Sequence[str]) -> None:
        self._app = app
        self._trusted = [ip_network(each) for each in trusted]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_trusted(peer := _peer(scope), self._trusted):
            address = client_address(scope, self._trusted)
            if address != peer:
                scope["client"] = (address, 0)
            scope["scheme"] = _forwarded_scheme(scope) or scope["scheme"]
        await self._app(scope, receive, send)


def client_address(scope: Scope, trusted: Sequence[Network]) -> str:
    """The first address that is no trusted proxy, from the peer through X-Forwarded-For from right to left.

    An entry there that is no address ends the search at the proxy that added it. Empty without a peer.
    """
    address = _peer(scope)
    for entry in _entries(scope, b"x-forwarded-for"):
        if not is_trusted(address, trusted):
            break
        forwarded = read_address(_without_port(entry))
        if forwarded is None:
            break
        address = str(forwarded)
    return address


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    found = read_address(address) if trusted else None
    return found is not None and any(found in network for network in trusted)


def read_address(text: str) -> Address | None:
    """The address; IPv4 inside IPv6 becomes IPv4, and a zone is dropped. None for a text that is no address."""
    text = text.partition("%")[0]
    return _parsed(text) if len(text) <= MAX_LENGTH else None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _peer(scope: Scope) -> str:
    client = scope.get("client")
    if not client:
        return ""
    found = read_address(client[0])
    return client[0] if found is None else str(found)


def _entries(scope: Scope, header: bytes) -> Iterator[str]:
    """The entries from right to left: that of the nearest proxy comes first."""
    for name, value in reversed(scope["headers"]):
        if name == header:
            yield from filter(None, map(str.strip, reversed(value.decode("latin-1").split(","))))


def _without_port(entry: str) -> str:
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def _forwarded_scheme(scope: Scope) -> str | None:
    scheme = next(_entries(scope, b"x-forwarded-proto"), "").lower()
    return scheme if scheme in SCHEMES else None
