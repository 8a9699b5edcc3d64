"""What stands around every route, from the outside in."""

from typing import Final
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from sparks.api.frame.addresses import Addresses
from sparks.api.frame.bodies import Bodies
from sparks.api.frame.headers import SafeHeaders
from sparks.api.frame.heads import Heads
from sparks.api.frame.hosts import Hosts
from sparks.api.requests import Requests
from sparks.metrics import Metrics
from sparks.settings import Settings

MOST_PORTRAIT_BYTES: Final = 30_000_000
BODY_CAPS: Final[dict[str, int | None]] = {
    "/blobs/": None,  # these have caps of their own
    "/api/photos": None,
    "/api/selfie": MOST_PORTRAIT_BYTES,
    "/api/me/profile-picture": MOST_PORTRAIT_BYTES,
}
AWS: Final = ("https://*.amazonaws.com", "https://*.amazonaws.com.cn")
CORS_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
CORS_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-Request-Id",
    "X-Sparks-CSRF",
)
CORS_EXPOSED: Final = ("Content-Disposition", "Content-Range", "ETag", "Retry-After", "X-Request-Id")


def add_frame(app: FastAPI, *, settings: Settings, metrics: Metrics) -> None:
    """Each of these stands around those added before it.

    So refusals are logged and counted as answers are, and even the answer to a failure that nobody foresaw has safe
    headers. CORS stands around the bodies, for a page elsewhere to read why its request was refused.
    """
    app.add_middleware(Bodies, caps=BODY_CAPS)
    app.add_middleware(Heads)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[origin.lower() for origin in settings.cors_origins],
            allow_methods=CORS_METHODS,
            allow_headers=CORS_HEADERS,
            expose_headers=CORS_EXPOSED,
        )
    app.add_middleware(Hosts, public_url=settings.public_url, allowed=settings.allowed_hosts)
    if settings.trusted_proxies:
        app.add_middleware(Addresses, trusted=settings.trusted_proxies)
    app.add_middleware(Requests, metrics=metrics)
    app.add_middleware(SafeHeaders, https=settings.public_url.startswith("https:"), media=media_origins(settings))


def media_origins(settings: Settings) -> tuple[str, ...]:
    """Where browsers are sent for blobs. At AWS the host is made of the region, which AWS may find by itself."""
    if settings.blobs != "s3":
        return ()
    if settings.s3_endpoint is None:
        return AWS
    url = urlsplit(settings.s3_endpoint)
    return (f"{url.scheme}://{url.netloc.rpartition('@')[2]}",)
