"""Security headers of every response."""

import pytest
from fastapi import FastAPI, Response

from sparks.api.http.middleware.security_headers import SecurityHeadersMiddleware, content_security_policy
from tests.api.client import Client


def headers(path: str = "/", *, https: bool = True, own: dict[str, str] | None = None) -> dict[str, str]:
    """The headers of a response whose route sets its own ones."""
    app = FastAPI()

    @app.get(path)
    def hello() -> Response:
        return Response(headers=own)

    with Client(SecurityHeadersMiddleware(app, https=https)) as client:
        return dict(client.get(path).headers)


def rules(policy: str) -> dict[str, str]:
    return dict(rule.split(" ", 1) for rule in policy.split("; "))


def test_every_response_has_the_security_headers() -> None:
    result = headers()
    assert result["x-content-type-options"] == "nosniff"
    assert result["referrer-policy"] == "same-origin"
    assert result["cross-origin-opener-policy"] == "same-origin"
    assert result["cross-origin-resource-policy"] == "same-origin"


def test_pages_load_only_from_this_origin_and_run_nothing_inline() -> None:
    policy = headers()["content-security-policy"]
    assert "unsafe" not in policy
    assert rules(policy) == {
        "default-src": "'self'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "connect-src": "'self'",
        "style-src": "'self'",
        "script-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


def test_photos_may_come_from_the_blob_store_and_scripts_may_not() -> None:
    allowed = rules(content_security_policy(["https://s3.example.org"]))
    where = {name for name, sources in allowed.items() if "https://s3.example.org" in sources.split()}
    assert where == {"img-src", "media-src", "connect-src"}


def test_pages_may_use_the_camera_and_few_other_features() -> None:
    features = dict(feature.split("=") for feature in headers()["permissions-policy"].split(", "))
    assert features.pop("camera") == "(self)"
    assert features
    assert set(features.values()) == {"()"}


def test_strict_transport_security_is_sent_only_with_https() -> None:
    assert headers(https=True)["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in headers(https=False)


@pytest.mark.parametrize(("path", "caching"), [("/api/me", "no-store"), ("/", None), ("/apiary", None)])
def test_responses_of_the_api_are_not_cached(path: str, caching: str | None) -> None:
    assert headers(path).get("cache-control") == caching


def test_headers_of_a_route_take_precedence() -> None:
    own = {"Content-Security-Policy": "sandbox", "Cache-Control": "max-age=1", "X-Content-Type-Options": "nosniff"}
    result = headers("/api/me", own=own)
    assert (result["content-security-policy"], result["cache-control"]) == ("sandbox", "max-age=1")
    assert result["x-content-type-options"] == "nosniff"
    assert result["referrer-policy"] == "same-origin"
