"""Where a request comes from, seen past the proxies in front of Sparks."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LONGEST: Final = 45  # IPv4 in IPv6, written out
SCHEMES: Final = frozenset({"http", "https"})
SUBNET: Final = 64  # what a provider gives one customer; each of them has as many addresses as they like


class Addresses:
    """ASGI middleware that writes the client's own address and scheme over those of a trusted proxy."""

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
    """The last address that no trusted proxy vouches for, walking from the peer through X-Forwarded-For.

    A word there that is no address ends the walk at the proxy that passed it on. Without a peer it is empty.
    """
    address = _peer(scope)
    for word in _words(scope, b"x-forwarded-for"):
        if not is_trusted(address, trusted):
            break
        told = read_address(_without_port(word))
        if told is None:
            break
        address = str(told)
    return address


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    found = read_address(address) if trusted else None
    return found is not None and any(found in network for network in trusted)


def read_address(text: str) -> Address | None:
    """IPv4 inside IPv6 is IPv4; a zone is left out. None for what is no address."""
    text = text.partition("%")[0]
    return _parsed(text) if len(text) <= LONGEST else None


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


def _words(scope: Scope, header: bytes) -> Iterator[str]:
    """From the right: what the nearest proxy said comes first."""
    for name, value in reversed(scope["headers"]):
        if name == header:
            yield from filter(None, map(str.strip, reversed(value.decode("latin-1").split(","))))


def _without_port(word: str) -> str:
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word


def _forwarded_scheme(scope: Scope) -> str | None:
    told = next(_words(scope, b"x-forwarded-proto"), "").lower()
    return told if told in SCHEMES else None
