"""Middleware around every route."""

from typing import Final
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from sparks.api.http.middleware.allowed_hosts import AllowedHostsMiddleware
from sparks.api.http.middleware.client_address import ClientAddressMiddleware
from sparks.api.http.middleware.request_limits import RequestBodyMiddleware, RequestHeadMiddleware
from sparks.api.http.middleware.request_log import RequestLogMiddleware
from sparks.api.http.middleware.security_headers import SecurityHeadersMiddleware
from sparks.metrics import Metrics
from sparks.settings import Settings

MAX_PORTRAIT_BYTES: Final = 30_000_000
BODY_LIMITS: Final[dict[str, int | None]] = {
    "/blobs/": None,  # None: the route has a limit of its own
    "/api/photos": None,
    "/api/selfie": MAX_PORTRAIT_BYTES,
    "/api/me/profile-picture": MAX_PORTRAIT_BYTES,
}
AWS_ORIGINS: Final = ("https://*.amazonaws.com", "https://*.amazonaws.com.cn")
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


def add_middleware(app: FastAPI, *, settings: Settings, metrics: Metrics) -> None:
    """Each middleware wraps those added before it.

    So refusals are logged and counted like other responses, and every response has the security headers, even one to an
    unexpected error. CORS wraps the check of bodies, so that a page of another origin can read why its request was
    refused.
    """
    app.add_middleware(RequestBodyMiddleware, limits=BODY_LIMITS)
    app.add_middleware(RequestHeadMiddleware)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[origin.lower() for origin in settings.cors_origins],
            allow_methods=CORS_METHODS,
            allow_headers=CORS_HEADERS,
            expose_headers=CORS_EXPOSED,
        )
    app.add_middleware(AllowedHostsMiddleware, public_url=settings.public_url, allowed=settings.allowed_hosts)
    if settings.trusted_proxies:
        app.add_middleware(ClientAddressMiddleware, trusted=settings.trusted_proxies)
    app.add_middleware(RequestLogMiddleware, metrics=metrics)
    app.add_middleware(
        SecurityHeadersMiddleware, https=settings.public_url.startswith("https:"), media=media_origins(settings)
    )


def media_origins(settings: Settings) -> tuple[str, ...]:
    """The origins to which browsers are redirected for blobs. On AWS the region, and so the host, may be unknown."""
    if settings.blobs != "s3":
        return ()
    if settings.s3_endpoint is None:
        return AWS_ORIGINS
    url = urlsplit(settings.s3_endpoint)
    return (f"{url.scheme}://{url.netloc.rpartition('@')[2]}",)
