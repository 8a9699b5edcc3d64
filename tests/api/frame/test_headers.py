"""What every answer tells the browser."""

import pytest
from fastapi import FastAPI, Response

from sparks.api.frame.headers import SafeHeaders, content_security_policy
from tests.api.client import Client


def headers(path: str = "/", *, https: bool = True, own: dict[str, str] | None = None) -> dict[str, str]:
    """Of an answer whose route sets its own ones."""
    app = FastAPI()

    @app.get(path)
    def hello() -> Response:
        return Response(headers=own)

    with Client(SafeHeaders(app, https=https)) as client:
        return dict(client.get(path).headers)


def rules(policy: str) -> dict[str, str]:
    return dict(rule.split(" ", 1) for rule in policy.split("; "))


def test_a_browser_is_told_to_be_careful() -> None:
    told = headers()
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
    assert told["cross-origin-opener-policy"] == "same-origin"
    assert told["cross-origin-resource-policy"] == "same-origin"


def test_pages_load_only_from_here_and_nothing_inside_them_is_run() -> None:
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


def test_photos_may_come_from_where_they_are_kept_and_scripts_may_not() -> None:
    allowed = rules(content_security_policy(["https://s3.example.org"]))
    where = {name for name, sources in allowed.items() if "https://s3.example.org" in sources.split()}
    assert where == {"img-src", "media-src", "connect-src"}


def test_pages_may_ask_for_the_camera_and_for_little_else() -> None:
    features = dict(feature.split("=") for feature in headers()["permissions-policy"].split(", "))
    assert features.pop("camera") == "(self)"
    assert features
    assert set(features.values()) == {"()"}


def test_a_browser_is_told_to_stay_with_https_only_where_there_is_https() -> None:
    assert headers(https=True)["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in headers(https=False)


@pytest.mark.parametrize(("path", "caching"), [("/api/me", "no-store"), ("/", None), ("/apiary", None)])
def test_answers_of_the_api_are_not_kept(path: str, caching: str | None) -> None:
    assert headers(path).get("cache-control") == caching


def test_what_a_route_says_itself_wins() -> None:
    own = {"Content-Security-Policy": "sandbox", "Cache-Control": "max-age=1", "X-Content-Type-Options": "nosniff"}
    told = headers("/api/me", own=own)
    assert (told["content-security-policy"], told["cache-control"]) == ("sandbox", "max-age=1")
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
