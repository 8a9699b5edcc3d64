"""Cookies of sessions and guests, with the strictest attributes that the public URL allows."""

import ipaddress
from typing import Final

from fastapi import Request, Response

from sparks.model.errors import NotAllowed

SECURE_NAME: Final = "__Host-sparks"
PLAIN_NAME: Final = "sparks_session"
SECURE_GUEST: Final = "__Host-sparks-guest"
PLAIN_GUEST: Final = "sparks_guest"
DAY: Final = 24 * 60 * 60  # seconds
NEEDS_TLS: Final = (
    "signing in over plain http would show the password to the network: put a reverse proxy with TLS in front of "
    "Sparks, such as Caddy or nginx, set SPARKS_PUBLIC_URL to its https URL and SPARKS_TRUSTED_PROXIES to its address; "
    "or, on a network that you trust, set SPARKS_ALLOW_HTTP=1"
)


class Cookies:
    def __init__(self, *, public_url: str, allow_http: bool, days: int) -> None:
        self.secure: Final = public_url.startswith("https:")
        self._allowed = self.secure or allow_http
        self.name: Final = SECURE_NAME if self.secure else PLAIN_NAME
        self.guest_name: Final = SECURE_GUEST if self.secure else PLAIN_GUEST
        self._days = days

    def check(self, request: Request) -> None:
        """NotAllowed where a password or a session would be sent unencrypted over a network.

        With an https public URL the proxy is responsible for encryption, and browsers send the cookie over https only.
        """
        if not self._allowed and not is_loopback(request.url.hostname or ""):
            raise NotAllowed(NEEDS_TLS)

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name)

    def read_guest(self, request: Request) -> str | None:
        return request.cookies.get(self.guest_name)

    def set_session(self, response: Response, session: str) -> None:
        self._set(response, self.name, session)

    def set_guest(self, response: Response, token: str) -> None:
        """It is independent of the session cookie. See [Note: session and guest cookie] in `authentication`."""
        self._set(response, self.guest_name, token)

    def _set(self, response: Response, name: str, value: str) -> None:
        response.set_cookie(
            name,
            value,
            max_age=self._days * DAY,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )

    def clear_session(self, response: Response) -> None:
        self._clear(response, self.name)

    def clear_guest(self, response: Response) -> None:
        self._clear(response, self.guest_name)

    def _clear(self, response: Response, name: str) -> None:
        response.delete_cookie(name, path="/", secure=self.secure, httponly=True, samesite="lax")
        response.headers["Clear-Site-Data"] = '"cache"'


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, as `localhost` or 127.0.0.1."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
