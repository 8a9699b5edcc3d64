"""Middleware that refuses unknown Host headers, against DNS rebinding.

A foreign site may let its own name resolve to the address of this server. Scripts of its pages
then reach Sparks as if they were of the same origin. But they cannot choose the Host header, which has the foreign
name.
"""

import re
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv6Address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from sparks.api.http.errors import error_response
from sparks.model.errors import BadSetting

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
PROBED: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # monitoring connects by IP address
DEFAULT_PORTS: Final = {"http": "80", "https": "443"}

_HOST: Final = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::([0-9]{1,5}))?")


class HostHeader(NamedTuple):
    """A host as browsers send it, IPv6 in brackets; the port is empty where none is given."""

    name: str
    port: str

    def __str__(self) -> str:
        return f"{self.name}:{self.port}" if self.port else self.name


def read_host(text: str) -> HostHeader | None:
    """None for a text that is no host."""
    match = _HOST.fullmatch(text.lower())
    if match is None:
        return None
    name, port = match[1].removesuffix("."), match[2] or ""
    if not name.startswith("["):
        return HostHeader(name, port)
    try:
        return HostHeader(f"[{IPv6Address(name[1:-1])}]", port)
    except AddressValueError:
        return None


class AllowedHostsMiddleware:
    """ASGI middleware that refuses requests to unknown hosts.

    Known are the host of `public_url`, with and without its port, and on any port loopback names and those `allowed`. A
    host that is allowed with a port is known on that port only.
    """

    def __init__(self, app: ASGIApp, *, public_url: str, allowed: Sequence[str] = ()) -> None:
        self._app = app
        public, others = _public_host(public_url), [_host_setting("allowed_hosts", each) for each in allowed]
        self._on_any_port = LOOPBACK | {host.name for host in others if not host.port}
        self._on_port = {public, HostHeader(public.name, ""), *others}
        self._known = ", ".join(dict.fromkeys(map(str, (public, *others))))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in PROBED:
            values = [value for name, value in scope["headers"] if name == b"host"]
            host = read_host(values[0].decode("latin-1")) if len(values) == 1 else None
            if host is None:
                message = "a request needs one Host header that names a host"
                await error_response(400, "BAD_REQUEST", message)(scope, receive, send)
                return
            if host.name not in self._on_any_port and host not in self._on_port:
                await error_response(421, "MISDIRECTED_REQUEST", self._advice(host))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _advice(self, host: HostHeader) -> str:
        return (
            f"Sparks does not serve the host {str(host)[:100]}, only {self._known}: use that, set public_url "
            "(SPARKS_PUBLIC_URL) to the URL that you use, or add its host to allowed_hosts (SPARKS_ALLOWED_HOSTS)"
        )


def _public_host(public_url: str) -> HostHeader:
    url = urlsplit(public_url)
    host = _host_setting("public_url", url.netloc.rpartition("@")[2])
    return host if host.port else HostHeader(host.name, DEFAULT_PORTS[url.scheme])


def _host_setting(setting: str, text: str) -> HostHeader:
    """A host in a setting: an IPv6 address may lack its brackets, and a name may have letters beyond ASCII."""
    bare_ipv6 = text.count(":") > 1 and not text.startswith("[")
    try:
        host = read_host(f"[{text}]" if bare_ipv6 else text.encode("idna").decode())
    except UnicodeError:
        host = None
    if host is None:
        raise BadSetting(f"{setting}: {text!r} is not a host: write it as photos.example.org")
    return host
