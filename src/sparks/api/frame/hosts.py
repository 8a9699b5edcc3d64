"""Which names Sparks answers to.

[Note: DNS rebinding] A page on a foreign site may let its own name point at this machine, and its scripts then reach
Sparks as if they came from here. The Host header, which they cannot choose, gives them away.
"""

import re
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv6Address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from sparks.api.errors import error_answer
from sparks.model.errors import BadSetting

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
PROBED: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # by machines, which go by the address
PORTS: Final = {"http": "80", "https": "443"}

_HOST: Final = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::([0-9]{1,5}))?")


class Host(NamedTuple):
    """A name as browsers send it, IPv6 in brackets; an empty port stands for none told."""

    name: str
    port: str

    def __str__(self) -> str:
        return f"{self.name}:{self.port}" if self.port else self.name


def read_host(text: str) -> Host | None:
    """None for what is no host."""
    match = _HOST.fullmatch(text.lower())
    if match is None:
        return None
    name, port = match[1].removesuffix("."), match[2] or ""
    if not name.startswith("["):
        return Host(name, port)
    try:
        return Host(f"[{IPv6Address(name[1:-1])}]", port)
    except AddressValueError:
        return None


class Hosts:
    """ASGI middleware that refuses requests to names that are not ours.

    Ours are that of `public_url`, with and without its port, and on any port this machine's own and those `allowed`;
    one that is allowed with a port is so on that port only.
    """

    def __init__(self, app: ASGIApp, *, public_url: str, allowed: Sequence[str] = ()) -> None:
        self._app = app
        public, others = _public_host(public_url), [_set_host("allowed_hosts", each) for each in allowed]
        self._on_any_port = LOOPBACK | {host.name for host in others if not host.port}
        self._exactly = {public, Host(public.name, ""), *others}
        self._known = ", ".join(dict.fromkeys(map(str, (public, *others))))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in PROBED:
            sent = [value for name, value in scope["headers"] if name == b"host"]
            host = read_host(sent[0].decode("latin-1")) if len(sent) == 1 else None
            if host is None:
                message = "a request needs one Host header that names a host"
                await error_answer(400, "BAD_REQUEST", message)(scope, receive, send)
                return
            if host.name not in self._on_any_port and host not in self._exactly:
                await error_answer(421, "MISDIRECTED_REQUEST", self._advice(host))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _advice(self, host: Host) -> str:
        return (
            f"Sparks does not answer to {str(host)[:100]}, only to {self._known}: use that, set public_url "
            "(SPARKS_PUBLIC_URL) to the address that you use, or add its name to allowed_hosts (SPARKS_ALLOWED_HOSTS)"
        )


def _public_host(public_url: str) -> Host:
    url = urlsplit(public_url)
    host = _set_host("public_url", url.netloc.rpartition("@")[2])
    return host if host.port else Host(host.name, PORTS[url.scheme])


def _set_host(setting: str, text: str) -> Host:
    """A host that a person wrote: an IPv6 address may lack its brackets, and a name may have any letters."""
    bare_ipv6 = text.count(":") > 1 and not text.startswith("[")
    try:
        host = read_host(f"[{text}]" if bare_ipv6 else text.encode("idna").decode())
    except UnicodeError:
        host = None
    if host is None:
        raise BadSetting(f"{setting}: {text!r} is not a host: write it as photos.example.org")
    return host
