"""The session cookie: as strict as the address that browsers reach Sparks by allows."""

import ipaddress
from typing import Final

from fastapi import Request, Response

from sparks.model.errors import NotAllowed

SECURE_NAME: Final = "__Host-sparks"
PLAIN_NAME: Final = "sparks_session"
DAY: Final = 24 * 60 * 60
NEEDS_TLS: Final = (
    "signing in over plain http would show the password to the network: put TLS in front of Sparks (a reverse proxy "
    "such as Caddy or nginx), set SPARKS_PUBLIC_URL to its https address and SPARKS_TRUSTED_PROXIES to where it calls "
    "from; or, on a network that you trust, set SPARKS_ALLOW_HTTP=1"
)


class Cookies:
    def __init__(self, *, public_url: str, allow_http: bool, days: int) -> None:
        self.secure: Final = public_url.startswith("https:")
        self._allowed = self.secure or allow_http
        self.name: Final = SECURE_NAME if self.secure else PLAIN_NAME
        self._days = days

    def check(self, request: Request) -> None:
        """NotAllowed, saying what to do, where a password or a session would travel for everyone to see.

        Behind an https address it is for the proxy to see to that, and a browser keeps the cookie to itself elsewhere.
        """
        if not self._allowed and not is_loopback(request.url.hostname or ""):
            raise NotAllowed(NEEDS_TLS)

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name)

    def give(self, response: Response, session: str) -> None:
        response.set_cookie(
            self.name,
            session,
            max_age=self._days * DAY,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )

    def take_back(self, response: Response) -> None:
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")
        response.headers["Clear-Site-Data"] = '"cache"'


def is_loopback(host: str) -> bool:
    """Whether the name means this machine, seen from itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
