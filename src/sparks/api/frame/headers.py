"""What every answer tells the browser, unless its route says otherwise.

[Note: Referrer-Policy] Stricter than same-origin would be no-referrer; browsers then send `Origin: null` with our own
forms, and the check against forged requests could not tell them from foreign ones.
"""

from collections.abc import Sequence
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

OFF: Final = (
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
NOT_KEPT: Final = (b"cache-control", b"no-store")
A_YEAR: Final = 31_536_000


class SafeHeaders:
    """ASGI middleware. `media` are the origins, besides our own, that photos are read from and sent to."""

    def __init__(self, app: ASGIApp, *, https: bool, media: Sequence[str] = ()) -> None:
        self._app = app
        headers = {
            "content-security-policy": content_security_policy(media),
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": ", ".join(["camera=(self)", *(f"{feature}=()" for feature in OFF)]),
            "referrer-policy": "same-origin",
            "x-content-type-options": "nosniff",
        }
        if https:
            headers["strict-transport-security"] = f"max-age={A_YEAR}"
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._api_headers = [*self._headers, NOT_KEPT]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = self._api_headers if scope["path"].startswith("/api/") else self._headers

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message.get("headers", ())}
                missing = [header for header in headers if header[0] not in own]
                message["headers"] = [*message.get("headers", ()), *missing]
            await send(message)

        await self._app(scope, receive, send_safely)


def content_security_policy(media: Sequence[str] = ()) -> str:
    """Scripts and styles are files of ours: none is inside a page."""
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
