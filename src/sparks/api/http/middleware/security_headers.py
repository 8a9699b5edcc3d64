"""Middleware that adds security headers to every response.

Referrer-Policy is `same-origin`. With the stricter `no-referrer`, browsers would send `Origin: null`
with Sparks' own forms, and the CSRF check could not distinguish these from forms of other sites.
"""

from collections.abc import Sequence
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

DISABLED_FEATURES: Final = (
    "accelerometer",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
NO_STORE: Final = (b"cache-control", b"no-store")
YEAR: Final = 31_536_000  # seconds


class SecurityHeadersMiddleware:
    """ASGI middleware. `media` are other origins from which photos are read and to which they are uploaded."""

    def __init__(self, app: ASGIApp, *, https: bool, media: Sequence[str] = ()) -> None:
        self._app = app
        headers = {
            "content-security-policy": content_security_policy(media),
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": ", ".join(["camera=(self)", *(f"{feature}=()" for feature in DISABLED_FEATURES)]),
            "referrer-policy": "same-origin",
            "x-content-type-options": "nosniff",
        }
        if https:
            headers["strict-transport-security"] = f"max-age={YEAR}"
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._api_headers = [*self._headers, NO_STORE]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = self._api_headers if scope["path"].startswith("/api/") else self._headers

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message.get("headers", ())}
                missing = [header for header in headers if header[0] not in present]
                message["headers"] = [*message.get("headers", ()), *missing]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def content_security_policy(media: Sequence[str] = ()) -> str:
    """Scripts and styles come from files of this origin only: none is inline."""
    elsewhere = "".join(f" {origin}" for origin in media)
    rules = [
        "default-src 'self'",
        f"img-src 'self' data: blob:{elsewhere}",
        f"media-src 'self' blob:{elsewhere}",
        f"connect-src 'self'{elsewhere}",
        "style-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
    return "; ".join(rules)
