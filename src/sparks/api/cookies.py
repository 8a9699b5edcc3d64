"""The cookies of a session and of a guest: as strict as the address that browsers reach Sparks by allows."""

import ipaddress
from typing import Final

from fastapi import Request, Response

from sparks.model.errors import NotAllowed

SECURE_NAME: Final = "__Host-sparks"
PLAIN_NAME: Final = "sparks_session"
SECURE_GUEST: Final = "__Host-sparks-guest"
PLAIN_GUEST: Final = "sparks_guest"
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
        self.guest_name: Final = SECURE_GUEST if self.secure else PLAIN_GUEST
        self._days = days

    def check(self, request: Request) -> None:
        """NotAllowed, saying what to do, where a password or a session would travel for everyone to see.

        Behind an https address it is for the proxy to see to that, and a browser keeps the cookie to itself elsewhere.
        """
        if not self._allowed and not is_loopback(request.url.hostname or ""):
            raise NotAllowed(NEEDS_TLS)

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name)

    def read_guest(self, request: Request) -> str | None:
        return request.cookies.get(self.guest_name)

    def give(self, response: Response, session: str) -> None:
        self._give(response, self.name, session)

    def give_guest(self, response: Response, token: str) -> None:
        """It stands beside a member's: whoever has both says for whom they ask."""
        self._give(response, self.guest_name, token)

    def _give(self, response: Response, name: str, text: str) -> None:
        response.set_cookie(
            name,
            text,
            max_age=self._days * DAY,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )

    def take_back(self, response: Response) -> None:
        self._take_back(response, self.name)

    def take_back_guest(self, response: Response) -> None:
        self._take_back(response, self.guest_name)

    def _take_back(self, response: Response, name: str) -> None:
        response.delete_cookie(name, path="/", secure=self.secure, httponly=True, samesite="lax")
        response.headers["Clear-Site-Data"] = '"cache"'


def is_loopback(host: str) -> bool:
    """Whether the name means this machine, seen from itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
